"""Where programs look for the functions that call NumPy's operators."""

import inspect

import pytest

import gluonic as mx
from gluonic import _numpy_op_doc  # type: ignore[attr-defined]
from gluonic.graph.operator import REGISTRY
from gluonic.numpy_op_signature import _get_builtin_op


@pytest.mark.parametrize("name", sorted(name for name in REGISTRY if name.startswith("_np_")))
def test_an_operator_is_documented_by_the_function_that_calls_it(name: str) -> None:
    documented, called = getattr(_numpy_op_doc, name), _get_builtin_op(name)
    assert called is not None
    assert str(inspect.signature(documented)) == str(inspect.signature(called))
    assert documented.__doc__


def test_only_operators_have_documentation() -> None:
    assert not hasattr(_numpy_op_doc, "_np_no_such_operator")
    assert not hasattr(_numpy_op_doc, "sum_of_nothing")


def test_functions_of_nd_and_sym_take_the_keywords_of_operators() -> None:
    x = mx.np.array([[1.0, 2.0], [3.0, 4.0]])
    assert mx.nd.np.sum(x, axis=0, name="total").tolist() == [4, 6]
    assert mx.nd.np.roll(data=x, shift=1, axis=1).tolist() == [[2, 1], [4, 3]]
    assert mx.nd.np.max(x, initial=7.0) == 7
    assert mx.nd.npx.reshape(x, newshape=(-1,), name="flat").shape == (4,)
    symbol = mx.sym.var("x").as_np_ndarray()
    total = mx.sym.np.sum(symbol, axis=0, name="total")
    assert total.name == "total"
    assert type(total) is type(symbol)
    assert mx.sym.np.dot(symbol, symbol, attr={"__layer__": "1"}).attr("__layer__") == "1"


def test_keywords_unknown_to_both_function_and_operator_are_refused() -> None:
    with pytest.raises(mx.MXNetError, match="_np_sum: has no attribute 'axes'"):
        mx.nd.np.sum(mx.np.ones((2,)), axes=0)
