"""Convolution against its definition, and shape inference in all directions."""

import itertools
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluonic.graph import ops  # noqa: F401 - fills the registry
from gluonic.graph.errors import MXNetError
from gluonic.graph.infer import infer
from gluonic.graph.kernel_runs import run_node
from gluonic.graph.node import Graph, Node, make_node
from gluonic.graph.operator import REGISTRY, Run
from gluonic.graph.ops import convolution_kernels
from gluonic.graph.random_source import RandomSource
from tests.graph.samples.sample import uniform

Array = npt.NDArray[Any]
RUN = Run(train=False, random=RandomSource(0))


def run(name: str, *arrays: Array, **attributes: Any) -> Array:
    return run_node(REGISTRY[name].apply(attributes), arrays, RUN)[0]


def by_definition(
    data: Array, weight: Array, stride: Any, dilate: Any, pad: Any, groups: int
) -> Array:
    """A two-dimensional convolution, number by number."""
    padded = np.pad(data, [(0, 0), (0, 0), *((p, p) for p in pad)])
    filters, members, *kernel = weight.shape
    extents = [1 + (k - 1) * d for k, d in zip(kernel, dilate, strict=True)]
    counts = [
        (size - extent) // step + 1
        for size, extent, step in zip(padded.shape[2:], extents, stride, strict=True)
    ]
    output = np.zeros((len(data), filters, *counts))
    for b, f, y, x in np.ndindex(*output.shape):
        group = f // (filters // groups)
        for c, i, j in itertools.product(range(members), *map(range, kernel)):
            value = padded[
                b,
                group * members + c,
                y * stride[0] + i * dilate[0],
                x * stride[1] + j * dilate[1],
            ]
            output[b, f, y, x] += weight[f, c, i, j] * value
    return output


@pytest.mark.parametrize(
    ("weight", "attributes"),
    [
        ((4, 6, 3, 2), {}),
        ((4, 6, 1, 1), {}),
        ((4, 6, 3, 3), {"stride": (2, 1), "pad": (1, 2)}),
        ((4, 3, 2, 2), {"num_group": 2, "dilate": (2, 3)}),
        ((6, 1, 3, 3), {"num_group": 6, "pad": (1, 1)}),
    ],
)
def test_convolution_is_what_it_is_defined_to_be(weight: Any, attributes: Any) -> None:
    data, filters = uniform(2, 6, 7, 8), uniform(*weight, seed=1)
    expected = by_definition(
        data,
        filters,
        attributes.get("stride", (1, 1)),
        attributes.get("dilate", (1, 1)),
        attributes.get("pad", (0, 0)),
        attributes.get("num_group", 1),
    )
    attributes = {**attributes, "kernel": weight[2:], "num_filter": weight[0]}
    found = run("Convolution", data, filters, no_bias=True, **attributes)
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    bias = uniform(weight[0], seed=2)
    found = run("Convolution", data, filters, bias, **attributes)
    np.testing.assert_allclose(found, expected + bias[:, None, None], rtol=1e-10)


@pytest.mark.parametrize("name", ["Convolution", "Deconvolution"])
def test_channels_may_lie_last(name: str) -> None:
    data, weight = uniform(2, 4, 5, 6), uniform(4, 4, 3, 2)
    attributes: dict[str, Any] = {"kernel": (3, 2), "num_filter": 4, "no_bias": True}
    expected = run(name, data, weight, **attributes)
    moved = [np.ascontiguousarray(np.moveaxis(a, 1, -1)) for a in (data, weight)]
    found = run(name, *moved, layout="NHWC", **attributes)
    np.testing.assert_allclose(found, np.moveaxis(expected, 1, -1), rtol=1e-10)


