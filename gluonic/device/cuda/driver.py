"""The library of NVIDIA's driver: found, loaded and called, with every status checked."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from gluonic.device.cuda.functions import ARGUMENTS
from gluonic.device.errors import DeviceError, NoDeviceError
from gluonic.device.processors import Version
from gluonic.graph.errors import describe
from gluonic.support.forks import in_forked_children
from gluonic.support.locks import lock

_FILES = (
    ("nvcuda.dll",)
    if sys.platform == "win32"
    else ("libcuda.so.1", "libcuda.so", "/usr/lib/wsl/lib/libcuda.so.1")
)
FILE_VARIABLE = "GLUONIC_CUDA_DRIVER"
"""An environment variable with the driver's file, where the system's linker does not find it."""

OUT_OF_MEMORY = 2
_NO_DEVICE, _NOT_INITIALIZED = 100, 3
_HINTS: dict[int, str] = {
    _NOT_INITIALIZED: "starting processes by spawn: a fork of a process that has used a GPU cannot use it",
    _NO_DEVICE: "nvidia-smi, and CUDA_VISIBLE_DEVICES, which may hide GPUs",
    46: "nvidia-smi: another process uses the GPU alone",
    101: "a smaller number: mx.context.num_gpus() tells how many there are",
    214: "nvidia-smi -q: the GPU's memory is damaged",
    222: "a newer driver",
    803: "restarting the machine: the driver's library and its kernel module have different versions",
    804: "a newer driver",
}
_LOST = "restarting the process: the driver gives it no GPU any more"
_LOST_AFTER = {220, 226, 700, 702, 709, 710, *range(714, 720), 999}
"""After these, every further call in the process fails."""


class _ThreadState(threading.local):
    """Whether the context of the only GPU is known to be the thread's."""

    has_context = False


class Driver:
    """The driver's library; nothing but `cuInit` is called.

    Parameters
    ----------
    library : the loaded library

    Attributes
    ----------
    version : the version of CUDA that it is for
    thread : what is known of the current thread
    forked : whether this process is a child of the one that has loaded the library
    """

    version: Version

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library
        self._functions: dict[str, Callable[..., int]] = {}
        self.thread, self.forked = _ThreadState(), False
        self.version = (0, 0)
        number = ctypes.c_int()
        self.call("cuDriverGetVersion", ctypes.byref(number))
        self.version = number.value // 1000, number.value % 1000 // 10
        self.call("cuInit", 0)
        _drivers.add(self)

    def function(self, name: str, *, typed: bool = True) -> Callable[..., int]:
        """One of the functions of `ARGUMENTS`, whose status the caller checks.

        Parameters
        ----------
        name : that of the function
        typed : whether ctypes converts the arguments; without that, they must be ctypes' own numbers and
            pointers, or fit an ``int``, and a call is quicker
        """
        try:
            function = self._library[name]
        except AttributeError:
            raise DeviceError(
                describe(
                    f"the driver has no function {name}",
                    facts=[f"it is for CUDA {self.version[0]}.{self.version[1]}"],
                    hint="a newer driver",
                )
            ) from None
        if typed:
            function.argtypes = ARGUMENTS[name]
        return function

    def address(self, name: str) -> int:
        """The address of a function, for machine code that calls it."""
        function: Any = self.function(name)
        return ctypes.cast(function, ctypes.c_void_p).value or 0

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function.

        Raises
        ------
        DeviceError
            if it fails
        """
        status = self.status(name, *arguments)
        if status:
            raise self.error(name, status)

    def status(self, name: str, *arguments: Any) -> int:
        """Call a function; the caller checks the status that it returns."""
        if self.forked:
            raise forked()
        function = self._functions.get(name)
        if function is None:
            function = self._functions[name] = self.function(name)
        return function(*arguments)

    def number(self, name: str, kind: Any, *arguments: Any) -> int:
        """What a function writes to its first argument, which is a number or a handle of a type of ctypes."""
        value = kind()
        self.call(name, ctypes.byref(value), *arguments)
        return value.value or 0

    def count(self) -> int:
        """The number of GPUs that this process may use; asking makes no context on any of them."""
        return self.number("cuDeviceGetCount", ctypes.c_int)

    def error(self, name: str, status: int, facts: Sequence[str] = ()) -> DeviceError:
        """The error that a function returned a status."""
        kind = NoDeviceError if status in (_NO_DEVICE, 101) else DeviceError
        hint = _LOST if status in _LOST_AFTER else _HINTS.get(status, "")
        text = f"{name}: {self._text('cuGetErrorString', status)} ({self._text('cuGetErrorName', status)})"
        version = ".".join(map(str, self.version))
        return kind(describe(text, facts=[*facts, f"the driver is for CUDA {version}"], hint=hint))

    def _text(self, name: str, status: int) -> str:
        text = ctypes.c_char_p()
        self.function(name)(status, ctypes.byref(text))
        return (text.value or f"error {status}".encode()).decode()


def is_lost(status: int) -> bool:
    """Whether a status means that the process has no GPU any more."""
    return status in _LOST_AFTER


_drivers: weakref.WeakSet[Driver] = weakref.WeakSet()
_lock = lock()


class _Loaded:
    """The driver of the process, once a GPU has been asked for."""

    driver: Driver | None = None


def driver() -> Driver:
    """The driver; it is loaded by the first call.

    Raises
    ------
    NoDeviceError
        if there is none
    """
    with _lock:
        if _Loaded.driver is None:
            _Loaded.driver = Driver(_library())
    return _Loaded.driver


def _library() -> ctypes.CDLL:
    given = os.environ.get(FILE_VARIABLE)
    tried = []
    for file in (given,) if given else _FILES:
        try:
            return ctypes.CDLL(file)
        except OSError as error:
            tried.append(str(error))
    raise NoDeviceError(
        describe(
            "there is no NVIDIA driver",
            facts=[f"looked for {tried[0]}", *tried[1:]],
            hint="installing the driver (in containers: --gpus all); without a GPU: mx.cpu()",
        )
    )


def forked() -> DeviceError:
    """The error that a forked child uses the GPU of its parent."""
    return DeviceError(
        describe(
            "a forked process cannot use the GPU that its parent has used",
            facts=[f"this is process {os.getpid()}, forked from {os.getppid()}"],
            hint='multiprocessing.set_start_method("spawn"), or nd.array(…, ctx=mx.cpu()) in the child',
        )
    )


def _mark_forked() -> None:
    for each in _drivers:
        each.forked, each.thread.has_context = True, False


in_forked_children(_mark_forked)
