"""Running a graph with sparse arrays: dense parts compiled, the rest operator by operator on the tape."""

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

from gluonic.codegen import CacheInfo, cut
from gluonic.graph import Entry, Graph, Node
from gluonic.graph.states import with_own_states
from gluonic.graph.storage.partition import Part, parts_of
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.cached_op import CachedGraph
from gluonic.ndarray.invoke import invoke
from gluonic.ndarray.state import STATE
from gluonic.ndarray.storage.dispatch import StoredLeaf
from gluonic.ndarray.tape import entry_of


class _Step(NamedTuple):
    """A part of the graph, and the function that runs it."""

    run: Callable[[Sequence[NDArray]], list[NDArray]]
    inputs: Sequence[Entry]
    outputs: Sequence[Entry]


class GraphInParts:
    """A graph that is called with NDArrays of any storage kinds.

    Parameters
    ----------
    graph : the graph to compute
    inputs : the variables, in the order in which arrays will be given
    parameters : the variables that seldom change
    kind : the class of the outputs
    at_once : whether first calls compile the dense parts, not later ones
    """

    def __init__(
        self,
        graph: Graph,
        inputs: Sequence[Node],
        parameters: Collection[Node] = (),
        kind: type[NDArray] = NDArray,
        *,
        at_once: bool = False,
    ) -> None:
        self.graph, self.inputs, self.kind = with_own_states(graph), tuple(inputs), kind
        self._at_once = at_once
        self._parameters = frozenset(parameters)
        self._steps: dict[Any, list[_Step]] = {}
        self._compiled_parts: list[CachedGraph] = []

    def __call__(self, *arrays: NDArray) -> list[NDArray]:
        """Compute the outputs; each part is recorded on the tape."""
        kinds = tuple(x.stype for x in arrays)
        rows = tuple(STATE.recording and _gets_rows(x) for x in arrays)
        steps = self._steps.get((kinds, rows))
        if steps is None:
            steps = self._steps[kinds, rows] = self._planned(kinds, rows)
        values = {node.entry(): x for node, x in zip(self.inputs, arrays, strict=True)}
        for step in steps:
            found = step.run([values[entry] for entry in step.inputs])
            values.update(zip(step.outputs, found, strict=False))
        return [values[entry] for entry in self.graph.outputs]

    def cache_info(self) -> CacheInfo:
        """Counts of what was compiled for the dense parts, and of its uses."""
        return CacheInfo.total(part.cache_info() for part in self._compiled_parts)

    def _planned(self, kinds: Sequence[str], rows: Sequence[bool]) -> list[_Step]:
        names = [node.name for node in self.inputs]
        sparse = frozenset(name for name, one in zip(names, rows, strict=True) if one)
        parts = parts_of(self.graph, dict(zip(names, kinds, strict=True)), sparse)
        return [step for part in parts for step in self._steps_of(part)]

    def _steps_of(self, part: Part) -> list[_Step]:
        """A dense part as one step, if it has more than one operator; otherwise a step per operator."""
        if part.is_dense and len(part.nodes) > 1:
            return [self._compiled(part)]
        return [_operator(node) for node in part.nodes]

    def _compiled(self, part: Part) -> _Step:
        given, outputs = part.given(), part.read_elsewhere(self.graph)
        at = {entry: Node(None, entry.name) for entry in given if not entry.node.is_variable}
        inputs = [at.get(entry, entry.node) for entry in given]
        parameters = self._parameters.intersection(inputs)
        found = cut(outputs, at)
        call = CachedGraph(found, inputs, parameters, None, self.kind, at_once=self._at_once)
        self._compiled_parts.append(call)
        return _Step(lambda arrays: call(*arrays), given, outputs)


def _operator(node: Node) -> _Step:
    outputs = [node.entry(index) for index in range(node.output_count)]
    return _Step(lambda arrays: invoke(node.applied, arrays), node.inputs, outputs)


def _gets_rows(array: NDArray) -> bool:
    """Whether an array is a variable with a sparse gradient."""
    entry = entry_of(array)
    return entry is not None and isinstance(entry[0], StoredLeaf)
