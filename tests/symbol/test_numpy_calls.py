"""NumPy's functions and numbers with Symbols."""

import operator
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import sym
from gluonic.symbol.symbol import Symbol

UFUNCS = sorted({f.__name__ for f in vars(np).values() if isinstance(f, np.ufunc) and f.nin == 1})
FUNCTIONS = [
    "concatenate", "stack", "hstack", "where", "dot", "matmul", "vstack", "std", "var", "einsum", "roll",
    "array_split", "allclose", "median", "cumsum", "outer", "isin",
]  # fmt: skip


@pytest.mark.parametrize("name", UFUNCS)
def test_each_ufunc_refuses_symbols_and_names_the_operator_if_there_is_one(name: str) -> None:
    with pytest.raises(mx.MXNetError, match=rf"np\.{name} takes no Symbol") as caught:
        getattr(np, name)(sym.var("x"))
    if hasattr(sym, name):
        assert f"F.{name} does" in str(caught.value)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_arrays_refuse_symbols_that_have_no_such_method(name: str) -> None:
    x = sym.var("x")
    arguments: dict[str, Any] = {
        "where": (x, x, x), "einsum": ("ij,jk", x, x), "dot": (x, x), "matmul": (x, x), "roll": (x, 1),
        "array_split": (x, 2), "allclose": (x, x), "outer": (x, x), "isin": (x, x),
    }  # fmt: skip
    many = name in ("concatenate", "stack", "hstack", "vstack")
    with pytest.raises(mx.MXNetError, match=rf"np\.{name} takes no Symbol"):
        getattr(np, name)(*arguments.get(name, ([x, x],) if many else (x,)))


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "mean", "expand_dims"])
def test_functions_that_symbols_have_as_methods_call_these(name: str) -> None:
    found = getattr(np, name)(sym.var("x"), 1)
    assert isinstance(found, Symbol)
    value = found.eval(x=mx.nd.array([[1.0, 2.0], [3.0, 5.0]]))[0]
    assert np.allclose(value.asnumpy(), getattr(np, name)(np.array([[1.0, 2.0], [3.0, 5.0]]), 1))


@pytest.mark.parametrize("number", [np.float32(3), np.float64(3), np.int64(3), np.array(3.0)])
@pytest.mark.parametrize(
    "name", ["add", "sub", "mul", "truediv", "pow", "mod", "gt", "ge", "lt", "le", "eq", "ne"]
)
def test_numbers_of_numpy_may_be_on_either_side_of_a_symbol(name: str, number: Any) -> None:
    combine, values = getattr(operator, name), np.array([1.0, 2.0, 3.0, 4.0], np.float32)
    for left, right in ((number, sym.var("x")), (sym.var("x"), number)):
        if right is number and isinstance(number, np.ndarray):
            continue  # MXNet takes none there
        found = combine(left, right).eval(x=mx.nd.array(values))[0].asnumpy()
        want = combine(float(number), values) if left is number else combine(values, float(number))  # type: ignore[arg-type]
        assert np.allclose(found, want)


def test_an_array_is_refused_on_either_side() -> None:
    for pair in ((np.ones(3), sym.var("x")), (sym.var("x"), np.ones(3))):
        with pytest.raises(TypeError, match="a Symbol cannot be combined with ndarray"):
            operator.mul(*pair)
