"""A GPU for tests and for people without one: it runs a GPU's PTX, and checks what a GPU doesn't."""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from math import prod
from time import perf_counter

import numpy as np
import numpy.typing as npt

from gluonic.device.device import Buffer, Device, DeviceFunction, Dimensions, Mark, MemoryInfo
from gluonic.device.emulated.batch import BlockBatch
from gluonic.device.emulated.launches import EmulatedLaunch
from gluonic.device.emulated.memory import GLOBAL_START, WRITTEN, Bytes, GlobalMemory
from gluonic.device.emulated.parser import parse
from gluonic.device.emulated.races import Races
from gluonic.device.emulated.settings import chosen_memory, chosen_processor
from gluonic.device.emulated.syntax import PtxFunction, PtxModule, Variable
from gluonic.device.emulated.transactions import described
from gluonic.device.emulated.translation import Compiled, Parameters, translate
from gluonic.device.emulated.variables import VariableLayout, contents_of
from gluonic.device.errors import DeviceError
from gluonic.device.lacking_memory import lacking
from gluonic.device.processors import Processor
from gluonic.device.tensor_maps import TensorMap
from gluonic.graph.errors import describe
from gluonic.support.locks import lock

_LANES = (
    1 << 15
)  # threads that run together, so that some of their registers stay in a core's cache
_SHARED_BYTES = 1 << 21
_LAST_STAMP = 1 << 31

_parse = lru_cache(maxsize=64)(parse)


class EmulatedMark(Mark):
    """A point in the host's time."""

    def __init__(self) -> None:
        self._now = perf_counter()

    def seconds_since(self, start: EmulatedMark) -> float:
        """The time between two points, in seconds."""
        return self._now - start._now


class EmulatedFunction(DeviceFunction):
    """A kernel, and the module's variables, which live as long as it does."""

    def __init__(
        self,
        function: PtxFunction,
        run: Compiled,
        layout: VariableLayout,
        lines: Sequence[str],
        buffers: Sequence[Buffer],
    ) -> None:
        self.name = function.name
        self.function, self.run, self.lines, self.buffers = function, run, lines, buffers
        self.shared_bytes, self.local_bytes = layout.shared_size, layout.local_size


class _EmulatedBuffer(Buffer):
    """Memory that goes back to its device."""

    __slots__ = ()

    device: EmulatedDevice

    def __del__(self) -> None:
        self.device.release(self.address)


