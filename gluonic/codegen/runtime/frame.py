"""What one call of a compiled graph works with: an address table and memory for results; how a call runs.

A frame serves one call at a time, and binding after binding; concurrent calls have frames of their own. What
follows from parameters alone, and the arena, outlast a change of the batch size.
"""

import ctypes
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np

from gluonic.codegen.machine.addresses import address_of
from gluonic.codegen.machine.declining import DECLINED, Declined
from gluonic.codegen.machine.memory import ALIGNMENT, MemoryPlan
from gluonic.codegen.runtime.binding import Binding
from gluonic.codegen.runtime.python_steps import MixedSteps
from gluonic.graph import Array, Entry, Run
from gluonic.graph.attributes import Shape
from gluonic.graph.events import EVENTS
from gluonic.graph.memory import allocated, too_large
from gluonic.graph.versions import Watch, has_escaped, mark_all_modified

if TYPE_CHECKING:
    from gluonic.codegen.native.foreign import NativeFunction


_UNCHANGING = Watch()
"""A watch over nothing."""


def _nothing() -> None:
    """What a reference to no array returns."""


class _Memory:
    """Bytes that begin with a whole cache line."""

    def __init__(self, size: int, *, zeroed: bool = False) -> None:
        make = np.zeros if zeroed else np.empty
        what = "what a compiled graph computes on the way"
        self.size, self.bytes = size, allocated(make, (size + ALIGNMENT,), np.uint8, what)
        self.start = -self.bytes.ctypes.data % ALIGNMENT
        self.address = self.bytes.ctypes.data + self.start

    def view(self, offset: int, size: int) -> Array:
        """Some of the bytes."""
        return self.bytes[self.start + offset : self.start + offset + size]


class Arena:
    """Memory for what calls compute on the way; frames that serve no two calls at a time may share one.

    Attributes
    ----------
    memory : the bytes; others, when more are reserved than there are
    """

    def __init__(self) -> None:
        self.memory = _Memory(0)

    def reserved(self, size: int) -> _Memory:
        """The memory, which has at least so many bytes."""
        if size > self.memory.size:
            self.memory = _Memory(size)
        return self.memory


class FramePool:
    """The frames of a specialization.

    Attributes
    ----------
    frames, idle : all that serve calls, and those that serve none now
    """

    def __init__(self) -> None:
        self.frames: list[ExecutionFrame] = []
        self.idle: list[ExecutionFrame] = []

    def frame(self, binding: Binding) -> "ExecutionFrame":
        """A frame nobody uses now, or a new one, that serves a binding."""
        try:
            frame = self.idle.pop()
        except IndexError:
            frame = ExecutionFrame(binding, self)
            self.frames.append(frame)
        else:
            frame.serve(binding)
        return frame


