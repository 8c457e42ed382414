"""What goes with one set of shapes: numbers for the machine code, memory for results, and the way of a call.

A *binding* (extents, strides, offsets) serves one set of shapes; a new batch size needs only that. A *frame*
(arena and address table) serves one call at a time; concurrent calls have frames of their own.
"""

import ctypes
from collections.abc import Sequence
from functools import cached_property
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np

from gluonic.codegen.division import divide, workspace_bytes
from gluonic.codegen.foreign import NativeFunction, checked
from gluonic.codegen.loops.facts import Facts
from gluonic.codegen.loops.fusion import Group
from gluonic.codegen.machine.addresses import address_of
from gluonic.codegen.machine.memory import ALIGNMENT, MemoryPlan, plan_memory
from gluonic.codegen.step_times import TimedRuns
from gluonic.graph.events import EVENTS
from gluonic.graph.interpret import run_node
from gluonic.graph.node import Entry
from gluonic.graph.operator import Array, Run
from gluonic.graph.writes import WRITES, is_shared, note_write

if TYPE_CHECKING:
    from gluonic.codegen.compiled import Specialization


def _nothing() -> None:
    """What a reference to no array returns."""


class Binding:
    """A specialization for one set of shapes.

    Parameters
    ----------
    specialization : the machine code
    facts : the shapes and dtypes

    Attributes
    ----------
    divisions : how threads share the phases of each native step
    table : the run-time numbers of all native steps
    memory : where intermediate results lie in the arena
    results : slot, shape and dtype of each output that is computed
    positions : where these stand among all outputs
    parameters : the positions of the inputs that settled groups read; none where there are no such groups
    writes_inputs : whether a call changes some of its inputs
    is_plain : whether a call is one native call whose results are the outputs, each once
    can_repeat : whether `Frame.repeat` can make it
    frames, idle : all that serve calls, and those that serve none now
    """

    def __init__(self, specialization: "Specialization", facts: Facts) -> None:
        self.specialization, self.facts = specialization, facts
        steps = specialization.code.steps
        self.divisions = {step: divide(step, facts) for step in steps}
        self.table = specialization.code.table(facts, self.divisions)
        self.table_address = self.table.ctypes.data
        self.memory = self._plan_memory()
        self.inputs = [node.entry() for node in specialization.inputs]
        self.signature = [self._given(entry) for entry in self.inputs]
        outputs = list(dict.fromkeys(specialization.outputs))
        given = {node.entry() for node in specialization.inputs} | set(specialization.target)
        self.computed = [e for e in outputs if e not in given]
        self.positions = [specialization.outputs.index(e) for e in self.computed]
        self.results = [
            (specialization.slot(e), facts.shapes[e], facts.dtypes[e]) for e in self.computed
        ]
        self.functions = checked(specialization.code.functions, steps, facts)
        self.parameters = self._parameters()
        self.writes_inputs = bool(specialization.target) or any(s.is_foreign for s in steps)
        self.idle: list[Frame] = []
        self.frames: list[Frame] = []
        self.is_plain = self._is_plain()
        self.can_repeat = self.is_plain and len(self.results) == 1 and not self.writes_inputs

    @cached_property
    def timed(self) -> TimedRuns:
        """The native functions as the profiler has them called."""
        return TimedRuns(self)

    @property
    def name(self) -> str:
        """What users are told: the name of the graph's first output."""
        outputs = self.specialization.outputs
        return outputs[0].node.name if outputs else "nothing"

    def _given(self, entry: Entry) -> tuple[Any, Any]:
        """Shape and dtype of an input; None for one that nothing reads."""
        return self.facts.shapes.get(entry), self.facts.dtypes.get(entry)

    def _parameters(self) -> frozenset[int]:
        """The positions of the inputs that settled groups read."""
        spec = self.specialization
        reads = {spec.root.get(entry, entry) for group in spec.settled for entry in group.inputs}
        return frozenset(i for i, entry in enumerate(self.inputs) if entry in reads)

    def _is_plain(self) -> bool:
        """Whether a call is one native call whose results are the outputs, each once."""
        spec = self.specialization
        return (
            len(spec.segments) == 1
            and spec.segments[0].native
            and list(spec.outputs) == self.computed
        )

    def _plan_memory(self) -> MemoryPlan:
        spec = self.specialization
        kept = {node.entry() for node in spec.inputs} | set(spec.graph.outputs)
        kept |= {*spec.host, *spec.target}
        steps: list[tuple[Sequence[Any], Sequence[Any]]] = []
        sizes: dict[Any, int] = {}
        lasting: dict[Any, None] = {}
        for group in spec.groups:
            writes: list[Any] = list(spec.written_by(group))
            if group.step is not None and group.step.keeps:
                lasting.update(dict.fromkeys(writes))
            for entry in writes:
                if entry not in kept and not self.facts.dtypes[entry].hasobject:
                    sizes[entry] = self.facts.bytes_of(entry)
            if group.step is not None and group.step.uses_workspace:
                writes.append(group.step)
                division = self.divisions[group.step]
                sizes[group.step] = workspace_bytes(group.step, self.facts, division)
            if group in spec.settled:
                lasting.update(dict.fromkeys(writes))
            steps.append((group.inputs, [e for e in writes if e not in lasting]))
        steps = [((), [*lasting]), *steps, ([*lasting], ())]
        return plan_memory(steps, sizes, spec.root)

    def frame(self) -> "Frame":
        """A frame nobody uses now, or a new one."""
        try:
            return self.idle.pop()
        except IndexError:
            self.frames.append(Frame(self))
            return self.frames[-1]

    @property
    def hits(self) -> int:
        """How many calls found it made."""
        return sum(frame.hits for frame in self.frames)


