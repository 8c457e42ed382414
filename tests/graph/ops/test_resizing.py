"""Resizing: values and sizes."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from gluonic.graph import ops  # noqa: F401 - fills the registry
from gluonic.graph.errors import MXNetError
from gluonic.graph.infer import infer
from gluonic.graph.kernel_runs import run_node
from gluonic.graph.node import Graph, Node, make_node
from gluonic.graph.operator import REGISTRY, Run
from gluonic.graph.random_source import RandomSource
from tests.graph.samples.sample import uniform

Array = npt.NDArray[Any]
RUN = Run(train=False, random=RandomSource(0))
RAMP = np.arange(4.0).reshape(1, 1, 1, 4)


def run(name: str, *arrays: Array, **attributes: Any) -> Array:
    return run_node(REGISTRY[name].apply(attributes), arrays, RUN)[0]


def test_aligned_corners_keep_their_values() -> None:
    found = run("_contrib_BilinearResize2D", RAMP, height=1, width=7)
    np.testing.assert_allclose(found[0, 0, 0], [0, 0.5, 1, 1.5, 2, 2.5, 3])


def test_corners_not_aligned_keep_the_areas() -> None:
    found = run("_contrib_BilinearResize2D", RAMP, height=1, width=2, align_corners=False)
    np.testing.assert_allclose(found[0, 0, 0], [0.5, 2.5])
    found = run("_contrib_BilinearResize2D", RAMP, height=1, width=8, align_corners=False)
    np.testing.assert_allclose(found[0, 0, 0], [0, 0.25, 0.75, 1.25, 1.75, 2.25, 2.75, 3])


@pytest.mark.parametrize(
    ("attributes", "extents"),
    [
        ({"height": 7, "width": 2}, (7, 2)),
        ({"scale_height": 2.0, "scale_width": 1.5}, (10, 9)),
        ({"scale_height": 2.0, "scale_width": 1.5, "mode": "odd_scale"}, (9, 9)),
        ({"mode": "to_even_down"}, (4, 6)),
        ({"mode": "to_even_up"}, (6, 6)),
        ({"mode": "to_odd_down"}, (5, 5)),
        ({"mode": "to_odd_up"}, (5, 7)),
    ],
)
def test_new_sizes_are_those_of_mxnet(attributes: Any, extents: Any) -> None:
    found = run("_contrib_BilinearResize2D", uniform(1, 2, 5, 6), **attributes)
    assert found.shape == (1, 2, *extents)


def test_windows_of_adaptive_means_overlap_unless_extents_divide_evenly() -> None:
    image = np.arange(5.0).reshape(1, 1, 1, 5)
    found = run("_contrib_AdaptiveAvgPooling2D", image, output_size=(1, 3))
    np.testing.assert_allclose(found[0, 0, 0], [0.5, 2, 3.5])
    assert run("_contrib_AdaptiveAvgPooling2D", uniform(2, 3, 5, 5)).shape == (2, 3, 1, 1)


def test_nearest_repeats_and_joins() -> None:
    small, large = uniform(1, 1, 2, 2), uniform(1, 2, 4, 4, seed=1)
    found = run("UpSampling", small, large, scale=2, sample_type="nearest", num_args=2)
    np.testing.assert_array_equal(found[:, :1], np.kron(small, np.ones((1, 1, 2, 2))))
    np.testing.assert_array_equal(found[:, 1:], large)


def test_bilinear_names_its_weight_and_infers_it() -> None:
    variables = [Node(None, name) for name in ("data", "weight")]
    attributes = {"scale": 3, "sample_type": "bilinear", "num_filter": 2, "num_args": 2}
    node = make_node("UpSampling", [v.entry() for v in variables], attributes)
    assert node.application is not None
    assert node.application.inputs == ("data", "weight")
    facts = infer(Graph([node.entry()]), "shape", {variables[0]: (None, 2, 4, 5)})
    assert facts[variables[1]] == [(2, 1, 5, 5)]
    assert facts[node] == [(None, 2, 12, 15)]


@pytest.mark.parametrize(
    ("name", "shape", "attributes"),
    [
        ("_contrib_BilinearResize2D", (2, 3, 4), {}),
        ("_contrib_BilinearResize2D", (2, 3, 4, 4), {"mode": "odd_scale"}),
        ("_contrib_BilinearResize2D", (2, 3, 4, 4), {"height": 0}),
        ("_contrib_AdaptiveAvgPooling2D", (2, 3, 4, 4), {"output_size": (1, 2, 3)}),
        ("UpSampling", (2, 3, 4), {"scale": 2, "sample_type": "nearest"}),
        ("UpSampling", (2, 3, 4, 4), {"scale": 0, "sample_type": "nearest"}),
    ],
)
def test_impossible_sizes_are_refused(name: str, shape: Any, attributes: Any) -> None:
    with pytest.raises(MXNetError):
        run(name, uniform(*shape), **attributes)
