"""Shapes and dtypes of a whole graph for given inputs, and the pattern that compiled code depends on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from gluonic.codegen.loop import Shape
from gluonic.codegen.values import Dtype
from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.infer import infer, signature
from gluonic.graph.node import Entry, Graph, Node
from gluonic.graph.operator import Signature


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
        return prod(self.shapes[entry]) * self.dtypes[entry].itemsize


class DynamicShapeError(MXNetError):
    """A shape in the graph depends on the data, so only the interpreter can run it."""


def find_facts(graph: Graph, inputs: Sequence[Node], arrays: Sequence[Any]) -> Facts:
    """Infer all shapes and dtypes of a graph.

    Parameters
    ----------
    graph : the graph
    inputs : its variables
    arrays : what has the shape and dtype of each of them

    Raises
    ------
    InferenceError
        where the arrays do not fit the graph, or each other
    DynamicShapeError
        where a shape depends on the data
    """
    given = {
        node: (array.shape, array.dtype)
        for node, array in zip(inputs, arrays, strict=True)
        if node in graph.consumers
    }
    return _found_forwards(graph, given) or _found_both_ways(graph, given)


def _found_forwards(graph: Graph, given: Mapping[Node, Any]) -> Facts | None:
    """All facts, each operator's from those of its inputs; None if that does not suffice."""
    facts = Facts({}, {})
    for node in graph.nodes:
        if node.application is None:
            if node not in given:
                return None
            facts.shapes[node.entry()], facts.dtypes[node.entry()] = given[node]
            continue
        found = _signature(node, facts)
        if found is None:
            return None
        for index, (shape, dtype) in enumerate(zip(found.shapes, found.dtypes, strict=True)):
            if shape is None:
                return None
            facts.shapes[node.entry(index)], facts.dtypes[node.entry(index)] = shape, dtype
    return facts


def _signature(node: Node, facts: Facts) -> Signature | None:
    """The outputs of an operator, remembered with it; None if they do not follow from its inputs."""
    application = node.application
    assert application is not None
    shapes = [facts.shapes[entry] for entry in node.inputs]
    dtypes = [facts.dtypes[entry] for entry in node.inputs]
    key = tuple(zip(shapes, dtypes, strict=True))
    found = application.signatures.get(key)
    if found is None:
        try:
            found = signature(application, shapes, dtypes)
        except MXNetError:  # inference of the whole graph says it better, or knows more
            return None
        application.signatures[key] = found
    return found


def _found_both_ways(graph: Graph, given: Mapping[Node, Any]) -> Facts:
    """All facts, from inference that also learns about inputs from outputs."""
    shapes = infer(graph, "shape", {node: shape for node, (shape, _) in given.items()})
    dtypes = infer(graph, "dtype", {node: dtype for node, (_, dtype) in given.items()})
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
