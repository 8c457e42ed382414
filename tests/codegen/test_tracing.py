"""Kernels that are called with traced arrays become graphs that compute what NumPy does."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gluonic.codegen.shapes.abstract_arrays import AbstractArray
from gluonic.codegen.shapes.facts import find_facts
from gluonic.codegen.tracing.kernels import traced
from gluonic.graph import Array, Graph, Node, Operator, Run
from gluonic.graph.kernel_runs import run_node
from gluonic.graph.random_source import RandomSource

Kernel = Callable[[Any], Any]


def _changed_through_views(data: Any) -> Any:
    result = data.copy()
    rows = result.reshape(-1)
    rows[1:3] = 7
    result.T[0] *= 2
    view = result[:, ::-1]
    result[1] = -1
    return view + rows.reshape(data.shape)


def _filled_part(data: Any) -> Any:
    result = np.zeros_like(data, shape=(5, 6))
    result[1:4, 2:6] = data
    result[::2, 1] = 3
    result[-1] = data[0, 0]
    return result


def _by_mask(data: Any) -> Any:
    result = np.where(data > 0, data, data * 0.5)
    result[data < -1] = 9
    return result


def _gathered(data: Any) -> Any:
    places = np.argmax(data, axis=1)
    return data[np.arange(3), places] + data[[2, 0, 1], [1, -1, 0]] * data[:, -1]


def _in_place(data: Any) -> Any:
    result = data - data.min(axis=0)
    result /= result.sum(axis=1, keepdims=True) + 1
    np.clip(result, 0.1, 0.6, out=result)
    return result


def _moved(data: Any) -> Any:
    wide = np.concatenate([data, np.flip(data, 0)], axis=1)
    return np.moveaxis(np.stack([wide, np.roll(wide, 1, axis=1)]), 0, -1)[..., None]


def _repeated(data: Any) -> Any:
    return np.tile(np.repeat(data, 2, axis=0), (1, 2)) @ np.ones_like(data, shape=(8, 2))


def _padded(data: Any) -> Any:
    return np.pad(data, ((1, 2), (0, 1)), "reflect") + np.pad(data, ((1, 2), (0, 1)))


_KERNELS = [
    _changed_through_views, _filled_part, _by_mask, _gathered, _in_place, _moved, _repeated, _padded,
]  # fmt: skip


def _graph(kernel: Kernel, array: Array, shape: Any) -> Graph | None:
    """The graph of a kernel; None if it cannot be followed."""

    def declared(data: Array) -> Any:
        return kernel(data)

    def shapes(n: Any) -> None:
        n.output = shape

    def dtypes(n: Any) -> None:
        n.output = n.data

    op = Operator("_trial", declared, shape=shapes, dtype=dtypes)
    variable = Node(None, "data")
    node = Node(op.apply({}), "trial", [variable.entry()])
    arrays = [AbstractArray(array.shape, array.dtype)]
    facts = find_facts(Graph([node.entry()]), [variable], arrays)
    found = traced(node, [variable.entry()], facts, False, lambda node, facts: True, may_draw=True)
    return None if found is None else Graph(found)


def _run(graph: Graph, array: Array) -> Array:
    """The result of a graph, computed operator by operator."""
    run, values = Run(train=False, random=RandomSource(1)), dict[Any, Array]()
    for node in graph.nodes:
        if node.application is None:
            values[node.entry()] = array
            continue
        read = [values[entry] for entry in node.inputs]
        for k, result in enumerate(run_node(node.application, read, run)):
            values[node.entry(k)] = result
    (output,) = graph.outputs
    return values[output]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", _KERNELS)
def test_a_traced_kernel_computes_what_it_computes_on_arrays(kernel: Kernel, dtype: Any) -> None:
    array = np.random.default_rng(3).standard_normal((3, 4)).astype(dtype)
    expected = kernel(array)
    graph = _graph(kernel, array, expected.shape)
    assert graph is not None
    found = _run(graph, array)
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize(
    "kernel",
    [
        lambda data: data if data[0, 0] > 0 else -data,
        lambda data: data * float(data.max()),
        lambda data: np.sort(data),
        lambda data: data[data > 0].sum() * data,
    ],
)
def test_a_kernel_that_reads_numbers_on_the_host_is_not_followed(kernel: Kernel) -> None:
    array = np.ones((3, 4), np.float32)
    assert _graph(kernel, array, array.shape) is None


def test_a_kernel_that_changes_its_input_is_not_followed() -> None:
    def kernel(data: Any) -> Any:
        data[0] = 1
        return data

    array = np.ones((3, 4), np.float32)
    assert _graph(kernel, array, array.shape) is None
