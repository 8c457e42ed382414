"""The constants of a library: weights, and what is computed from weights alone, such as packed filters."""

import ctypes
import hashlib
from collections.abc import Sequence

import numpy as np

from gluonic.codegen.launch.arguments import launch_arguments
from gluonic.codegen.launch.launches import sizes_of, table_of
from gluonic.codegen.library.refusals import LibraryError
from gluonic.codegen.library.variant import Variant
from gluonic.codegen.machine.addresses import address_of
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.jit import load
from gluonic.codegen.machine.memory import aligned
from gluonic.codegen.machine.target import Target, emulating, runs_here
from gluonic.codegen.native.executable import native_function
from gluonic.codegen.native.module import SharedFunctions, write_run
from gluonic.codegen.runtime.arena import Memory
from gluonic.graph import Array
from gluonic.graph.errors import describe
from gluonic.support.pieces import finish

_RUN = "prepack"
_OF_ONE_PROCESSOR = "llvm.x86.", "llvm.aarch64."


class Constants:
    """Arrays one after the other, each on cache lines of its own; equal ones are stored once.

    Attributes
    ----------
    size : the bytes of all
    """

    def __init__(self) -> None:
        self._arrays: list[tuple[int, Array]] = []
        self._offsets: dict[bytes, int] = {}
        self.size = 0

    def offset_of(self, array: Array) -> int:
        """The offset of an array in bytes; it is added unless an equal one is there."""
        flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        digest = hashlib.sha256(flat.data).digest()
        if digest not in self._offsets:
            self._offsets[digest] = self.size
            self._arrays.append((self.size, flat))
            self.size += aligned(flat.size)
        return self._offsets[digest]

    def image(self) -> Array:
        """All bytes."""
        image = np.zeros(self.size, np.uint8)
        for offset, flat in self._arrays:
            image[offset : offset + flat.size] = flat
        return image


def prepacked_values(
    variant: Variant, arrays: Sequence[Array | None], target: Target
) -> dict[int, Array]:
    """Compute what depends on weights alone; returns the bytes by slot.

    Parameters
    ----------
    variant : the machine code
    arrays : the weights among the inputs
    target : the processor that the code is for; this machine computes the values

    Raises
    ------
    LibraryError
        if this machine lacks an instruction that computes them
    """
    spec = variant.spec
    if not spec.prepacked:
        return {}
    arguments = launch_arguments(spec.launch, variant.facts)
    numbers = np.array(table_of(arguments, spec.table), np.int64)
    sizes = np.array(sizes_of(arguments, spec.buffers), np.int64)
    lasting, passing = spec.buffers.plans(sizes, numbers, spec.table)
    kept, arena = Memory(lasting.size, zeroed=True), Memory(passing.size)
    slots = (ctypes.c_size_t * max(spec.call.slots, 1))()
    inputs = [None if a is None else np.ascontiguousarray(a) for a in arrays]
    for slot, array in zip(spec.call.inputs, inputs, strict=True):
        slots[slot] = 0 if array is None else address_of(array)
    for slot, offset in zip(spec.call.persistent, lasting.offsets, strict=True):
        slots[slot] = kept.address + offset
    for slot, offset in zip(spec.call.transient, passing.offsets, strict=True):
        slots[slot] = arena.address + offset
    module = LLVMModule(target)
    run = SharedFunctions(module), _RUN, spec.prepacked, spec.table, 0, spec.slot
    finish(write_run(*run))
    _check_instructions(module, target)
    library = load(module.text(), [_RUN], tuple(module.imports), emulating(target))
    native_function(library[_RUN])(ctypes.addressof(slots), numbers.ctypes.data)
    return {
        slot: kept.view(offset, int(size))
        for slot, offset, size in zip(
            spec.call.persistent, lasting.offsets, sizes.tolist(), strict=False
        )
    }


def _check_instructions(module: LLVMModule, target: Target) -> None:
    """Refuse instructions of the target's alone: LLVM would end the process."""
    own = [name for name in module.declarations if name.startswith(_OF_ONE_PROCESSOR)]
    if own and not runs_here(target):
        raise LibraryError(
            describe(
                f"the net computes something of its weights with {own[0]}, which this machine lacks",
                where=f"export_library for {target.cpu}",
                hint="export on a machine of that kind",
            )
        )
