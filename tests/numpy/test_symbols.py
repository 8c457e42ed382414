"""Symbols of `mx.sym.np`: parts of arrays, lists of outputs, and what is not there."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, basic_indices

import gluonic as mx
from gluonic import nd, sym, util
from gluonic.symbol.numpy.symbols import _Symbol
from tests.measured.measure import found, read
from tests.measured.numpy_graphs import CALLS, written


def variable() -> Any:
    return sym.var("x").as_np_ndarray()


@st.composite
def shapes_and_keys(draw: st.DrawFn) -> tuple[tuple[int, ...], Any]:
    shape = draw(array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=4))
    return shape, draw(basic_indices(shape, allow_ellipsis=False, allow_newaxis=False))


@given(shapes_and_keys())
def test_integers_and_slices_name_what_they_name_of_an_array(case: tuple[Any, Any]) -> None:
    shape, key = case
    elements = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    expected = np.asarray(elements[key])
    with util.np_shape():
        found = variable()[key].eval(x=nd.array(elements))[0]
    assert found.shape == expected.shape
    np.testing.assert_array_equal(found.asnumpy(), expected)


def test_a_symbol_of_one_output_is_no_list() -> None:
    for ask in (len, list):
        with pytest.raises(TypeError, match="is no list"):
            ask(variable())


def test_a_symbol_of_several_outputs_is_a_list_of_symbols() -> None:
    both = sym.Group([variable() + 1, variable() * 2], _Symbol)
    assert len(both) == 2
    assert [type(one) for one in both] == [_Symbol, _Symbol]
    assert type(both[0]) is _Symbol
    assert repr(both) == f"<_Symbol group [{both[0]!r}, {both[1]!r}]>"


@pytest.mark.parametrize("key", ["a", [1], 1.5, (0, [1])])
def test_other_keys_are_refused(key: Any) -> None:
    with pytest.raises(IndexError, match="integers, slices, None"):
        variable()[key]


def test_a_step_of_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="zero"):
        variable()[::0]


@pytest.mark.parametrize("name", ["exp", "slice_axis", "softmax"])
def test_methods_of_mx_sym_are_refused(name: str) -> None:
    with pytest.raises(AttributeError, match=f"mx.np.{name}"):
        getattr(variable(), name)


@pytest.mark.parametrize("name", CALLS)
def test_functions_write_the_graphs_that_mxnet_writes(name: str) -> None:
    x, w = (sym.var(each).as_np_ndarray() for each in "xw")
    with util.np_shape():
        ours = found(mx, lambda: written(CALLS[name](sym.np, x, w)))
    assert ours == read("numpy_graphs")[name]