class Frame:
    """What one call at a time works with.

    Attributes
    ----------
    slots : the address table
    arena : the memory of intermediate results
    views : these results as NumPy arrays, for operators that Python runs
    hits : how many calls found their binding made
    verified_at : the number of the latest write when all inputs were last looked at; see `repeat`
    """

    def __init__(self, binding: Binding) -> None:
        self.binding, spec = binding, binding.specialization
        self.hits, self.verified_at = 0, -1
        size = binding.memory.size + ALIGNMENT
        self.arena = np.zeros(size, np.uint8)  # what steps keep from call to call is zero at first
        start = -self.arena.ctypes.data % ALIGNMENT
        self.slots = (ctypes.c_size_t * max(len(spec.slots), 1))()
        self._address = ctypes.addressof(self.slots)
        self._table_address = binding.table_address
        self._signature, self._results = binding.signature, binding.results
        self._positions = [spec.slots[entry] for entry in binding.inputs]
        self._seen: list[Any] = [_nothing] * len(self._positions)
        self._settled_at = self._shares = -1
        self._copies: dict[int, Array] = {}
        self.views: dict[Entry, Array] = {}
        for entry, place in binding.memory.places.items():
            self.slots[spec.slots[entry]] = self.arena.ctypes.data + start + place.offset
            if not isinstance(entry, Entry):
                continue
            begin = start + place.offset
            view = self.arena[begin : begin + binding.facts.bytes_of(entry)]
            dtype, shape = binding.facts.dtypes[entry], binding.facts.shapes[entry]
            self.views[entry] = view.view(dtype).reshape(shape)
        self._functions = binding.functions
        self._function = self._plain_function()

    def _plain_function(self) -> NativeFunction | None:
        """The one native function of a plain call."""
        segments = self.binding.specialization.segments
        return self._functions[segments[0].number] if self.binding.is_plain else None

    def take(self, arrays: Sequence[Array]) -> bool:
        """Note where the inputs are; whether they have the shapes and dtypes that the frame serves."""
        for seen, array in zip(self._seen, arrays):  # noqa: B905 (as many; being strict takes time)
            if seen() is not array:
                return self._place_all(arrays)
        return True

    def _place_all(self, arrays: Sequence[Array]) -> bool:
        seen, self.verified_at = self._seen, -1
        for position, array in enumerate(arrays):
            if seen[position]() is not array and not self._place(position, array):
                return False
        return True

    def _place(self, position: int, array: Array) -> bool:
        shape, dtype = self._signature[position]
        if shape is None:
            return True
        if array.shape != shape or array.dtype != dtype:
            return False
        if position in self.binding.parameters:
            self._settled_at = -1
        if not dtype.hasobject:
            if array.flags.c_contiguous:
                self._seen[position] = ref(array)
            else:
                self._seen[position] = _nothing
                array = self._copies[position] = np.ascontiguousarray(array)
            self.slots[self._positions[position]] = address_of(array)
        return True

    def run(
        self, arrays: Sequence[Array], run: Run, into: Sequence[Array | None] | None = None
    ) -> list[Array]:
        """Run the graph on the arrays that were taken.

        Parameters
        ----------
        into : for each output contiguous memory that may hold it, or None; what does not fit is not used
        """
        self.hits += 1
        binding, slots, outputs = self.binding, self.slots, []
        for number, (slot, shape, dtype) in enumerate(self._results):
            output = None if into is None else into[binding.positions[number]]
            if output is None or output.shape != shape or output.dtype != dtype:
                output = np.empty(shape, dtype)
            slots[slot] = address_of(output)
            outputs.append(output)
        if binding.parameters and (
            WRITES.latest != self._settled_at or WRITES.shares != self._shares
        ):
            self._settle(arrays)
        if self._function is not None:
            self._function(self._address, binding.table_address)
        else:
            outputs = self._run_segments(arrays, outputs, run)
        if binding.writes_inputs or into is not None:
            note_write()
        return outputs

    def is_settled(self, latest: int) -> bool:
        """Whether what follows from parameters alone is computed, and stays so until another write."""
        settled_at = self._settled_at, self._shares
        return not self.binding.parameters or settled_at == (latest, WRITES.shares)

    def repeat(self, positions: Sequence[int], arrays: Sequence[Array]) -> Array | None:
        """Run a plain graph of one output; None if the arrays do not fit.

        Parameters
        ----------
        positions, arrays : of the inputs that may be others than at the last call
        """
        seen = self._seen
        for position, array in zip(positions, arrays):  # noqa: B905 (as in `take`)
            if seen[position]() is not array and not self._place(position, array):
                return None
        self.hits += 1
        slot, shape, dtype = self._results[0]
        output = np.empty(shape, dtype)
        self.slots[slot] = address_of(output)
        self._function(self._address, self._table_address)  # type: ignore[misc]
        return output

    def _settle(self, arrays: Sequence[Array]) -> None:
        """Compute what follows from parameters alone, unless they are as they were."""
        latest, shares = WRITES.latest, WRITES.shares
        binding = self.binding
        shared = any(is_shared(arrays[position]) for position in binding.parameters)
        if shared or latest != self._settled_at:
            self._functions[0](self._address, binding.table_address)
        self._settled_at, self._shares = latest, -1 if shared else shares

    def run_timed(
        self, arrays: Sequence[Array], run: Run, into: Sequence[Array | None] | None = None
    ) -> list[Array]:
        """Do what `run` does, and tell the profiler about each step."""
        self._functions, self._function = self.binding.timed.functions, None
        try:
            with EVENTS.span(self.binding.name, "graph"):
                return self.run(arrays, run, into)
        finally:
            self._functions = self.binding.functions
            self._function = self._plain_function()

    def _run_segments(
        self, arrays: Sequence[Array], outputs: Sequence[Array], run: Run
    ) -> list[Array]:
        binding, spec = self.binding, self.binding.specialization
        values = dict(self.views)
        values.update(zip(binding.inputs, arrays, strict=True))
        values.update(zip(binding.computed, outputs, strict=True))
        for entry, output in spec.host.items():
            values[entry] = values[output].reshape(binding.facts.shapes[entry])
        for entry, state in spec.target.items():
            values[entry] = values[state]
        call = _Call(binding, values, run)
        for segment in spec.segments:
            if segment.native:
                function = self._functions[segment.number]
                function(self._address, binding.table_address)
            else:
                call.run_in_python(segment.groups[0])
        results, given = [], set()
        for entry in spec.outputs:
            value = values[entry]
            shared = entry not in binding.computed or entry in given
            results.append(value.copy() if shared else value)
            given.add(entry)
        return results


class _Call:
    """One run with operators that Python runs.

    Attributes
    ----------
    values : inputs, outputs and intermediate results by entry
    """

    def __init__(self, binding: Binding, values: dict[Entry, Array], run: Run) -> None:
        self.binding, self.values, self.run = binding, values, run

    def array(self, entry: Entry) -> Array:
        """A result as a NumPy array."""
        found = self.values.get(entry)
        if found is None:
            root = self.values[self.binding.specialization.root[entry]]
            found = root.reshape(self.binding.facts.shapes[entry])
        return found

    def run_in_python(self, group: Group) -> None:
        """Run an operator's NumPy kernel and put its results in their places."""
        node, begin = group.nodes[0], perf_counter_ns()
        assert node.application is not None
        results = run_node(node.application, [self.array(e) for e in node.inputs], self.run)
        if node.application.states:
            note_write()
        for index, result in enumerate(results):
            entry = node.entry(index)
            place = self.values.get(entry)
            if place is None or place.dtype == object:
                self.values[entry] = result
            else:
                np.copyto(place, result)
        if EVENTS.symbolic:
            self.binding.timed.note(group, begin, perf_counter_ns())
