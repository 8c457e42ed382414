"""Operators of NumPy that find places or move elements, in compiled graphs: NumPy's results, bit by bit."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from gluonic.codegen.compiled import CompiledGraph
from gluonic.graph.builder import F
from gluonic.graph.node import Graph, Node
from tests.codegen.agreement import new_run

Array = np.ndarray[Any, Any]
FEW = st.sampled_from([-np.inf, -1.0, 0.0, 1.0, 2.5, np.inf, np.nan])


def compiled(make: Callable[[Any], Any], data: Array) -> Array:
    x = Node(None, "x")
    return CompiledGraph(Graph([make(x.entry())]), [x])([data], new_run())[0]


@st.composite
def arrays_with_axes(draw: st.DrawFn) -> tuple[Array, int]:
    shape = draw(array_shapes(min_dims=1, max_dims=3, max_side=6))
    dtype = draw(st.sampled_from(["float32", "float64", "int32", "int8"]))
    elements = FEW if dtype.startswith("float") else st.integers(-2, 2)
    data = draw(arrays(dtype, shape, elements=elements))
    return data, draw(st.integers(-data.ndim, data.ndim - 1))


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@given(arrays_with_axes(), st.booleans())
def test_the_first_of_equal_extremes_is_found_and_nan_is_one(
    name: str, case: tuple[Array, int], keepdims: bool
) -> None:
    data, axis = case
    operator = getattr(F, f"_npi_{name}")
    found = compiled(lambda x: operator(x, axis=axis, keepdims=keepdims), data)
    np.testing.assert_array_equal(
        found, getattr(np, name)(data, axis=axis, keepdims=keepdims), strict=True
    )
    whole = compiled(lambda x: operator(x), data)
    np.testing.assert_array_equal(whole, getattr(np, name)(data))
