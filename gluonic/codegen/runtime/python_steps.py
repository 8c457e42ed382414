"""Calls of graphs in which Python runs some operators: the arrays shared with machine code.

For each binding, the operands of an operator are resolved once to positions in a list of arrays: the inputs of
a call, its outputs, results in the frame's memory, and results that only Python reads.
"""

from collections.abc import Mapping, Sequence
from time import perf_counter_ns
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from gluonic.codegen.runtime.binding import Binding
from gluonic.graph import Application, Array, Entry, Graph, Node, Run, Signature
from gluonic.graph.attributes import Shape
from gluonic.graph.conforming import own
from gluonic.graph.errors import MXNetError
from gluonic.graph.events import EVENTS
from gluonic.graph.failures import note_failure
from gluonic.graph.kernel_runs import run_in_graph, signature_of
from gluonic.graph.versions import mark_all_modified
from gluonic.support.record import record

if TYPE_CHECKING:
    from gluonic.codegen.loops.fusion import Group

Arrays: TypeAlias = list[Array | None]


@record
class ArraySource:
    """The position of an array.

    Attributes
    ----------
    position : among the arrays of a call
    shape : the shape to which it is reshaped; None for its own
    """

    position: int
    shape: Shape | None = None

    def array(self, arrays: Arrays) -> Array:
        """The array."""
        found = arrays[self.position]
        assert found is not None
        return found if self.shape is None else found.reshape(self.shape)


@record
class Blank:
    """A stand-in for an array of which only shape and dtype are read."""

    zeros: Array

    def array(self, arrays: Arrays) -> Array:
        """The array."""
        return self.zeros


@record
class Result:
    """The destination of a result.

    Attributes
    ----------
    destination : its position
    has_memory : whether it is copied into existing memory
    is_output : whether it is an output of the call
    """

    destination: ArraySource
    has_memory: bool
    is_output: bool

    def put(self, result: Array, arrays: Arrays, read: Sequence[Array]) -> None:
        """Store a result that was computed from the arrays `read`."""
        if self.has_memory and result.dtype != object:
            np.copyto(self.destination.array(arrays), result)
        else:
            arrays[self.destination.position] = own(result, read) if self.is_output else result


class PythonStep:
    """An operator that Python runs.

    Parameters
    ----------
    group : the operator
    reads : the sources of its inputs
    results : the destinations of its results
    """

    def __init__(
        self,
        group: "Group",
        reads: Sequence[ArraySource | Blank],
        results: Sequence[Result],
        binding: Binding,
    ) -> None:
        self.application: Application = group.nodes[0].applied
        self._group, self._reads, self._results, self._binding = group, reads, results, binding
        self._expected: Signature | None = None

    def run(self, arrays: Arrays, run: Run) -> None:
        """Run the operator's NumPy kernel and store its results."""
        begin = perf_counter_ns() if EVENTS.symbolic else 0
        read = [source.array(arrays) for source in self._reads]
        if self._expected is None:
            self._expected = signature_of(self.application, read)
        node = self._group.nodes[0]
        try:
            found = run_in_graph(node, read, run, self._expected)
        except MXNetError as error:
            note_failure(error, node, self._known_shapes(node))
            raise
        if self.application.states:
            mark_all_modified(self.application.states_among(read))
        for result, array in zip(self._results, found, strict=True):
            result.put(array, arrays, read)
        if EVENTS.symbolic:
            self._binding.timed.note(self._group, begin, perf_counter_ns())

    def _known_shapes(self, node: Node) -> dict[Node, list[Shape | None]]:
        """The shapes of a node's ancestors, and its own."""
        shapes = self._binding.facts.shapes
        return {
            n: [shapes.get(n.entry(i)) for i in range(n.output_count)]
            for n in Graph([node.entry()]).nodes
        }


class MixedSteps:
    """The steps of a binding, some of which Python runs.

    Parameters
    ----------
    binding : the binding
    views : the results in the frame's memory

    Attributes
    ----------
    steps : the indices of native functions, and the steps that Python runs, in execution order
    """

    def __init__(self, binding: Binding, views: Mapping[Entry, Array]) -> None:
        self._binding, self._spec = binding, binding.specialization
        given = [*self._spec.input_entries, *self._spec.computed]
        self._positions: dict[Entry, int] = {e: i for i, e in enumerate([*given, *views])}
        self.steps = [
            segment.number if segment.native else self._python_step(segment.groups[0])
            for segment in self._spec.segments
        ]
        others = len(self._positions) - len(given) - len(views)
        self._behind: Arrays = [*views.values(), *[None] * others]

    def arrays(self, inputs: Sequence[Array], outputs: Sequence[Array | None]) -> Arrays:
        """The arrays of a call; the given ones come first."""
        return [*inputs, *outputs, *self._behind]

    def _python_step(self, group: "Group") -> PythonStep:
        node = group.nodes[0]
        find = self._blank if node.applied.op.reads_shapes else self._source
        reads = [find(entry) for entry in node.inputs]
        results = [self._result(node.entry(i)) for i in range(node.output_count)]
        return PythonStep(group, reads, results, self._binding)

    def _blank(self, entry: Entry) -> Blank:
        """A stand-in with the shape and the dtype of an entry."""
        facts = self._binding.facts
        return Blank(np.broadcast_to(np.zeros((), facts.dtypes[entry]), facts.shapes[entry]))

    def _source(self, entry: Entry) -> ArraySource:
        """The source of any entry, perhaps another entry's array reshaped."""
        known = self._own_source(entry)
        if known is None:
            root = self._own_source(self._spec.root[entry])
            assert root is not None
            known = ArraySource(root.position, self._binding.facts.shapes[entry])
        return known

    def _own_source(self, entry: Entry) -> ArraySource | None:
        """The source of an entry that has its own array; None if it has none."""
        spec = self._spec
        if entry in spec.target:
            return ArraySource(self._positions[spec.target[entry]])
        if entry in spec.host:
            position = self._positions[spec.host[entry]]
            return ArraySource(position, self._binding.facts.shapes[entry])
        found = self._positions.get(entry)
        return None if found is None else ArraySource(found)

    def _result(self, entry: Entry) -> Result:
        destination, spec = self._own_source(entry), self._spec
        if destination is None:
            self._positions[entry] = position = len(self._positions)
            return Result(ArraySource(position), has_memory=False, is_output=False)
        return Result(destination, entry not in spec.from_python, entry in spec.computed)
