"""Sorting, running sums, sums at indices and recurrent steps on a GPU, where one pass is not enough."""

import numpy as np
import pytest

from gluonic.codegen.cuda.threads import recurrent_code
from gluonic.graph import Graph, Node, Run
from gluonic.graph.builder import F
from gluonic.graph.gradient import gradients
from gluonic.graph.interpret import interpret
from gluonic.graph.random_source import RandomSource
from tests.codegen.cuda.devices import assert_near, computed, computes, numbers


def _ties(*shape: int) -> np.ndarray:
    """Few different numbers, and some that are none."""
    values = np.round(numbers(*shape) * 2)
    values[np.abs(values) > 3] = np.nan
    return values


@pytest.mark.parametrize("ascending", [True, False])
@pytest.mark.parametrize(("shape", "axis"), [((2, 1300), 1), ((1100, 2), 0), ((3, 7), 1)])
def test_long_rows_are_sorted_in_runs_that_are_merged(
    shape: tuple[int, ...], axis: int, ascending: bool
) -> None:
    settings = {"axis": axis, "is_ascend": ascending}
    computes(lambda x: F.argsort(x, dtype="int32", **settings), _ties(*shape))
    computes(lambda x: F.topk(x, k=3, ret_typ="mask", **settings), numbers(*shape))


@pytest.mark.parametrize(("shape", "axis"), [((2, 300), 1), ((300, 2), 0), ((20000,), None)])
def test_long_rows_are_summed_in_parts(shape: tuple[int, ...], axis: int | None) -> None:
    values = numbers(*shape, dtype=np.float64)
    computes(lambda x: F._np_cumsum(x, axis=axis), values)
    computes(lambda g, x: F._backward_np_cumsum(g, x, axis=axis), values, values)


def test_gradients_of_rows_are_added_in_the_order_of_their_indices() -> None:
    index = np.random.default_rng(0).integers(-2, 9, 1500).astype(np.float32)
    gradient = numbers(1500, 3, dtype=np.float64)
    settings = {"axis": 0, "mode": "wrap"}
    computes(
        lambda g, a, i: F._backward_take(g, a, i, **settings),
        gradient,
        numbers(7, 3, dtype=np.float64),
        index,
    )


def test_the_last_of_several_elements_that_are_written_to_one_place_is_kept() -> None:
    index = np.random.default_rng(0).integers(0, 5, (1, 1200)).astype(np.int32)
    computes(lambda x, i: F.scatter_nd(x, i, shape=(6, 2)), numbers(1200, 2), index)


@pytest.mark.parametrize("size", [5, 8])
def test_a_warp_computes_several_elements_of_a_recurrent_state(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recurrent_code, "LEAST_WARPS", 1)
    parameters = 4 * size * (4 + size + 2)
    shapes = [(2, 3, 4), (parameters,), (1, 3, size), (1, 3, size)]
    variables = [Node(None, f"x{number}") for number in range(len(shapes))]
    entries = [each.entry() for each in variables]
    settings = {"mode": "lstm", "state_size": size, "num_layers": 1, "state_outputs": True}
    outputs = F.RNN(*entries, **settings)[:2]
    derivatives = gradients(outputs, outputs, entries, train=True)
    graph = Graph([outputs[0], *(entry for entry in derivatives if entry is not None)])
    arrays = [numbers(*shape, dtype=np.float64) for shape in shapes]
    run = Run(train=True, random=RandomSource(1))
    ours = computed(graph, arrays, run)
    expected = interpret(graph, dict(zip(variables, arrays, strict=True)), run)
    assert len(ours) == 1 + len(shapes)
    for one, other in zip(ours, expected, strict=True):
        assert_near(one, other)


def test_more_arrays_than_one_kernel_joins_lie_side_by_side() -> None:
    computes(lambda *x: F.stack(*x, axis=1), *[numbers(3, 4) + i for i in range(17)])
    computes(lambda *x: F.Concat(*x, dim=1), *[numbers(3, i, 2) for i in (1, 0, 3, 2)])
