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
from gluonic.graph.dtypes import BFLOAT16_CODE, CODES, INTERPRETED, is_bfloat16
from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.infer import infer, signature
from gluonic.graph.open_shapes import infer_open_shapes
from gluonic.support.record import record

Decided = TypeVar("Decided")
_End: TypeAlias = tuple[Shape, Dtype]
_Ends: TypeAlias = Sequence[_End]


@record
class Facts:
    """The result of inference.

    Attributes
    ----------
    shapes, dtypes : of all entries
    sizes_vary : whether so many sizes have been seen that code should be for any size, not the best for each
    kinds : the results of `kind_of`
    known : cached results for a node, or for all nodes of a kind
    """

    shapes: dict[Entry, Shape]
    dtypes: dict[Entry, Dtype]
    sizes_vary: bool = field(default=False, compare=False)
    kinds: dict[Node, int] = field(default_factory=dict, compare=False, repr=False)
    known: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    def kind_of(self, node: Node) -> int:
        """The number of the node's class: nodes that apply one operator to identical shapes and dtypes.

        Shapes are compared by identity: comparing symbolic extents would record guards.
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
        """The same facts, for decisions that do not depend on shapes (:mod:`gluonic.codegen.shapes.guards`)."""
        return self

    def decide(self, question: "Callable[[Facts], Decided]") -> Decided:
        """The answer to a question; where guards are recorded, only the answer becomes one."""
        return question(self)

    def require(self, question: "Callable[[Facts], bool]") -> None:
        """Where guards are recorded, record one whose answer is known to be yes."""

    @property
    def interpreted(self) -> set[Dtype]:
        """The dtypes without machine code: `INTERPRETED`, and bfloat16, for which GPUs have some."""
        if not INTERPRETED and BFLOAT16_CODE not in CODES:
            return set()
        dtypes = set(self.dtypes.values())
        return {dtype for dtype in dtypes if dtype in INTERPRETED or is_bfloat16(dtype)}

    def bytes_of(self, entry: Entry) -> int:
        """The size of a result in bytes."""
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
    arrays : arrays, or abstract arrays, with the shape and dtype of each of them

    Raises
    ------
    InferenceError
        where the arrays do not fit the graph, or each other
    NotCompiledError
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
    """A node in the order of inference; entries are numbered in the order in which they are produced.

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
    latest : the latest result, with the input shapes and dtypes that it was computed from
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
    """All facts, inferred forwards from the inputs of each operator; None if that does not suffice."""
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
    """All facts, with `find` applied to one operator after the other."""
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
    """The outputs of an operator, cached with it; None if its inputs do not determine them."""
    found = application.signatures.get(inputs)
    if found is None:
        found = _signature(application, inputs)
        if found is None:
            return None
        application.signatures.remember(inputs, found)
    return _known(found)


def _open_outputs(application: Application, inputs: tuple[_End, ...]) -> _Ends | None:
    """The same for inputs that may have symbolic extents."""
    env = env_of(shape for shape, _ in inputs)
    if env is None:
        return _outputs(application, inputs)
    key = application, tuple([(tuple(map(written, shape)), dtype) for shape, dtype in inputs])
    if key not in env.answers:
        env.answers[key] = _signature(application, inputs)
    found = env.answers[key]
    return None if found is None else _known(found)


def _signature(application: Application, inputs: _Ends) -> Signature | None:
    """The signature of one operator; None if it fails, since inference of the whole graph has better errors."""
    shapes, dtypes = [shape for shape, _ in inputs], [dtype for _, dtype in inputs]
    try:
        return signature(application, shapes, dtypes)
    except MXNetError:
        return None


def _known(found: Signature) -> _Ends | None:
    """The shapes and dtypes, if all are known."""
    known = [shape for shape in found.shapes if shape is not None]
    return list(zip(known, found.dtypes, strict=True)) if len(known) == len(found.shapes) else None


def _found_both_ways(graph: Graph, given: Mapping[Node, Any]) -> Facts:
    """All facts, from inference in both directions: it also infers inputs from outputs."""
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
