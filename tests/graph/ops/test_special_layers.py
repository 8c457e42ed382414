"""Correlation, deformable convolution and the sparseness penalty against what defines them."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from gluonic.graph import ops  # noqa: F401 - fills the registry
from gluonic.graph.errors import InferenceError
from gluonic.graph.gradient import gradients
from gluonic.graph.interpret import interpret
from gluonic.graph.kernel_runs import run_node
from gluonic.graph.node import Graph, Node, make_node
from gluonic.graph.operator import REGISTRY, Run
from gluonic.graph.random_source import RandomSource
from tests.graph.samples.sample import uniform

Array = npt.NDArray[Any]
RUN = Run(train=True, random=RandomSource(0))


def run(name: str, *arrays: Array, **attributes: Any) -> Array:
    return run_node(REGISTRY[name].apply(attributes), arrays, RUN)[0]


@pytest.mark.parametrize("multiply", [True, False])
def test_correlation_compares_displaced_patches(multiply: bool) -> None:
    first, second = uniform(1, 2, 7, 7), uniform(1, 2, 7, 7, seed=1)
    attributes = {"kernel_size": 3, "max_displacement": 2, "stride2": 2, "is_multiply": multiply}
    found = run("Correlation", first, second, **attributes)
    assert found.shape == (1, 9, 1, 1)
    moves = [(down, across) for down in (-2, 0, 2) for across in (-2, 0, 2)]
    for number, (down, across) in enumerate(moves):
        a = first[0, :, 2:5, 2:5]
        b = second[0, :, 2 + down : 5 + down, 2 + across : 5 + across]
        expected = (a * b if multiply else np.abs(a - b)).mean()
        np.testing.assert_allclose(found[0, number, 0, 0], expected)


def test_without_offset_deformable_convolution_is_convolution() -> None:
    data, weight, bias = uniform(2, 4, 6, 6), uniform(6, 2, 3, 3), uniform(6)
    attributes: dict[str, Any] = {
        "kernel": (3, 3),
        "num_filter": 6,
        "num_group": 2,
        "pad": (1, 1),
        "stride": (2, 1),
    }
    expected = run("Convolution", data, weight, bias, **attributes)
    offset = np.zeros((2, 36, *expected.shape[2:]))
    found = run(
        "_contrib_DeformableConvolution",
        data,
        offset,
        weight,
        bias,
        num_deformable_group=2,
        **attributes,
    )
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_an_offset_of_whole_pixels_reads_elsewhere() -> None:
    data = uniform(1, 1, 5, 5)
    offset = np.zeros((1, 2, 5, 5))
    offset[:, 0], offset[:, 1] = 1, -2  # one down, two to the left
    found = run(
        "_contrib_DeformableConvolution",
        data,
        offset,
        np.ones((1, 1, 1, 1)),
        kernel=(1, 1),
        num_filter=1,
        no_bias=True,
    )
    expected = np.zeros((5, 5))
    expected[:4, 2:] = data[0, 0, 1:, :3]
    np.testing.assert_allclose(found[0, 0], expected)


def test_a_modulated_convolution_weighs_what_it_reads_and_fades_at_the_edge() -> None:
    data, mask = uniform(1, 1, 3, 3), uniform(1, 1, 3, 3, seed=1)
    offset = np.zeros((1, 2, 3, 3))
    offset[:, 1] = -0.25  # to the left
    found = run(
        "_contrib_ModulatedDeformableConvolution",
        data,
        offset,
        mask,
        np.ones((1, 1, 1, 1)),
        kernel=(1, 1),
        num_filter=1,
        no_bias=True,
    )
    left = np.pad(data[0, 0], [(0, 0), (1, 0)])[:, :3]
    np.testing.assert_allclose(found[0, 0], (0.75 * data[0, 0] + 0.25 * left) * mask[0, 0])


def test_offsets_of_another_size_are_refused() -> None:
    with pytest.raises(InferenceError, match="offset"):
        run(
            "_contrib_DeformableConvolution",
            uniform(2, 4, 5, 6),
            uniform(2, 8, 4, 4),
            uniform(3, 4, 2, 2),
            uniform(3),
            kernel=(2, 2),
            num_filter=3,
        )


def test_the_sparseness_penalty_is_added_to_the_gradient() -> None:
    data, average = uniform(6, 3, low=0.1, high=0.9), np.array([0.2, 0.3, 0.4])
    head, target = uniform(6, 3, seed=1), 0.25
    variables = [Node(None, name) for name in ("data", "moving_avg", "head")]
    attributes = {"sparseness_target": target, "penalty": 0.5, "momentum": 0.75}
    node = make_node("IdentityAttachKLSparseReg", [v.entry() for v in variables[:2]], attributes)
    (entry,) = gradients([node.entry()], [variables[2].entry()], [variables[0].entry()], train=True)
    assert entry is not None
    state = average.copy()
    values = dict(zip(variables, (data, state, head), strict=True))
    output, gradient = interpret(Graph([node.entry(), entry]), values, RUN)
    np.testing.assert_array_equal(output, data)
    moved = 0.75 * average + 0.25 * data.mean(axis=0)
    np.testing.assert_allclose(state, moved)
    expected = head + 0.5 * ((1 - target) / (1 - moved) - target / moved)
    np.testing.assert_allclose(gradient, expected)
