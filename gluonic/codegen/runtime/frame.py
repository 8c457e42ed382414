"""Frames: the address table and the memory of one call of a compiled graph, and the call itself.

A frame serves one call at a time, with changing bindings; concurrent calls have separate frames. Prepacked
values and the arena are kept when the batch size changes.
"""

import ctypes
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np

from gluonic.codegen.machine.addresses import address_of
from gluonic.codegen.machine.bail_out import BailOut
from gluonic.codegen.machine.memory import MemoryPlan
from gluonic.codegen.native.executable import NativeFunction
from gluonic.codegen.runtime.arena import Arena, Memory
from gluonic.codegen.runtime.binding import Binding
from gluonic.graph import Array, Entry, Run
from gluonic.graph.attributes import Shape
from gluonic.graph.events import EVENTS
from gluonic.graph.memory import allocated, too_large
from gluonic.graph.versions import Watch, has_escaped, mark_all_modified

if TYPE_CHECKING:
    from gluonic.codegen.runtime.python_steps import MixedSteps


_UNCHANGING = Watch()
"""A watch over no arrays."""


def _nothing() -> None:
    """The replacement of a weak reference where there is no array."""


class FramePool:
    """The frames of an executable.

    Attributes
    ----------
    frames, idle : all frames, and those that no call is using
    """

    def __init__(self) -> None:
        self.frames: list[ExecutionFrame] = []
        self.idle: list[ExecutionFrame] = []

    def frame(self, binding: Binding) -> "ExecutionFrame":
        """An idle frame or a new one, ready for a binding."""
        try:
            frame = self.idle.pop()
        except IndexError:
            frame = None
        if frame is None:
            frame = ExecutionFrame(binding, self)
            self.frames.append(frame)
        else:
            frame.serve(binding)
        return frame


