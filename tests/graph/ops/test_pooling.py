"""Pooling against its definition, ties, and windows that stick out."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluonic.graph import ops  # noqa: F401 - fills the registry
from gluonic.graph.errors import InferenceError
from gluonic.graph.gradient import gradients
from gluonic.graph.infer import infer
from gluonic.graph.interpret import interpret
from gluonic.graph.kernel_runs import run_node
from gluonic.graph.node import Graph, Node, make_node
from gluonic.graph.operator import REGISTRY, Run
from gluonic.graph.ops import pooling_kernels
from gluonic.graph.random_source import RandomSource
from tests.graph.samples.sample import uniform

Array = npt.NDArray[Any]
RUN = Run(train=True, random=RandomSource(0))


def pooling(data: Array, **attributes: Any) -> Array:
    return run_node(REGISTRY["Pooling"].apply(attributes), [data], RUN)[0]


def gradient_of(data: Array, head: Array, **attributes: Any) -> Array:
    variables = [Node(None, name) for name in ("data", "head")]
    node = make_node("Pooling", [variables[0].entry()], attributes)
    (entry,) = gradients([node.entry()], [variables[1].entry()], [variables[0].entry()], train=True)
    assert entry is not None
    return interpret(Graph([entry]), dict(zip(variables, (data, head), strict=True)), RUN)[0]


REDUCE: dict[str, Any] = {
    "max": np.max,
    "sum": np.sum,
    "avg": np.mean,
    "lp": lambda window: np.sqrt(np.sum(window**2)),
}


@pytest.mark.parametrize("kind", REDUCE)
@pytest.mark.parametrize(
    ("stride", "kernel"), [((1, 1), (2, 3)), ((2, 3), (3, 2)), ((2, 1), (1, 4))]
)
def test_pooling_is_what_it_is_defined_to_be(kind: str, stride: Any, kernel: Any) -> None:
    data = uniform(2, 3, 6, 7)
    found = pooling(data, kernel=kernel, stride=stride, pool_type=kind, p_value=2)
    expected = np.zeros_like(found)
    for b, c, y, x in np.ndindex(*found.shape):
        top, left = y * stride[0], x * stride[1]
        window = data[b, c, top : top + kernel[0], left : left + kernel[1]]
        expected[b, c, y, x] = REDUCE[kind](window)
    assert found.shape == (2, 3, (6 - kernel[0]) // stride[0] + 1, (7 - kernel[1]) // stride[1] + 1)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@given(
    kind=st.sampled_from(["max", "sum"]),
    convention=st.sampled_from(["valid", "full"]),
    kernel=st.integers(1, 5),
    stride=st.integers(1, 6),
    pad=st.integers(0, 6),
)
def test_padding_adds_nothing_to_windows(
    kind: str, convention: str, kernel: int, stride: int, pad: int
) -> None:
    data = uniform(2, 3, 5, 7)
    attributes = {"kernel": (kernel, 2), "stride": (stride, 1), "pad": (pad, 1)}
    found = pooling(data, pool_type=kind, pooling_convention=convention, **attributes)
    lowest = np.finfo(data.dtype).min if kind == "max" else 0
    beyond = [(0, 0), (0, 0), (pad, pad + kernel + stride), (1, 4)]
    padded = np.pad(data, beyond, constant_values=lowest)
    for y, x in np.ndindex(*found.shape[2:]):
        window = padded[:, :, y * stride : y * stride + kernel, x : x + 2]
        expected = REDUCE[kind](window, axis=(2, 3))
        np.testing.assert_allclose(found[:, :, y, x], expected, rtol=1e-12)


def test_means_count_padding_by_default() -> None:
    data = np.ones((1, 1, 3))
    attributes = {"kernel": (3,), "pad": (1,), "pool_type": "avg"}
    np.testing.assert_allclose(pooling(data, **attributes)[0, 0], [2 / 3, 1, 2 / 3])
    without = pooling(data, count_include_pad=False, **attributes)
    np.testing.assert_allclose(without[0, 0], [1, 1, 1])


def test_full_convention_adds_a_window_that_sticks_out() -> None:
    data = np.arange(5.0).reshape(1, 1, 5)
    attributes: dict[str, Any] = {"kernel": (2,), "stride": (2,)}
    np.testing.assert_array_equal(pooling(data, **attributes)[0, 0], [1, 3])
    full = pooling(data, pooling_convention="full", **attributes)
    np.testing.assert_array_equal(full[0, 0], [1, 3, 4])
    mean = pooling(data, pooling_convention="full", pool_type="avg", **attributes)
    np.testing.assert_array_equal(
        mean[0, 0], [0.5, 2.5, 4]
    )  # a missing position, which is not counted


def test_same_convention_has_as_many_windows_as_strides() -> None:
    data = np.arange(7.0).reshape(1, 1, 7)
    found = pooling(data, kernel=(2,), stride=(3,), pooling_convention="same", pad=(0, 0, 0))
    np.testing.assert_array_equal(found[0, 0], [1, 4, 6])


def test_padding_never_is_the_maximum() -> None:
    found = pooling(-np.ones((1, 1, 2, 2)), kernel=(2, 2), pad=(1, 1))
    np.testing.assert_array_equal(found, -np.ones((1, 1, 3, 3)))


def test_the_first_of_equal_maxima_gets_the_gradient() -> None:
    ones = np.ones((1, 1, 3, 3))
    found = gradient_of(ones, np.ones((1, 1, 2, 2)), kernel=(2, 2))
    np.testing.assert_array_equal(found[0, 0], [[1, 1, 0], [1, 1, 0], [0, 0, 0]])


@pytest.mark.parametrize("attributes", [{"kernel": (3, 3)}, {"kernel": (3, 2), "stride": (2, 1)}])
def test_both_ways_to_find_maxima_agree(attributes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    data = np.round(uniform(2, 3, 6, 6) * 3)
    head = uniform(*pooling(data, **attributes).shape)
    expected = gradient_of(data, head, **attributes)
    monkeypatch.setattr(pooling_kernels, "MOST_SLICES", 1)
    np.testing.assert_allclose(gradient_of(data, head, **attributes), expected)


@pytest.mark.parametrize("slices", [1, pooling_kernels.MOST_SLICES])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_an_infinite_gradient_reaches_the_maximum_alone(
    slices: int, dtype: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pooling_kernels, "MOST_SLICES", slices)
    data = np.array([[[[0, 3, 1, 2], [1, 2, 5, 4]]]], dtype)
    head = np.array([[[[np.inf, np.nan]]]], dtype)
    found = gradient_of(data, head, kernel=(2, 2), stride=(2, 2))
    np.testing.assert_array_equal(found[0, 0], [[0, np.inf, 0, 0], [0, 0, np.nan, 0]])


def test_global_pooling_ignores_the_windows() -> None:
    data = uniform(2, 3, 4, 5)
    found = pooling(data, global_pool=True, kernel=(2, 2), stride=(2, 2), pad=(1, 1))
    np.testing.assert_array_equal(found, data.max(axis=(2, 3), keepdims=True))


def test_shapes_follow_as_far_as_they_are_known() -> None:
    variable = Node(None, "data")

    def output_of(shape: Any, **attributes: Any) -> Any:
        node = make_node("Pooling", [variable.entry()], attributes)
        return infer(Graph([node.entry()]), "shape", {variable: shape})[node][0]

    assert output_of((None, 3, 5, None), kernel=(2, 2)) == (None, 3, 4, None)
    assert output_of((None, 3, None, None), global_pool=True) == (None, 3, 1, 1)
    assert output_of((2, 5, 6, 3), kernel=(2, 2), layout="NHWC") == (2, 4, 5, 3)


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({}, "kernel"),
        ({"kernel": (5, 5)}, "larger than data"),
        ({"kernel": (3,)}, "3 dimensions"),
        ({"kernel": (2, 2), "stride": (1,)}, "stride"),
        ({"kernel": (2, 0)}, "kernel"),
        ({"kernel": (2, 2), "layout": "NCW"}, "layout"),
        ({"kernel": (2, 2), "pool_type": "lp"}, "p_value"),
        ({"kernel": (2, 2), "pad": (1, 0), "pooling_convention": "same"}, "pad"),
        ({"kernel": (2, 2), "pool_type": "lp", "p_value": 4}, "p_value"),
    ],
)
def test_impossible_windows_are_refused(attributes: Any, message: str) -> None:
    with pytest.raises(InferenceError, match=message):
        pooling(uniform(1, 1, 4, 4), **attributes)
