"""Dense layers of slices of one array become one, as in unrolled cells: where slices are rows alone."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from gluonic.codegen.compiled import CompiledGraph
from gluonic.graph.builder import F
from gluonic.graph.interpret import interpret
from gluonic.graph.node import Graph, Node
from tests.codegen.agreement import assert_alike, new_run

VARIABLES = [Node(None, name) for name in ("data", "weight", "bias")]


def layers_of_slices(count: int, axis: int, flatten: bool) -> Graph:
    """A dense layer of each slice of the data along an axis."""
    data, weight, bias = (variable.entry() for variable in VARIABLES)
    parts = F.SliceChannel(data, num_outputs=count, axis=axis, squeeze_axis=True)
    return Graph(
        F.FullyConnected(part, weight, bias, num_hidden=3, flatten=flatten) for part in parts
    )


def arrays_for(shape: Sequence[int], axis: int, flatten: bool) -> list[Any]:
    rest = [length for index, length in enumerate(shape) if index != axis]
    features = int(np.prod(rest[1:])) if flatten else rest[-1]
    draw = np.random.default_rng(0)
    sizes = (tuple(shape), (3, features), (3,))
    return [draw.normal(size=size).astype(np.float32) for size in sizes]


def check(compiled: CompiledGraph, graph: Graph, arrays: list[Any]) -> None:
    inputs = dict(zip(VARIABLES, arrays, strict=True))
    assert_alike(compiled(arrays, new_run()), interpret(graph, inputs, new_run()))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize(
    ("shape", "flatten"),
    [
        ((4, 3, 5), True),
        ((4, 3, 5), False),
        ((4, 3), True),
        ((4, 3, 2, 5), True),
        ((4, 3, 2, 5), False),
    ],
)
def test_layers_of_slices_are_the_same_compiled(
    shape: tuple[int, ...], flatten: bool, axis: int
) -> None:
    graph = layers_of_slices(shape[axis], axis, flatten)
    check(CompiledGraph(graph, VARIABLES), graph, arrays_for(shape, axis, flatten))


def test_code_for_rows_is_not_used_for_scalars() -> None:
    graph = layers_of_slices(3, 1, flatten=True)
    compiled = CompiledGraph(graph, VARIABLES)
    for shape in ((4, 3, 1), (4, 3), (4, 3, 1, 1)):
        check(compiled, graph, arrays_for(shape, 1, flatten=True))