class ExecutionFrame:
    """The memory of one call at a time.

    Parameters
    ----------
    binding : the first binding that it serves
    pool : the pool that it belongs to
    arena : the memory of intermediate results; its own, unless one is given

    Attributes
    ----------
    slots : the address table
    binding : the current binding
    hits : number of calls whose binding existed already
    prepackings : how often the prepacked values were computed
    watch : over the parameters that they are computed from
    prepacked_at : the version of `watch` for which they were computed
    verified_for : the parameter look-up whose arrays the frame was last verified to hold; see `replay`
    """

    def __init__(self, binding: Binding, pool: FramePool, arena: Arena | None = None) -> None:
        self.executable, self.pool = binding.executable, pool
        call = self.executable.call
        self.hits = self.prepackings = 0
        self.verified_for: object = None
        self.slots = (ctypes.c_size_t * max(call.slots, 1))()
        self._address = ctypes.addressof(self.slots)
        self._table: Array = np.frombuffer(memoryview(self.slots), np.uintp)
        self._positions = call.inputs
        self._seen: list[Any] = [_nothing] * len(self._positions)
        self.watch = _UNCHANGING
        self.prepacked_at = -1 if call.prepacked_inputs else _UNCHANGING.version
        self._copies: dict[int, Array] = {}
        self._persistent_plan: tuple[list[int], int] | None = None
        self._arena = arena or Arena()
        self._plan: MemoryPlan | None = None
        self._arena_address = 0
        self._bailed_out = ctypes.c_int64(0)
        if call.bail_out is not None:
            self.slots[call.bail_out] = ctypes.addressof(self._bailed_out)
        self._mixed: MixedSteps | None = None
        self.serve(binding)

    def serve(self, binding: Binding) -> None:
        """Switch to another binding of the same executable."""
        self.binding = binding
        self._table_address, self.verified_for = binding.table_address, None
        self._signature, self._results = binding.signature, binding.results
        self._unread: dict[int, tuple[Shape, Any]] = {}
        for position in self.executable.call.unread_inputs:
            self._seen[position] = _nothing
        self._filled: list[Any] = [_nothing] * len(binding.results)
        self._mixed = None
        plan = binding.persistent
        if (plan.offsets, plan.size) != self._persistent_plan:
            self._make_persistent(binding)
        self._set_result_addresses()
        self._functions: Sequence[NativeFunction] = binding.functions
        self._function = self._plain_function()

    def work_in(self, arena: Arena) -> None:
        """Use another arena, or one whose memory may have been replaced."""
        self._arena, memory = arena, arena.memory
        if memory.address != self._arena_address or memory.size < self.binding.transient.size:
            self._mixed = None
            self._set_result_addresses()

    def _set_result_addresses(self) -> None:
        """Set the addresses of intermediate results in the arena."""
        plan, executable = self.binding.transient, self.executable
        memory = self._arena.reserved(plan.size)
        if plan is self._plan and memory.address == self._arena_address:
            return
        executable.room.note(memory.size)
        self._table[executable.transient_slots] = plan.displacements + memory.address
        self._plan, self._arena_address = plan, memory.address

    def _make_persistent(self, binding: Binding) -> None:
        """Allocate the persistent buffers; they are zero at first, and nothing is prepacked."""
        self._persistent_plan = binding.persistent.offsets, binding.persistent.size
        if self.executable.prepacked_inputs:
            self.prepacked_at = -1
        self._persistent = Memory(binding.persistent.size, zeroed=True)
        slots = self.executable.persistent_slots
        self._table[slots] = binding.persistent.displacements + self._persistent.address

    def _plain_function(self) -> NativeFunction | None:
        """The only native function of a plain call; None if the call is not plain."""
        number = self.executable.only_function
        return None if number is None else self._functions[number]

    def take(self, arrays: Sequence[Array]) -> bool:
        """Store the addresses of the inputs; return whether they have the shapes and dtypes of the binding."""
        seen = self._seen
        for position, array in enumerate(arrays):  # keys of random numbers come last, if at all
            if seen[position]() is not array:
                if not self._set_input(position, array):
                    return False
                self.verified_for = None
        return True

    def _set_input(self, position: int, array: Array) -> bool:
        shape, dtype = self._signature[position]
        if shape is None:  # it is not read, but shapes of results may depend on its shape
            given = array.shape, array.dtype
            if self._unread.setdefault(position, given) != given:
                return False
            self._seen[position] = ref(array)
            return True
        if array.shape != shape or array.dtype != dtype:
            return False
        if position in self.executable.prepacked_inputs:
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
        into : for each output, contiguous memory that may hold it, or None; memory that does not fit is not
            used.
            The caller must record the write if others can see the memory

        Raises
        ------
        BailOut
            if only the interpreter can answer the call
        """
        self.hits += 1
        executable = self.executable
        outputs = self._outputs(into)
        if self.watch.version != self.prepacked_at:
            self._prepack(arrays)
        if self._function is not None:
            self._function(self._address, self._table_address)
        elif executable.is_native:
            for number in executable.call.calls:
                self._functions[number](self._address, self._table_address)  # type: ignore[index]
            outputs = self._returned([*arrays, *outputs])
        else:
            outputs = self._run_segments(arrays, outputs, run)
        if executable.writes_inputs:
            call = executable.call
            mark_all_modified(
                arrays if call.has_foreign_steps else [arrays[i] for i in call.written]
            )
        if self._bailed_out.value:
            self._bailed_out.value = 0
            raise BailOut
        return outputs

    def _outputs(self, into: Sequence[Array | None] | None) -> list[Any]:
        """Memory for the outputs: the given memory, where it fits."""
        if into is None:
            return [self._fill(number, None) for number in range(len(self._results))]
        filled, outputs = self._filled, []
        for number, position in enumerate(self.executable.call.positions):
            output = into[position]
            if output is None or filled[number]() is not output:
                output = self._fill(number, output)
            outputs.append(output)
        return outputs

    def _fill(self, number: int, output: Array | None) -> Array | None:
        """Set the memory of an output: the given one, or new memory if that does not fit."""
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
        """Whether it reads all inputs in place, and the prepacked values are up to date."""
        copies = any(seen is _nothing for seen in self._seen)
        return not copies and self.watch.version == self.prepacked_at

    def replay(self, positions: Sequence[int], arrays: Sequence[Array]) -> Array | None:
        """Run a plain graph of one output; None if the arrays do not fit.

        Parameters
        ----------
        positions, arrays : the inputs that may differ from those of the last call
        """
        seen = self._seen
        for position, array in zip(positions, arrays):  # noqa: B905 (as in `take`)
            if seen[position]() is not array and not self._set_input(position, array):
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
        """Compute the prepacked values."""
        read = [arrays[position] for position in self.executable.call.prepacked_inputs]
        if self.watch is _UNCHANGING:
            self.watch = Watch(read)
        version = self.watch.version  # later writes may come too late
        self._functions[0](self._address, self._table_address)
        self.prepackings += 1
        self.prepacked_at = -1 if any(map(has_escaped, read)) else version

    def run_timed(
        self, arrays: Sequence[Array], run: Run, into: Sequence[Array | None] | None = None
    ) -> list[Array]:
        """Like `run`, and report each step to the profiler."""
        with EVENTS.span(self.binding.name, "graph"):
            return self._run_with(self.binding.timed.functions, arrays, run, into)

    def run_handing_over(
        self,
        arrays: Sequence[Array],
        run: Run,
        into: Sequence[Array | None],
        finished: Callable[[int], None],
    ) -> list[Array]:
        """Like `run`, and report outputs as soon as they are finished.

        Parameters
        ----------
        finished : called with the index of an output in the memory given for it, once no step reads or writes
            it any more; not called for all outputs
        """
        positions, filled = self.executable.call.positions, self._filled

        def report(number: int) -> None:
            position = positions[number]
            memory = into[position]
            if memory is not None and filled[number]() is memory:
                finished(position)

        functions = self.binding.handing_over(report)
        if not EVENTS.symbolic:
            return self._run_with(functions, arrays, run, into)
        with EVENTS.span(self.binding.name, "graph"):
            return self._run_with(functions, arrays, run, into)

    def _run_with(
        self,
        functions: Sequence[NativeFunction],
        arrays: Sequence[Array],
        run: Run,
        into: Sequence[Array | None] | None,
    ) -> list[Array]:
        """Like `run`, with other native functions."""
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
            from gluonic.codegen.runtime.python_steps import MixedSteps

            self._mixed = MixedSteps(self.binding, self._views())
        values = self._mixed.arrays(arrays, outputs)
        for step in self._mixed.steps:
            if isinstance(step, int):
                self._functions[step](self._address, self._table_address)
            else:
                step.run(values, run)
        return self._returned(values)

    def _returned(self, arrays: Sequence[Any]) -> list[Array]:
        """The outputs, from the inputs and the computed results."""
        returned = self.executable.call.returned
        return [arrays[i].copy() if copied else arrays[i] for i, copied in returned]

    def _views(self) -> dict[Entry, Array]:
        """The results in the frame's memory as NumPy arrays."""
        binding, found = self.binding, {}
        assignment = binding.specialization.buffers
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
