"""Shapes and dtypes of a whole graph for given inputs, and the pattern that compiled code depends on."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from math import prod
from typing import Any, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

from gluonic.codegen.maths.values import Dtype
from gluonic.codegen.shapes.symbolic import env_of, varies, written
from gluonic.graph import Application, Entry, Graph, Node, Signature
from gluonic.graph.attributes import Shape
from gluonic.graph.dtypes import BFLOAT16_CODE, CODES, is_bfloat16
from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.infer import infer, signature
from gluonic.graph.open_shapes import infer_open_shapes
from gluonic.support.record import record

Decided = TypeVar("Decided")
_End: TypeAlias = tuple[Shape, Dtype]
_Ends: TypeAlias = Sequence[_End]


@record
class Facts:
    """What inference found.

    Attributes
    ----------
    shapes, dtypes : of all entries
    sizes_vary : whether so many sizes have come that code is to be for any, rather than the best for each
    kinds : what `kind_of` has found
    known : what was found for a node, or for all nodes of a kind
    """

    shapes: dict[Entry, Shape]
    dtypes: dict[Entry, Dtype]
    sizes_vary: bool = field(default=False, compare=False)
    kinds: dict[Node, int] = field(default_factory=dict, compare=False, repr=False)
    known: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    def kind_of(self, node: Node) -> int:
        """The number of a class of nodes: those that apply one operator to the very same shapes and dtypes.

        Shapes are told apart by identity: they may hold extents that are not known, of which nothing is asked.
        """
        if node not in self.kinds:
            entries = [*node.inputs, *[node.entry(i) for i in range(node.output_count)]]
            shapes, dtypes = (
                map(self.shapes.__getitem__, entries),
                map(self.dtypes.__getitem__, entries),
            )
            alike = node.application, *map(id, shapes), *dtypes
            self.kinds[node] = self.known.setdefault(alike, len(self.kinds))
        return self.kinds[node]

    @property
    def unguarded(self) -> "Facts":
        """The same facts, for who decides nothing by shapes (see :mod:`gluonic.codegen.shapes.guards`)."""
        return self

    def decide(self, question: "Callable[[Facts], Decided]") -> Decided:
        """The answer to a question; where what is asked is noted, only the answer is."""
        return question(self)

    def require(self, question: "Callable[[Facts], bool]") -> None:
        """Where what is asked is noted, note a question of which the answer is known to be yes."""

    def bytes_of(self, entry: Entry) -> int:
        """The bytes that a result needs."""
        return prod(self.shapes[entry]) * self.dtypes[entry].itemsize


class NotCompiledError(MXNetError):
    """Only the interpreter can run the graph."""


class DynamicShapeError(NotCompiledError):
    """A shape in the graph depends on the data."""


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
    NotCompiledError
        where a shape depends on the data, or a dtype is bfloat16
    """
    given = {
        node: (array.shape, array.dtype)
        for node, array in zip(inputs, arrays, strict=True)
        if node in graph.consumers
    }
    facts = _found_forwards(graph, given) or _found_both_ways(graph, given)
    if BFLOAT16_CODE in CODES and any(map(is_bfloat16, set(facts.dtypes.values()))):
        raise NotCompiledError("there is no machine code for bfloat16")
    return facts


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


class _Walk:
    """The nodes of a graph in order, and all entries.

    Attributes
    ----------
    latest : what was found last, and the shapes and dtypes of inputs it follows from
    """

    def __init__(self, graph: Graph) -> None:
        self.visits: list[_Visit] = []
        self.entries: list[Entry] = []
        self.latest: tuple[Mapping[Node, _End], Facts] | None = None
        first: dict[Node, int] = {}
        for node in graph.nodes:
            inputs = tuple([first[entry.node] + entry.index for entry in node.inputs])
            self.visits.append(_Visit(node, node.application, inputs))
            first[node] = len(self.entries)
            self.entries += [node.entry(index) for index in range(node.output_count)]


_walks: WeakKeyDictionary[Graph, _Walk] = WeakKeyDictionary()


def _found_forwards(graph: Graph, given: Mapping[Node, _End]) -> Facts | None:
    """All facts, each operator's from those of its inputs; None if that does not suffice."""
    walk = _walks.get(graph)
    if walk is None:
        walk = _walks[graph] = _Walk(graph)
    if any(varies(shape) for shape, _ in given.values()):
        return _followed(walk, given, _open_outputs)
    if walk.latest is not None and walk.latest[0] == given:
        return walk.latest[1]
    facts = _followed(walk, given, _outputs)
    if facts is not None:
        walk.latest = given, facts
    return facts


def _followed(
    walk: _Walk,
    given: Mapping[Node, _End],
    find: Callable[[Application, tuple[_End, ...]], _Ends | None],
) -> Facts | None:
    """The facts that `find` finds from operator to operator."""
    found: list[_End] = []
    for visit in walk.visits:
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
    return Facts(
        dict(zip(walk.entries, shapes, strict=True)), dict(zip(walk.entries, dtypes, strict=True))
    )


def _outputs(application: Application, inputs: tuple[_End, ...]) -> _Ends | None:
    """The outputs of an operator, remembered with it; None if they do not follow from its inputs."""
    found = application.signatures.get(inputs)
    if found is None:
        found = _signature(application, inputs)
        if found is None:
            return None
        application.remember(inputs, found)
    return _known(found)


def _open_outputs(application: Application, inputs: tuple[_End, ...]) -> _Ends | None:
    """The same if extents of the inputs may not be known yet."""
    env = env_of(shape for shape, _ in inputs)
    if env is None:
        return _outputs(application, inputs)
    key = application, tuple([(tuple(map(written, shape)), dtype) for shape, dtype in inputs])
    if key not in env.answers:
        env.answers[key] = _signature(application, inputs)
    found = env.answers[key]
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
    shapes = infer_open_shapes(graph, {node: shape for node, (shape, _) in given.items()})
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
