"""Modules of PTX, and the kernels in them."""

from __future__ import annotations

import ctypes
import re
import struct
from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate

from gluonic.device.cuda.driver import Driver
from gluonic.device.device import DeviceFunction, Dimensions
from gluonic.device.errors import DeviceError
from gluonic.graph.errors import describe

_ENTRY = re.compile(r"\.entry\s+([\w$.]+)\s*(?:\(([^)]*)\))?")
_PARAMETER = re.compile(r"\.param[^,\[]*(?:\[(\d+)\])?")
_LOG_BYTES = 16 << 10
_INFO_LOG, _INFO_LOG_SIZE, _ERROR_LOG, _ERROR_LOG_SIZE = 3, 4, 5, 6
_SHARED, _LOCAL, _REGISTERS, _MOST_DYNAMIC_SHARED = 1, 3, 4, 8


class LoadedPtx:
    """A loaded module, which is unloaded some time after no kernel of it is used any more.

    Parameters
    ----------
    driver : the driver
    ptx : the text
    unused : functions that free what is not used any more, called when no work waits
    """

    def __init__(self, driver: Driver, ptx: str, unused: list[Callable[[], None]]) -> None:
        self._driver, self._unused, self.handle = driver, unused, 0
        log, errors = (ctypes.create_string_buffer(_LOG_BYTES) for _ in range(2))
        options = (ctypes.c_int * 4)(_INFO_LOG, _INFO_LOG_SIZE, _ERROR_LOG, _ERROR_LOG_SIZE)
        values = (ctypes.c_void_p * 4)(
            ctypes.addressof(log), _LOG_BYTES, ctypes.addressof(errors), _LOG_BYTES
        )
        handle = ctypes.c_void_p()
        name = "cuModuleLoadDataEx"
        status = driver.function(name)(ctypes.byref(handle), ptx.encode(), 4, options, values)
        if status:
            heads = re.findall(r"^\s*(\.(?:version|target)[^\n]*)", ptx, re.MULTILINE)
            said = errors.value.decode(errors="replace").strip().splitlines()[:8]
            kernels = ", ".join(parameters_of(ptx))
            facts = [f"the PTX has {' '.join(heads)}", f"kernels: {kernels}", *said]
            raise driver.error(name, status, facts)
        self.handle = handle.value or 0

    def __del__(self) -> None:
        driver, handle = self._driver, self.handle
        if handle:
            self._unused.append(lambda: driver.call("cuModuleUnload", handle))


def parameters_of(ptx: str) -> dict[str, list[int]]:
    """How many arguments, of 64 bits, each of a kernel's parameters takes.

    >>> parameters_of(".visible .entry k(.param .u64 a, .param .align 64 .b8 b[128]) { ret; }")
    {'k': [1, 16]}
    """
    return {
        name: [int(size or 8) // 8 for size in _PARAMETER.findall(inside or "")]
        for name, inside in _ENTRY.findall(ptx)
    }


class CudaFunction(DeviceFunction):
    """A kernel that the driver has loaded.

    Parameters
    ----------
    module : its module, which it keeps
    name : that of its entry
    sizes : the number of arguments of each parameter

    Attributes
    ----------
    count, starts : the number of arguments, and that of the first one of each parameter
    registers : of a thread
    shared_bytes : of a block, as the kernel declares them
    local_bytes : what a thread keeps in memory for lack of registers, and arrays of its own
    most_shared_bytes : what a block may have besides, at present
    handle, addresses : what launches pass to the driver; pointers to the arguments
    store : writes the arguments where `addresses` point; all launches of the kernel share that place
    """

    def __init__(self, driver: Driver, module: LoadedPtx, name: str, sizes: Sequence[int]) -> None:
        self.name, self._driver, self._module = name, driver, module
        *self.starts, count = accumulate(sizes, initial=0)
        self.count = count
        number = driver.number("cuModuleGetFunction", ctypes.c_void_p, module.handle, name.encode())
        self.handle = ctypes.c_void_p(number)
        self.registers, self.local_bytes, self.shared_bytes = (
            driver.number("cuFuncGetAttribute", ctypes.c_int, attribute, self.handle)
            for attribute in (_REGISTERS, _LOCAL, _SHARED)
        )
        self.most_shared_bytes = max((48 << 10) - self.shared_bytes, 0)
        values = (ctypes.c_int64 * max(count, 1))()
        first = ctypes.addressof(values)
        self.addresses = (ctypes.c_void_p * max(count, 1))(*[first + 8 * i for i in self.starts])
        self.store: Callable[..., None] = partial(struct.Struct(f"{count}q").pack_into, values, 0)

    def allow(self, size: int) -> None:
        """Let blocks have so much shared memory, in bytes, besides what the kernel declares.

        Raises
        ------
        DeviceError
            if the device has not so much
        """
        if size <= self.most_shared_bytes:
            return
        name = "cuFuncSetAttribute"
        status = self._driver.function(name)(self.handle, _MOST_DYNAMIC_SHARED, size)
        if status:
            declared = f"kernel {self.name}: {size} bytes besides {self.shared_bytes} it declares"
            raise self._driver.error(name, status, [f"shared memory of a block of {declared}"])
        self.most_shared_bytes = size

    def described(
        self, grid: Dimensions, block: Dimensions, arguments: Sequence[int], shared_bytes: int
    ) -> list[str]:
        """What an error says about a launch."""
        return [
            f"kernel {self.name}: grid {grid}, block {block}, {self.registers} registers a thread",
            f"shared memory of a block: {self.shared_bytes} + {shared_bytes} bytes",
            f"arguments: {', '.join(f'{int(one):#x}' for one in arguments) or 'none'}",
        ]

    def refuse_arguments(self, arguments: Sequence[int]) -> DeviceError:
        """The error that there are too few or too many arguments, or one is no integer of 64 bits."""
        return DeviceError(
            describe(
                f"kernel {self.name} has {self.count} parameters of 64 bits",
                facts=[f"launched with {len(arguments)} arguments: {[*arguments]}"],
            )
        )
