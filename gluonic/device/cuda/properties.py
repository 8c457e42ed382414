"""What the driver tells of a GPU; asking makes no context there."""

from __future__ import annotations

import ctypes
from typing import Any

from gluonic.device.cuda.driver import Driver
from gluonic.device.processors import Processor, Version, choose
from gluonic.support.record import record

_ATTRIBUTES = {
    "clock_khz": 13,
    "multiprocessors": 16,
    "l2_bytes": 38,
    "multiprocessor_threads": 39,
    "multiprocessor_shared_bytes": 81,
    "shared_bytes": 97,
}
"""The driver's numbers of those attributes that `Processor` has, under its names."""
_MAJOR, _MINOR, _PAGEABLE_MEMORY_ACCESS = 75, 76, 88


@record
class Properties:
    """A GPU.

    Attributes
    ----------
    number : the driver's
    name : what it calls itself
    capability : its compute capability
    memory : its size, in bytes
    reads_host_memory : whether it reads ordinary memory of the host, so that copies may take their time with it
    numbers : what `Processor` must be told
    """

    number: int
    name: str
    capability: Version
    memory: int
    reads_host_memory: bool
    numbers: tuple[tuple[str, int], ...]

    def processor(self, cuda: Version, llvm: int) -> Processor:
        """The processor to compile for, with a driver for a version of CUDA and a version of LLVM.

        Raises
        ------
        NoDeviceError
            if there is none that both know
        """
        name, ptx = choose(self.capability, cuda, llvm)
        numbers: dict[str, Any] = dict(self.numbers)
        return Processor(name, ptx, **numbers)

    def __str__(self) -> str:
        major, minor = self.capability
        multiprocessors = dict(self.numbers)["multiprocessors"]
        return (
            f"{self.name}, compute capability {major}.{minor}, {multiprocessors} multiprocessors, "
            f"{self.memory / 2**30:.1f} GiB"
        )


def properties(driver: Driver, ordinal: int) -> Properties:
    """The properties of one of the driver's GPUs."""
    number = driver.number("cuDeviceGet", ctypes.c_int, ordinal)

    def attribute(which: int) -> int:
        return driver.number("cuDeviceGetAttribute", ctypes.c_int, which, number)

    text = ctypes.create_string_buffer(256)
    driver.call("cuDeviceGetName", text, len(text), number)
    return Properties(
        number,
        text.value.decode(errors="replace"),
        (attribute(_MAJOR), attribute(_MINOR)),
        driver.number("cuDeviceTotalMem_v2", ctypes.c_size_t, number),
        bool(attribute(_PAGEABLE_MEMORY_ACCESS)),
        tuple((name, attribute(which)) for name, which in _ATTRIBUTES.items()),
    )