class EmulatedDevice(Device):
    """A device that interprets PTX in NumPy, on all threads of many blocks at once.

    Every access to memory is checked: that it is aligned, within a buffer that was not given back, that what it
    reads was written, and that no other thread writes it meanwhile. So are barriers. Errors are raised by the
    launch that causes them.

    Parameters
    ----------
    ordinal : the number of its context
    total : its memory, in bytes; by default that of ``GLUONIC_GPU_EMULATED_MEMORY``, else 1 GiB
    processor : what it can run; by default that of ``GLUONIC_GPU_EMULATED_PROCESSOR``, else sm_80
    allows_equal_writes : whether threads may write the same value to one address
    """

    keeps_apart = True

    def __init__(
        self,
        ordinal: int = 0,
        total: int | None = None,
        processor: Processor | None = None,
        allows_equal_writes: bool = False,
    ) -> None:
        self.ordinal, self.name = ordinal, "emulated GPU"
        self.processor = processor or chosen_processor()
        self._memory = GlobalMemory(chosen_memory() if total is None else total)
        self._races = Races(self._memory.bytes.size, allows_equal_writes)
        self._base = 1
        self._lock = lock()
        self._released: deque[int] = deque()

    # -- memory -----------------------------------------------------------------------------------

    @contextmanager
    def _exclusive(self) -> Iterator[Bytes]:
        """Let one thread use the memory, without the buffers that were given back."""
        with self._lock:
            while self._released:
                self._memory.release(self._released.popleft())
            yield self._memory.bytes

    def allocate(self, size: int) -> Buffer:
        """New memory whose bytes count as not written.

        Raises
        ------
        DeviceMemoryError
            if there is not enough
        """
        return self._allocate(size, "")

    def _allocate(self, size: int, label: str) -> Buffer:
        address = self._address(size, label)
        if address < 0:
            gc.collect()  # arrays in cycles
            address = self._address(size, label)
        if address < 0:
            raise lacking(self, size)
        return _EmulatedBuffer(self, address, size)

    def _address(self, size: int, label: str) -> int:
        """The address of new memory, or -1 where there is not enough."""
        with self._exclusive():
            address = self._memory.allocate(size, label)
            if self._races.size < self._memory.bytes.size:
                self._races.grow(self._memory.bytes.size)
        return address

    def release(self, address: int) -> None:
        """Take memory back, when memory is next used: a collection of garbage may call this at any time."""
        self._released.append(address)

    def copy_in(self, address: int, source: npt.NDArray[np.generic]) -> None:
        """Copy a contiguous array of the host to the device."""
        with self._exclusive() as memory:
            part = self._part(address, source.nbytes, "a copy from the host")
            memory.data[part] = np.frombuffer(source.tobytes(), "u1")
            memory.state[part] = WRITTEN

    def copy_out(self, target: npt.NDArray[np.generic], address: int) -> None:
        """Fill a contiguous array of the host from the device, whose bytes must have been written."""
        with self._exclusive() as memory:
            part = self._part(address, target.nbytes, "a copy to the host")
            self._check_written(part, "a copy to the host")
            target.reshape(-1).view("u1")[:] = memory.data[part]

    def copy_within(self, target: int, source: int, size: int) -> None:
        """Copy memory that does not overlap; bytes that nobody wrote stay so."""
        with self._exclusive() as memory:
            to, of = (
                self._part(address, size, "a copy on the device") for address in (target, source)
            )
            if to.start < of.stop and of.start < to.stop:
                places = f"{size} bytes from {source:#x} to {target:#x}"
                raise DeviceError(describe(f"a copy on the device overlaps: {places}"))
            memory.data[to], memory.state[to] = memory.data[of], memory.state[of]

    def fill(self, address: int, pattern: bytes, count: int) -> None:
        """Repeat a pattern of 1, 2 or 4 bytes."""
        if len(pattern) not in (1, 2, 4) or address % len(pattern):
            raise DeviceError(
                describe(f"a fill at {address:#x} by a pattern of {len(pattern)} bytes")
            )
        with self._exclusive() as memory:
            part = self._part(address, len(pattern) * count, "a fill")
            memory.data[part] = np.frombuffer(pattern * count, "u1")
            memory.state[part] = WRITTEN

    def _part(self, address: int, size: int, what: str) -> slice:
        if size == 0:
            return slice(0, 0)
        try:
            return self._memory.part(address, size)
        except IndexError as error:
            raise DeviceError(
                describe(
                    f"{what}: {size} bytes at {address:#x} are out of bounds", facts=[str(error)]
                )
            ) from None

    def _check_written(self, part: slice, what: str) -> None:
        unwritten = self._memory.bytes.state[part] != WRITTEN
        if unwritten.any():
            offset = part.start + int(np.argmax(unwritten))
            raise DeviceError(
                describe(
                    f"{what} reads bytes that nobody wrote",
                    facts=[
                        f"address {GLOBAL_START + offset:#x}: {self._memory.whereabouts(offset)}",
                        f"{int(unwritten.sum())} of {unwritten.size} bytes",
                    ],
                )
            )

    def memory_info(self) -> MemoryInfo:
        """The free and the total memory."""
        with self._exclusive():
            return MemoryInfo(self._memory.total - self._memory.used, self._memory.total)

    def empty_cache(self) -> None:
        """Do nothing: nothing is pooled."""

    # -- kernels ----------------------------------------------------------------------------------

    def load(self, ptx: str, names: Sequence[str]) -> list[DeviceFunction]:
        """Load a module; its variables live as long as its kernels.

        Raises
        ------
        NotImplementedError
            if a kernel, or a function that it calls, has an instruction that is not known here
        """
        module = _parse(ptx)
        for name in names:
            if name not in module.functions or not module.functions[name].is_kernel:
                raise DeviceError(describe(f"the PTX has no kernel {name!r}"))
        layout = VariableLayout(module)
        addresses = dict(layout.addresses)
        buffers = self._load_variables(module, addresses)
        lines = ptx.splitlines()
        return [
            EmulatedFunction(
                module.functions[name],
                _translated(ptx, name, tuple(addresses.items())),
                layout,
                lines,
                buffers,
            )
            for name in names
        ]

    def _load_variables(self, module: PtxModule, addresses: dict[str, int]) -> list[Buffer]:
        """Give memory to the variables in global and constant memory, and their contents."""
        variables = [v for v in module.variables.values() if v.space in ("global", "const")]
        buffers = [self._allocate(variable.size, variable.name) for variable in variables]
        addresses.update({v.name: b.address for v, b in zip(variables, buffers, strict=True)})
        for variable, buffer in zip(variables, buffers, strict=True):
            self.copy_in(buffer.address, contents_of(variable, addresses))
        return buffers

    def launch(
        self,
        function: DeviceFunction,
        grid: Dimensions,
        block: Dimensions,
        arguments: Sequence[int],
        shared_bytes: int = 0,
    ) -> None:
        """Run a kernel to its end.

        Raises
        ------
        DeviceError
            for what a GPU would not notice; it names the line of the PTX, the block, the thread and the address
        """
        if not isinstance(function, EmulatedFunction):
            raise DeviceError(describe(f"{function.name} was loaded by another device"))
        shared = function.shared_bytes + shared_bytes
        self._check_launch(function, grid, block, arguments, shared)
        parameters = _parameters(function.function, arguments)
        with self._exclusive():
            count = prod(grid) * prod(block)
            if self._base + count >= _LAST_STAMP:
                self._races = Races(self._memory.bytes.size, self._races.allows_equal_values)
                self._base = 1
            launch = EmulatedLaunch(
                function.name,
                function.lines,
                self._memory,
                self._races,
                grid,
                block,
                self._base,
                shared,
                function.local_bytes,
            )
            self._base += count
            try:
                _run(function, launch, parameters)
            finally:
                self._races.forget()

    def _check_launch(
        self,
        function: EmulatedFunction,
        grid: Dimensions,
        block: Dimensions,
        arguments: Sequence[int],
        shared: int,
    ) -> None:
        problem = ""
        expected = sum(map(_argument_count, function.function.parameters))
        if len(arguments) != expected:
            problem = f"it has {expected} parameters, and got {len(arguments)} arguments"
        elif min(*grid, *block) < 1:
            problem = "every dimension must be at least 1"
        elif grid[0] >= 1 << 31 or max(grid[1:]) >= 1 << 16:
            problem = "a grid has at most 2147483647 by 65535 by 65535 blocks"
        elif prod(block) > 1024 or block[2] > 64:
            problem = "a block has at most 1024 threads, and 64 along z"
        elif shared > (most := self.processor.shared_bytes):
            problem = f"it needs {shared} bytes of shared memory, a block has at most {most}"
        if problem:
            raise DeviceError(
                describe(
                    f"{function.name} cannot be launched: {problem}",
                    facts=[f"grid {grid}, block {block}"],
                )
            )

    def tensor_map(self, tensor: TensorMap) -> tuple[int, ...]:
        """See `Device.tensor_map`."""
        return described(tensor)

    def mark(self) -> EmulatedMark:
        """A point in time: launches have ended when they return."""
        return EmulatedMark()

    def synchronize(self) -> None:
        """Do nothing: launches have ended when they return."""


