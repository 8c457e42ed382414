"""Shapes and dtypes of a whole graph for given inputs, and the pattern that compiled code depends on."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gluonic.codegen.loop import Shape
from gluonic.codegen.values import Dtype
from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.infer import infer
from gluonic.graph.node import Entry, Graph, Node
from gluonic.graph.operator import Array


@dataclass(frozen=True)
class Facts:
    """What inference found.

    Attributes
    ----------
    shapes, dtypes : of all entries
    """

    shapes: dict[Entry, Shape]
    dtypes: dict[Entry, Dtype]

    def bytes_of(self, entry: Entry) -> int:
        """The bytes that a result needs."""
        return int(np.prod(self.shapes[entry], dtype=np.int64)) * self.dtypes[entry].itemsize


class DynamicShapeError(MXNetError):
    """A shape in the graph depends on the data, so only the interpreter can run it."""


def find_facts(graph: Graph, inputs: Sequence[Node], arrays: Sequence[Array]) -> Facts:
    """Infer all shapes and dtypes of a graph.

    Raises
    ------
    InferenceError
        where the arrays do not fit the graph, or each other
    DynamicShapeError
        where a shape depends on the data
    """
    given = {
        node: array for node, array in zip(inputs, arrays, strict=True) if node in graph.consumers
    }
    shapes = infer(graph, "shape", {node: array.shape for node, array in given.items()})
    dtypes = infer(graph, "dtype", {node: array.dtype for node, array in given.items()})
    facts = Facts({}, {})
    for node in graph.nodes:
        for index in range(node.output_count):
            shape, dtype, entry = shapes[node][index], dtypes[node][index], node.entry(index)
            if shape is None or None in shape or dtype is None:
                _refuse(node)
            facts.shapes[entry], facts.dtypes[entry] = shape, dtype
    return facts


def _refuse(node: Node) -> None:
    raise DynamicShapeError(
        describe("the shape of its output depends on the data", where=node.title)
    )
