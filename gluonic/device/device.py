"""What a device with memory of its own must do. All addresses are the device's, all sizes are in bytes.

Work is *queued*: copies within the device, fills and launches return at once and run one after the other,
in the order in which they were asked for. Memory is freed in the same order, so a buffer may be dropped
while a launch that reads it still waits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from gluonic.device.errors import DeviceError
from gluonic.graph.errors import describe

if TYPE_CHECKING:
    from gluonic.device.processors import Processor
    from gluonic.device.tensor_maps import TensorMap

Dimensions = tuple[int, int, int]
Argument = tuple[int | None, int]
"""The index of a value of a call, and a number that is added to it; of None, the number."""


class MemoryInfo(NamedTuple):
    """The memory of a device, in bytes: `free` is what can still be allocated, pooled memory included."""

    free: int
    total: int


class Buffer:
    """Memory on a device; a subclass gives it back when nothing refers to the object any more.

    Attributes
    ----------
    device : the device that has it
    address : the address of its first byte there
    size : in bytes
    """

    __slots__ = ("__weakref__", "address", "device", "size")

    def __init__(self, device: Device, address: int, size: int) -> None:
        self.device, self.address, self.size = device, address, size


class DeviceFunction(ABC):
    """A kernel that a device has loaded.

    Attributes
    ----------
    name : that of its entry
    registers, shared_bytes : what a thread and a block use, as far as the device says
    """

    name: str
    registers: int = 0
    shared_bytes: int = 0


Loading = Callable[[], list[DeviceFunction]]
"""Waits for kernels that a device is loading."""


class PreparedLaunch(NamedTuple):
    """A launch whose arguments are known but for some values, which follow with each call.

    Attributes
    ----------
    function : the kernel
    grid, block : see `Device.launch`
    arguments : those for each 64 bits of parameters
    shared_bytes : see `Device.launch`
    """

    function: DeviceFunction
    grid: Dimensions
    block: Dimensions
    arguments: tuple[Argument, ...]
    shared_bytes: int = 0

    def with_values(self, values: Sequence[int]) -> list[int]:
        """The arguments of a call with these values."""
        return [n if index is None else values[index] + n for index, n in self.arguments]


class Mark(ABC):
    """A point in a device's work, which is reached when all that was queued before is done."""

    @abstractmethod
    def seconds_since(self, start: Self) -> float:
        """The time between two points on the device, in seconds; waits for this one."""


class Later(ABC):
    """Bytes of a device that the host gets when the work that was queued before is done."""

    @abstractmethod
    def read(self) -> bytes:
        """The bytes; waits for that work, not for what was queued later."""


class _Now(Later):
    """Bytes that the host has already."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def read(self) -> bytes:
        """The bytes."""
        return self._content


class Device(ABC):
    """A device: memory, copies, kernels.

    Attributes
    ----------
    ordinal : its number: that of its context, ``gpu(ordinal)``
    name : what it calls itself
    processor : what it can run
    keeps_apart : whether results of a graph should not share memory, so that the device can check accesses
    """

    ordinal: int
    name: str
    processor: Processor
    keeps_apart: bool = False

    @abstractmethod
    def allocate(self, size: int) -> Buffer:
        """New memory, with unspecified contents, aligned to 256 bytes.

        Raises
        ------
        DeviceMemoryError
            if there is not enough
        """

    def allocator(self, size: int) -> Callable[[], Buffer]:
        """A function that allocates so many bytes at each call."""
        return partial(self.allocate, size)

    @abstractmethod
    def copy_in(self, address: int, source: npt.NDArray[np.generic]) -> None:
        """Copy a contiguous array of the host to the device; the array may be changed afterwards."""

    @abstractmethod
    def copy_out(self, target: npt.NDArray[np.generic], address: int) -> None:
        """Wait for all queued work, and fill a contiguous array of the host from the device."""

    def received(self, source: npt.NDArray[np.generic]) -> Buffer:
        """New memory with a copy of a contiguous array of the host, which may be changed afterwards."""
        buffer = self.allocate(source.nbytes)
        if source.nbytes:
            self.copy_in(buffer.address, source)
        return buffer

    def host_array(self, size: int) -> npt.NDArray[np.uint8]:
        """An array of the host of so many bytes, with unspecified values, which can be copied here quickly."""
        return np.empty(size, np.uint8)

    def later(self, address: int, size: int) -> Later:
        """What memory holds when all that was queued so far is done."""
        target = np.empty(size, np.uint8)
        self.copy_out(target, address)
        return _Now(target.tobytes())

    @abstractmethod
    def copy_within(self, target: int, source: int, size: int) -> None:
        """Copy memory that does not overlap from one address to another."""

    def copy_across(self, target: int, other: Device, source: int, size: int) -> None:
        """Copy memory of another device to this one; by way of the host, if they cannot without it."""
        content = np.empty(size, np.uint8)
        other.copy_out(content, source)
        self.copy_in(target, content)

    @abstractmethod
    def fill(self, address: int, pattern: bytes, count: int) -> None:
        """Repeat a pattern of 1, 2 or 4 bytes."""

    @abstractmethod
    def load(self, ptx: str, names: Sequence[str]) -> list[DeviceFunction]:
        """Load a module; return the kernels of these names, which the device keeps while they are used."""

    def begin_to_load(self, ptx: str, names: Sequence[str]) -> Loading:
        """Begin to load a module as `load` does; what this returns waits for the kernels."""
        functions = self.load(ptx, names)
        return lambda: functions

    @abstractmethod
    def launch(
        self,
        function: DeviceFunction,
        grid: Dimensions,
        block: Dimensions,
        arguments: Sequence[int],
        shared_bytes: int = 0,
    ) -> None:
        """Run a kernel.

        Parameters
        ----------
        grid, block : the number of blocks, and of threads in a block, along x, y and z
        arguments : the kernel's parameters; all are 64 bits: addresses and signed integers. A parameter of more
            bytes takes several
        shared_bytes : shared memory for each block besides what the kernel declares
        """

    def tensor_map(self, tensor: TensorMap) -> tuple[int, ...]:
        """The arguments for a parameter that describes a matrix, to the first of which its address is added.

        Raises
        ------
        DeviceError
            if the device has no engine that copies boxes of matrices
        """
        raise DeviceError(
            describe(f"{self.name} does not copy boxes of matrices", facts=[str(tensor)])
        )

    def prepared(self, launches: Sequence[PreparedLaunch], values: int) -> Callable[..., None]:
        """A function that runs kernels one after the other, with less work for each call than `launch` needs.

        Parameters
        ----------
        values : the number of the function's parameters, integers of 64 bits that arguments are made of

        Notes
        -----
        The function keeps the kernels. Launches without blocks are left out.
        """
        launches = [each for each in launches if 0 not in each.grid]

        def launch_all(*values: int) -> None:
            for each in launches:
                arguments = each.with_values(values)
                self.launch(each.function, each.grid, each.block, arguments, each.shared_bytes)

        return launch_all

    @abstractmethod
    def synchronize(self) -> None:
        """Wait for all queued work.

        Raises
        ------
        DeviceError
            if a kernel failed
        """

    @abstractmethod
    def mark(self) -> Mark:
        """A point in the device's work: after all that was queued so far."""

    @abstractmethod
    def memory_info(self) -> MemoryInfo:
        """The free and the total memory."""

    @abstractmethod
    def empty_cache(self) -> None:
        """Give pooled memory that is not in use back to the driver."""
