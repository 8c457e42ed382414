"""Executables: machine code of a graph, and what a call must know of it, without the graph itself."""

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from gluonic.codegen.machine.memory import Room
from gluonic.codegen.native.shared_kernels import KernelLibrary
from gluonic.support.cached_property import cached_property
from gluonic.support.record import record

NativeFunction: TypeAlias = Callable[[int, int], None]


@record
class CallSpec:
    """How calls use machine code: where it finds arrays, and what is done with them.

    Attributes
    ----------
    slots : the length of the address table
    inputs : the slot of each input
    unread_inputs : the indices of the inputs that nothing reads
    prepacked_inputs : the indices of the inputs that prepacked steps read
    written : the indices of the inputs that are written to
    results : the slot and the dtype of each distinct output that is computed; no slot if Python allocates its
        memory
    positions : the indices of these among all outputs
    returned : for each output, its index among the inputs and the results, and whether it is copied
    calls : the indices of the native functions to call in turn; None for an operator that Python runs
    persistent, transient : the slots of the persistent and of the transient buffers
    bail_out : the slot of the number that is set to leave the call to the interpreter; None if that cannot be
    has_foreign_steps : whether it calls code from extension libraries
    """

    slots: int
    inputs: list[int]
    unread_inputs: list[int]
    prepacked_inputs: list[int]
    written: list[int]
    results: list[tuple[int | None, np.dtype[Any]]]
    positions: list[int]
    returned: list[tuple[int, bool]]
    calls: list[int | None]
    persistent: list[int]
    transient: list[int]
    bail_out: int | None = None
    has_foreign_steps: bool = False

    @property
    def is_native(self) -> bool:
        """Whether all of it is machine code."""
        return None not in self.calls

    @property
    def is_plain(self) -> bool:
        """Whether a call is one native call whose results are the outputs, without repetition."""
        computed = [(len(self.inputs) + i, False) for i in range(len(self.results))]
        is_one_call = len(self.calls) == 1 and self.is_native
        return is_one_call and self.returned == computed and self.bail_out is None


class Executable:
    """Linked machine code of a graph, for one pattern of shapes.

    Parameters
    ----------
    call : how calls use it
    functions : the native functions; the first runs the prepacked steps, if there are any
    library : keeps the code in memory; None if there is none
    room : the memory that arenas have had

    Attributes
    ----------
    is_native : whether all of it is machine code
    writes_inputs : whether it may write to inputs
    only_function : the index of the function that is a plain call; None if calls are not plain
    can_replay : whether `ExecutionFrame.replay` can run it
    """

    def __init__(
        self,
        call: CallSpec,
        functions: Sequence[NativeFunction],
        library: KernelLibrary | None,
        room: Room,
    ) -> None:
        self.call, self.functions, self.library, self.room = call, functions, library, room
        self.is_native = call.is_native
        self.writes_inputs = bool(call.written) or call.has_foreign_steps
        self.only_function = call.calls[0] if call.is_plain else None
        is_one = self.only_function is not None and len(call.results) == 1
        self.can_replay = is_one and not self.writes_inputs

    @cached_property
    def prepacked_inputs(self) -> frozenset[int]:
        """The indices of the inputs that prepacked steps read."""
        return frozenset(self.call.prepacked_inputs)

    @cached_property
    def persistent_slots(self) -> np.ndarray[Any, np.dtype[np.intp]]:
        """The slots of the persistent buffers."""
        return np.array(self.call.persistent, np.intp)

    @cached_property
    def transient_slots(self) -> np.ndarray[Any, np.dtype[np.intp]]:
        """The slots of the transient buffers."""
        return np.array(self.call.transient, np.intp)


def native_function(address: int) -> NativeFunction:
    """The function ``void run(ptr slots, ptr table)`` at an address."""
    # ctypes converts an integer to a pointer twice as fast as to a size.
    return ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(address)