def _argument_count(parameter: Variable) -> int:
    """How many arguments, of up to 64 bits, a parameter takes."""
    return -(-parameter.size // 8)


def _parameters(function: PtxFunction, arguments: Sequence[int]) -> Parameters:
    """The numbers of each parameter, by its name and the distance in bytes from its start."""
    numbers, result = iter(arguments), Parameters()
    for parameter in function.parameters:
        size = min(parameter.size, 8)
        for number in range(_argument_count(parameter)):
            bits = next(numbers) % 2 ** (8 * size)
            result[parameter.name, 8 * number] = np.full((1, 1), bits, f"u{size}")
    return result


def _run(function: EmulatedFunction, launch: EmulatedLaunch, parameters: Parameters) -> None:
    """Run all blocks of a launch, some at a time."""
    together = max(1, min(_LANES // launch.threads, _SHARED_BYTES // max(1, launch.shared_size)))
    with np.errstate(all="ignore"):
        for first in range(0, launch.blocks, together):
            batch = BlockBatch(launch.blocks_from(first, min(together, launch.blocks - first)))
            function.run(batch, batch.flow, dict(parameters))
            batch.finish()
        batch.memory.finish_reads("global")


@lru_cache(maxsize=256)
def _translated(ptx: str, name: str, addresses: tuple[tuple[str, int], ...]) -> Compiled:
    """A kernel, and the functions that it may call, for variables at some addresses."""
    functions = _parse(ptx).functions
    compiled: dict[str, Compiled] = {}
    for function in functions.values():
        if not function.is_kernel and function.code:
            compiled[function.name] = translate(function, dict(addresses), functions, compiled)
    return translate(functions[name], dict(addresses), functions, compiled)