class ExecutionFrame:
    """What one call at a time works with.

    Parameters
    ----------
    binding : the shapes that it serves first
    pool : what it belongs to
    arena : where it computes; its own, unless one is given

    Attributes
    ----------
    slots : the address table
    binding : the shapes that it serves now
    hits : how many calls found their binding made
    prepackings : how often what follows from parameters alone was computed
    watch : over the parameters that it follows from
    prepacked_at : the version of `watch` for which it was computed
    verified_for : the look-up of parameters whose arrays it was last seen to have; see `replay`
    """

    def __init__(self, binding: Binding, pool: FramePool, arena: Arena | None = None) -> None:
        spec = self.specialization = binding.specialization
        self.pool = pool
        self.hits = self.prepackings = 0
        self.verified_for: object = None
        self.slots = (ctypes.c_size_t * max(len(spec.slots), 1))()
        self._address = ctypes.addressof(self.slots)
        self._table: Array = np.frombuffer(memoryview(self.slots), np.uintp)
        self._positions = [spec.slots[entry] for entry in spec.input_entries]
        self._seen: list[Any] = [_nothing] * len(self._positions)
        self.watch = _UNCHANGING
        self.prepacked_at = -1 if spec.prepacked_inputs else _UNCHANGING.version
        self._copies: dict[int, Array] = {}
        self._persistent_offsets: list[int] | None = None
        self._arena = arena or Arena()
        self._plan: MemoryPlan | None = None
        self._arena_address = 0
        self._declined = ctypes.c_int64(0)
        if spec.declines:
            self.slots[spec.slots[DECLINED]] = ctypes.addressof(self._declined)
        self._mixed: MixedSteps | None = None
        self.serve(binding)

    def serve(self, binding: Binding) -> None:
        """Get ready for the shapes of a binding of the same specialization."""
        self.binding = binding
        self._table_address, self.verified_for = binding.table_address, None
        self._signature, self._results = binding.signature, binding.results
        self._unread: dict[int, tuple[Shape, Any]] = {}
        for position, (shape, _) in enumerate(self._signature):
            if shape is None:
                self._seen[position] = _nothing
        self._filled: list[Any] = [_nothing] * len(binding.results)
        self._mixed = None
        if binding.persistent.offsets != self._persistent_offsets:
            self._make_persistent(binding)
        self._place_results()
        self._functions: Sequence[NativeFunction] = binding.functions
        self._function = self._plain_function()

    def work_in(self, arena: Arena) -> None:
        """Compute in another arena, or in one whose memory may have become another."""
        self._arena, memory = arena, arena.memory
        if memory.address != self._arena_address or memory.size < self.binding.transient.size:
            self._mixed = None
            self._place_results()

    def _place_results(self) -> None:
        """Let what is computed on the way lie in the arena."""
        plan, buffers = self.binding.transient, self.specialization.buffers
        memory = self._arena.reserved(plan.size)
        if plan is self._plan and memory.address == self._arena_address:
            return
        buffers.note_room(memory.size)
        self._table[buffers.transient_slots] = plan.displacements + memory.address
        self._plan, self._arena_address = plan, memory.address

    def _make_persistent(self, binding: Binding) -> None:
        """Make the memory of what outlasts a call; it is zero at first, and nothing is prepacked."""
        self._persistent_offsets = binding.persistent.offsets
        if self.specialization.prepacked_inputs:
            self.prepacked_at = -1
        self._persistent = _Memory(binding.persistent.size, zeroed=True)
        slots = self.specialization.buffers.persistent_slots
        self._table[slots] = binding.persistent.displacements + self._persistent.address

    def _plain_function(self) -> "NativeFunction | None":
        """The one native function of a plain call."""
        spec = self.specialization
        return self._functions[spec.segments[0].number] if spec.is_plain else None

    def take(self, arrays: Sequence[Array]) -> bool:
        """Note where the inputs are; whether they have the shapes and dtypes that the frame serves."""
        seen = self._seen
        for position, array in enumerate(arrays):  # keys of random numbers come last, if at all
            if seen[position]() is not array:
                self.verified_for = None
                if not self._place(position, array):
                    return False
        return True

    def _place(self, position: int, array: Array) -> bool:
        shape, dtype = self._signature[position]
        if shape is None:  # nothing reads it, but shapes of results may follow from its own
            given = array.shape, array.dtype
            if self._unread.setdefault(position, given) != given:
                return False
            self._seen[position] = ref(array)
            return True
        if array.shape != shape or array.dtype != dtype:
            return False
        if position in self.specialization.prepacked_inputs:
            self.watch, self.prepacked_at = _UNCHANGING, -1
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
        into : for each output contiguous memory that may hold it, or None; what does not fit is not used.
            The caller notes the write, if others see the memory

        Raises
        ------
        Declined
            if only the interpreter can answer the call
        """
        self.hits += 1
        spec = self.specialization
        outputs = self._outputs(into)
        if self.watch.version != self.prepacked_at:
            self._prepack(arrays)
        if self._function is not None:
            self._function(self._address, self._table_address)
        elif spec.is_native:
            for segment in spec.segments:
                self._functions[segment.number](self._address, self._table_address)
            outputs = self._returned([*arrays, *outputs])
        else:
            outputs = self._run_segments(arrays, outputs, run)
        if spec.writes_inputs:
            mark_all_modified(
                arrays if spec.has_foreign_steps else [arrays[i] for i in spec.written]
            )
        if self._declined.value:
            self._declined.value = 0
            raise Declined
        return outputs

    def _outputs(self, into: Sequence[Array | None] | None) -> list[Any]:
        """Memory for the outputs: what is given, where it fits."""
        if into is None:
            return [self._fill(number, None) for number in range(len(self._results))]
        filled, outputs = self._filled, []
        for number, position in enumerate(self.specialization.positions):
            output = into[position]
            if output is None or filled[number]() is not output:
                output = self._fill(number, output)
            outputs.append(output)
        return outputs

    def _fill(self, number: int, output: Array | None) -> Array | None:
        """Let an output be written into memory that is given, or into new memory if that does not fit."""
        slot, shape, dtype = self._results[number]
        if slot is None:
            return None
        if output is not None and output.shape == shape and output.dtype == dtype:
            self._filled[number] = ref(output)
        else:
            output = allocated(np.empty, shape, dtype, "an output of a compiled graph")
            self._filled[number] = _nothing
        self.slots[slot] = address_of(output)
        return output

    @property
    def reads_in_place(self) -> bool:
        """Whether it reads all inputs where they are, and what follows from parameters is up to date."""
        copies = any(seen is _nothing for seen in self._seen)
        return not copies and self.watch.version == self.prepacked_at

    def replay(self, positions: Sequence[int], arrays: Sequence[Array]) -> Array | None:
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
        try:
            output = np.empty(shape, dtype)
        except MemoryError as error:
            raise too_large("the output of a compiled graph", error) from None
        self.slots[slot], self._filled[0] = address_of(output), _nothing  # type: ignore[index]
        self._function(self._address, self._table_address)  # type: ignore[misc]
        return output

    def _prepack(self, arrays: Sequence[Array]) -> None:
        """Compute what follows from parameters alone."""
        read = [arrays[position] for position in self.specialization.prepacked_inputs]
        if self.watch is _UNCHANGING:
            self.watch = Watch(read)
        version = self.watch.version  # what is written from now on may come too late
        self._functions[0](self._address, self._table_address)
        self.prepackings += 1
        self.prepacked_at = -1 if any(map(has_escaped, read)) else version

    def run_timed(
        self, arrays: Sequence[Array], run: Run, into: Sequence[Array | None] | None = None
    ) -> list[Array]:
        """Do what `run` does, and tell the profiler about each step."""
        with EVENTS.span(self.binding.name, "graph"):
            return self._run_with(self.binding.timed.functions, arrays, run, into)

    def run_handing_over(
        self,
        arrays: Sequence[Array],
        run: Run,
        into: Sequence[Array | None],
        finished: Callable[[int], None],
    ) -> list[Array]:
        """Do what `run` does, and say on the way which outputs are finished.

        Parameters
        ----------
        finished : called with the number of an output that lies in the memory that was given for it, when no
            step reads or writes it any more; not for all
        """
        places, filled = self.specialization.positions, self._filled

        def tell(number: int) -> None:
            position = places[number]
            memory = into[position]
            if memory is not None and filled[number]() is memory:
                finished(position)

        functions = self.binding.handing_over(tell)
        if not EVENTS.symbolic:
            return self._run_with(functions, arrays, run, into)
        with EVENTS.span(self.binding.name, "graph"):
            return self._run_with(functions, arrays, run, into)

    def _run_with(
        self,
        functions: Sequence["NativeFunction"],
        arrays: Sequence[Array],
        run: Run,
        into: Sequence[Array | None] | None,
    ) -> list[Array]:
        """Do what `run` does by other functions."""
        self._functions = functions
        self._function = self._plain_function()
        try:
            return self.run(arrays, run, into)
        finally:
            self._functions = self.binding.functions
            self._function = self._plain_function()

    def _run_segments(
        self, arrays: Sequence[Array], outputs: Sequence[Array | None], run: Run
    ) -> list[Array]:
        if self._mixed is None:
            self._mixed = MixedSteps(self.binding, self._views())
        values = self._mixed.arrays(arrays, outputs)
        for step in self._mixed.steps:
            if isinstance(step, int):
                self._functions[step](self._address, self._table_address)
            else:
                step.run(values, run)
        return self._returned(values)

    def _returned(self, arrays: Sequence[Any]) -> list[Array]:
        """The outputs, given the inputs and what was computed."""
        returned = self.specialization.returned
        return [arrays[i].copy() if copied else arrays[i] for i, copied in returned]

    def _views(self) -> dict[Entry, Array]:
        """The results that live in the frame's memory as NumPy arrays."""
        binding, assignment, found = self.binding, self.specialization.buffers, {}
        for memory, buffers, plan in (
            (self._persistent, assignment.persistent, binding.persistent),
            (self._arena.memory, assignment.transient, binding.transient),
        ):
            for entry, offset in zip(buffers, plan.offsets, strict=True):
                if isinstance(entry, Entry):
                    view = memory.view(offset, binding.facts.bytes_of(entry))
                    typed = view.view(binding.facts.dtypes[entry])
                    found[entry] = typed.reshape(binding.facts.shapes[entry])
        return found
