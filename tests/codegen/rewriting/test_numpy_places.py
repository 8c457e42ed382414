"""NumPy's operators that find indices or move elements, in compiled graphs."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from gluonic.codegen.compiled import CompiledGraph
from gluonic.graph.builder import F
from gluonic.graph.gradient import gradients
from gluonic.graph.interpret import interpret
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
@settings(max_examples=40, deadline=None)
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


def with_gradient(make: Callable[[Any], Any], data: Array) -> tuple[list[Array], list[Array]]:
    """The result and its gradient, compiled and interpreted."""
    x, head = Node(None, "x"), Node(None, "head")
    y = make(x.entry())
    (gradient,) = gradients([y], [head.entry()], [x.entry()], train=False)
    assert gradient is not None
    graph = Graph([y, gradient])
    shape = interpret(Graph([y]), {x: data}, new_run())[0].shape
    g = np.random.default_rng(0).uniform(1, 2, shape).astype(data.dtype)
    machine = CompiledGraph(graph, [x, head])([data, g], new_run())
    return list(machine), interpret(graph, {x: data, head: g}, new_run())


@st.composite
def moves(draw: st.DrawFn) -> tuple[Array, Callable[[Any], Any]]:
    shape = draw(array_shapes(min_dims=1, max_dims=3, max_side=5))
    data = np.random.default_rng(1).uniform(-1, 1, shape).astype("float32")
    shift, axis = draw(st.integers(-7, 7)), draw(st.integers(-data.ndim, data.ndim - 1))
    if draw(st.booleans()) or data.ndim == 1:
        along = draw(st.sampled_from([axis, None]))
        return data, lambda x: F._np_roll(x, shift=shift, axis=along)
    first, second = draw(st.permutations(range(data.ndim)))[:2]
    axes: dict[str, Any] = {"axis1": first, "axis2": second, "offset": draw(st.integers(-3, 3))}
    operator = draw(st.sampled_from([F._np_diagonal, F._np_trace]))
    return data, lambda x: operator(x, **axes)


@settings(max_examples=40, deadline=None)
@given(moves())
def test_rolls_and_diagonals_and_their_gradients(
    case: tuple[Array, Callable[[Any], Any]],
) -> None:
    data, make = case
    machine, expected = with_gradient(make, data)
    for found, wanted in zip(machine, expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-6, strict=True)


@settings(max_examples=40, deadline=None)
@given(
    array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=4),
    st.sampled_from(["constant", "edge", "reflect", "symmetric"]),
    st.data(),
)
def test_padding_and_its_gradients(shape: tuple[int, ...], mode: str, data: st.DataObject) -> None:
    pairs = st.tuples(st.integers(0, 3), st.integers(0, 3))
    widths = data.draw(st.tuples(*[pairs] * len(shape)))
    elements = np.random.default_rng(2).uniform(-1, 1, shape).astype("float32")
    machine, expected = with_gradient(
        lambda x: F._npi_pad(x, pad_width=widths, mode=mode), elements
    )
    for found, wanted in zip(machine, expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5, strict=True)


@settings(max_examples=40, deadline=None)
@given(arrays_with_axes(), st.booleans(), st.sampled_from([None, "float64", "int64"]))
def test_running_sums_add_in_numpys_order(
    case: tuple[Array, int], flat: bool, dtype: str | None
) -> None:
    data, axis = case
    along = None if flat else axis
    wanted = np.dtype(dtype or data.dtype)
    if wanted.kind == "i":
        data = np.nan_to_num(data, posinf=3, neginf=-3)
    found = compiled(lambda x: F._np_cumsum(x, axis=along, dtype=dtype), data)
    with np.errstate(invalid="ignore"):
        expected = data.astype(wanted).cumsum(along, dtype=wanted)
    np.testing.assert_array_equal(found, expected, strict=True)


@pytest.mark.parametrize("dtype", ["float16", "float32", "int8"])
@pytest.mark.parametrize(
    ("shape", "axis"), [((7, 33), 0), ((2, 5, 3), 1), ((70,), 0), ((4, 9), None)]
)
def test_running_sums_and_their_gradients(
    dtype: str, shape: tuple[int, ...], axis: int | None
) -> None:
    elements = np.random.default_rng(4).uniform(-9, 9, shape).astype(dtype)
    machine, expected = with_gradient(lambda x: F._np_cumsum(x, axis=axis), elements)
    for found, wanted in zip(machine, expected, strict=True):
        np.testing.assert_array_equal(found, wanted, strict=True)


def test_one_graph_reflects_more_than_there_is_and_less() -> None:
    x = Node(None, "x")
    padded = F._npi_pad(x.entry(), pad_width=((2, 3),), mode="reflect")
    pad = CompiledGraph(Graph([padded]), [x])
    for size in (9, 3, 1, 4):
        data = np.arange(1, size + 1, dtype="float32")
        (found,) = pad([data], new_run())
        np.testing.assert_array_equal(found, np.pad(data, (2, 3), "reflect"))
