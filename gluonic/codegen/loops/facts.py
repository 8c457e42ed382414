"""Shapes and dtypes of a whole graph for given inputs, and the pattern that compiled code depends on."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from math import prod
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

from gluonic.codegen.loops.extents import trace_of, varies, written
from gluonic.codegen.loops.loop import Loop, Shape
from gluonic.codegen.machine.values import Dtype
from gluonic.graph.application import Application, Signature
from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.infer import infer, signature
from gluonic.graph.node import Entry, Graph, Node
from gluonic.graph.record import record


@record
class Facts:
    """What inference found.

    Attributes
    ----------
    shapes, dtypes : of all entries
    loops : the operators as loops, as far as they have been asked for
    """

    shapes: dict[Entry, Shape]
    dtypes: dict[Entry, Dtype]
    loops: dict[Node, Loop | None] = field(default_factory=dict, compare=False, repr=False)

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


@record
class _Visit:
    """A node as inference meets it; entries are numbered in the order in which they are found.

    Attributes
    ----------
    node, application : the node and its operator
    inputs : the numbers of the entries that it reads
    """

    node: Node
    application: Application | None
    inputs: tuple[int, ...]


_walks: WeakKeyDictionary[Graph, tuple[list[_Visit], list[Entry]]] = WeakKeyDictionary()


def _walk(graph: Graph) -> tuple[list[_Visit], list[Entry]]:
    """The nodes of a graph in order, and all entries; remembered with the graph."""
    if graph not in _walks:
        first: dict[Node, int] = {}
        visits: list[_Visit] = []
        entries: list[Entry] = []
        for node in graph.nodes:
            inputs = tuple([first[entry.node] + entry.index for entry in node.inputs])
            visits.append(_Visit(node, node.application, inputs))
            first[node] = len(entries)
            entries += [node.entry(index) for index in range(node.output_count)]
        _walks[graph] = visits, entries
    return _walks[graph]


def _found_forwards(graph: Graph, given: Mapping[Node, Any]) -> Facts | None:
    """All facts, each operator's from those of its inputs; None if that does not suffice."""
    visits, entries = _walk(graph)
    find = _outputs if not any(varies(shape) for shape, _ in given.values()) else _open_outputs
    found: list[tuple[Shape, Dtype]] = []
    for visit in visits:
        if visit.application is None:
            if visit.node not in given:
                return None
            found.append(given[visit.node])
            continue
        outputs = find(visit.application, tuple([found[i] for i in visit.inputs]))
        if outputs is None:
            return None
        found += outputs
    shapes, dtypes = zip(*found, strict=True) if found else ((), ())
    return Facts(dict(zip(entries, shapes, strict=True)), dict(zip(entries, dtypes, strict=True)))


_Ends: TypeAlias = Sequence[tuple[Shape, Dtype]]


def _outputs(application: Application, inputs: tuple[tuple[Shape, Dtype], ...]) -> _Ends | None:
    """The outputs of an operator, remembered with it; None if they do not follow from its inputs."""
    found = application.signatures.get(inputs)
    if found is None:
        found = _signature(application, inputs)
        if found is None:
            return None
        application.signatures[inputs] = found
    return _known(found)


def _open_outputs(
    application: Application, inputs: tuple[tuple[Shape, Dtype], ...]
) -> _Ends | None:
    """The same if extents of the inputs may not be known yet."""
    trace = trace_of(shape for shape, _ in inputs)
    if trace is None:
        return _outputs(application, inputs)
    key = application, tuple([(tuple(map(written, shape)), dtype) for shape, dtype in inputs])
    if key not in trace.answers:
        trace.answers[key] = _signature(application, inputs)
    found = trace.answers[key]
    return None if found is None else _known(found)


def _signature(application: Application, inputs: _Ends) -> Signature | None:
    """What inference says of one operator; None if inference of the whole graph says it better."""
    shapes, dtypes = [shape for shape, _ in inputs], [dtype for _, dtype in inputs]
    try:
        return signature(application, shapes, dtypes)
    except MXNetError:
        return None


def _known(found: Signature) -> _Ends | None:
    """Shapes and dtypes, if there are no open questions."""
    known = [shape for shape in found.shapes if shape is not None]
    return list(zip(known, found.dtypes, strict=True)) if len(known) == len(found.shapes) else None


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