@pytest.mark.parametrize("columns", [4, 32])
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("groups", [1, 4])
def test_a_batch_computed_in_parts_gives_the_same(
    columns: int, stride: int, groups: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = (6, 8)[stride - 1]
    data, weight = uniform(5, 4, size, size), uniform(8, 4 // groups, 3, 3)
    grad = uniform(5, 8, *[(size - 3) // stride + 1] * 2)
    calls: dict[str, tuple[Array, ...]] = {
        "Convolution": (data, weight),
        "_backward_Convolution_data": (grad, data, weight),
        "_backward_Convolution_weight": (grad, data, weight),
    }
    attributes: dict[str, Any] = {
        "kernel": (3, 3),
        "stride": (stride, stride),
        "num_filter": 8,
        "num_group": groups,
        "no_bias": True,
    }
    whole = {name: run(name, *arrays, **attributes) for name, arrays in calls.items()}
    monkeypatch.setattr(convolution_kernels, "SMALL_MATRIX", 1)
    monkeypatch.setattr(convolution_kernels, "LARGEST_MATRIX", 1)
    monkeypatch.setattr(convolution_kernels, "FEWEST_COLUMNS", columns)
    for name, arrays in calls.items():
        np.testing.assert_allclose(run(name, *arrays, **attributes), whole[name], rtol=1e-10)


@given(
    members=st.integers(1, 3),
    filters=st.integers(1, 3),
    groups=st.integers(1, 3),
    stride=st.integers(1, 2),
    dilate=st.integers(1, 2),
    pad=st.integers(0, 3),
)
def test_gradients_are_the_transposes_of_a_convolution(
    members: int, filters: int, groups: int, stride: int, dilate: int, pad: int
) -> None:
    data = uniform(2, groups * members, 7, 9)
    weight = uniform(groups * filters, members, 3, 2, seed=1)
    attributes: dict[str, Any] = {
        "kernel": (3, 2),
        "stride": (stride, 1),
        "dilate": (1, dilate),
        "pad": (pad, 1),
        "num_filter": groups * filters,
        "num_group": groups,
        "no_bias": True,
    }
    output = run("Convolution", data, weight, **attributes)
    grad = uniform(*output.shape, seed=2)
    for name, array in (("data", data), ("weight", weight)):
        found = run(f"_backward_Convolution_{name}", grad, data, weight, **attributes)
        assert found.shape == array.shape
        np.testing.assert_allclose(
            (found * array).sum(), (grad * output).sum(), rtol=1e-9, atol=1e-12
        )


@given(
    images=st.integers(2, 18),
    spatial=st.lists(st.integers(4, 18), min_size=1, max_size=2),
    stride=st.integers(1, 2),
    pad=st.integers(0, 1),
    groups=st.sampled_from([1, 2]),
)
def test_a_batch_gives_what_each_image_gives_alone(
    images: int, spatial: list[int], stride: int, pad: int, groups: int
) -> None:
    rank = len(spatial)
    data, weight = uniform(images, 4, *spatial), uniform(6, 4 // groups, *[3] * rank, seed=1)
    attributes: dict[str, Any] = {
        "kernel": (3,) * rank,
        "stride": (stride,) * rank,
        "pad": (pad,) * rank,
        "num_filter": 6,
        "num_group": groups,
        "no_bias": True,
    }
    whole = run("Convolution", data, weight, **attributes)
    grad = uniform(*whole.shape, seed=2)
    alone = [run("Convolution", data[i : i + 1], weight, **attributes) for i in range(images)]
    np.testing.assert_allclose(whole, np.concatenate(alone), rtol=1e-9, atol=1e-12)
    of_data, of_weight = (
        [
            run(f"_backward_Convolution_{name}", grad[at], data[at], weight, **attributes)
            for at in (slice(None), *(slice(i, i + 1) for i in range(images)))
        ]
        for name in ("data", "weight")
    )
    np.testing.assert_allclose(of_data[0], np.concatenate(of_data[1:]), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(of_weight[0], sum(of_weight[1:]), rtol=1e-9, atol=1e-11)


def shapes_of(name: str, known: dict[str, Any], **attributes: Any) -> list[Any]:
    """The shapes of data, weight and output; `same` has the output's shape."""
    attributes = {"no_bias": True, **attributes}
    variables = [Node(None, n) for n in ("data", "weight", "same")]
    node = make_node(name, [v.entry() for v in variables[:2]], attributes)
    total = make_node("elemwise_add", [node.entry(), variables[2].entry()])
    given = {v: known[v.name] for v in variables if v.name in known}
    facts = infer(Graph([total.entry()]), "shape", given)
    return [facts[n][0] for n in (*variables[:2], node)]


def test_convolution_infers_what_mxnet_infers() -> None:
    two = {"kernel": (2, 2), "num_filter": 4}
    assert shapes_of("Convolution", {"data": (None, 3, None, 7)}, **two) == [
        (None, 3, None, 7),
        (4, 3, 2, 2),
        (None, 4, None, 6),
    ]
    known = {"data": (None, 3, None, 7), "same": (2, 4, 8, None)}
    assert shapes_of("Convolution", known, pad=(1, 1), **two)[0] == (2, 3, 7, 7)
    assert shapes_of("Convolution", known, stride=(2, 2), **two)[0] == (2, 3, None, 7)
    assert shapes_of("Convolution", {"data": (None, None, None, 7)}, **two)[1] == (4, None, 2, 2)
    last = shapes_of("Convolution", {"data": (1, 5, 6, 3)}, layout="NHWC", **two)
    assert last == [(1, 5, 6, 3), (4, 2, 2, 3), (1, 4, 5, 4)]


@pytest.mark.parametrize(
    ("attributes", "output"),
    [
        ({"num_group": 2}, (2, 4, 7, 9)),
        ({"stride": (2, 2), "pad": (1, 1), "adj": (1, 0)}, (2, 4, 10, 13)),
        ({"stride": (2, 2), "target_shape": (10, 13)}, (2, 4, 10, 13)),
        ({"stride": (2, 2), "target_shape": (4, 5)}, (2, 4, 4, 5)),
        ({"stride": (3, 3), "dilate": (2, 2), "adj": (2, 1)}, (2, 4, 19, 24)),
    ],
)
def test_deconvolution_infers_what_mxnet_infers(attributes: Any, output: Any) -> None:
    found = shapes_of(
        "Deconvolution", {"data": (2, 6, 5, 7)}, kernel=(3, 3), num_filter=4, **attributes
    )
    assert found[1] == (6, 4 // attributes.get("num_group", 1), 3, 3)
    assert found[2] == output


@pytest.mark.parametrize(
    ("name", "attributes", "message"),
    [
        ("Convolution", {"layout": "NCW"}, "layout"),
        ("Convolution", {"stride": (1,)}, "stride"),
        ("Convolution", {"kernel": (7, 7)}, "larger than data"),
        ("Convolution", {"kernel": ()}, "kernel"),
        ("Convolution", {"kernel": (3,)}, "3 dimensions"),
        ("Convolution", {"num_group": 3}, "multiple of 3"),
        ("Convolution", {"pad": (-1, 0)}, "pad"),
        ("Convolution", {"num_filter": 0}, "num_filter"),
        ("Deconvolution", {"adj": (1, 0)}, "adj"),
        ("Deconvolution", {"target_shape": (20, 20)}, "target_shape"),
        ("Deconvolution", {"pad": (5, 5)}, "pad"),
    ],
)
def test_impossible_windows_are_refused(name: str, attributes: Any, message: str) -> None:
    attributes = {"kernel": (2, 2), "num_filter": 4, **attributes}
    with pytest.raises(MXNetError, match=message):
        shapes_of(name, {"data": (1, 4, 5, 5)}, **attributes)
