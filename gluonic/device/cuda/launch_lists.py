"""Launches in a row by one call of machine code.

Calling ``cuLaunchKernel`` through ctypes, with eleven arguments, takes a microsecond besides the driver's time.
So what a list of launches passes to the driver is written down once, and a function of a few instructions walks
through it: it fills in the arguments that differ from call to call, and launches one kernel after the other.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, ClassVar

from llvmlite import binding as llvm

from gluonic.device.cuda.modules import CudaFunction
from gluonic.device.device import PreparedLaunch
from gluonic.support.deferred_signals import deferred_signals

_CODE = """
%argument = type { ptr, i64, i64 }
%launch = type { ptr, i32, i32, i32, i32, i32, i32, i32, ptr }
%list = type { ptr, ptr, i64, ptr, i64, ptr }

define i64 @queue(ptr %list) {
entry:
  %parts = load %list, ptr %list
  %values = extractvalue %list %parts, 0
  %arguments = extractvalue %list %parts, 1
  %argument_count = extractvalue %list %parts, 2
  %launches = extractvalue %list %parts, 3
  %launch_count = extractvalue %list %parts, 4
  %launch = extractvalue %list %parts, 5
  br label %next_argument
next_argument:
  %i = phi i64 [ 0, %entry ], [ %i_after, %fill ]
  %all_filled = icmp eq i64 %i, %argument_count
  br i1 %all_filled, label %next_launch, label %fill
fill:
  %argument_at = getelementptr %argument, ptr %arguments, i64 %i
  %argument = load %argument, ptr %argument_at
  %place = extractvalue %argument %argument, 0
  %index = extractvalue %argument %argument, 1
  %added = extractvalue %argument %argument, 2
  %value_at = getelementptr i64, ptr %values, i64 %index
  %value = load i64, ptr %value_at
  %sum = add i64 %value, %added
  store i64 %sum, ptr %place
  %i_after = add i64 %i, 1
  br label %next_argument
next_launch:
  %k = phi i64 [ 0, %next_argument ], [ %k_after, %queue ]
  %all_queued = icmp eq i64 %k, %launch_count
  br i1 %all_queued, label %done, label %queue
queue:
  %launch_at = getelementptr %launch, ptr %launches, i64 %k
  %what = load %launch, ptr %launch_at
  %function = extractvalue %launch %what, 0
  %grid_x = extractvalue %launch %what, 1
  %grid_y = extractvalue %launch %what, 2
  %grid_z = extractvalue %launch %what, 3
  %block_x = extractvalue %launch %what, 4
  %block_y = extractvalue %launch %what, 5
  %block_z = extractvalue %launch %what, 6
  %shared = extractvalue %launch %what, 7
  %pointers = extractvalue %launch %what, 8
  %status = call i32 %launch(ptr %function, i32 %grid_x, i32 %grid_y, i32 %grid_z, i32 %block_x, i32 %block_y,
                             i32 %block_z, i32 %shared, ptr null, ptr %pointers, ptr null)
  %k_after = add i64 %k, 1
  %is_queued = icmp eq i32 %status, 0
  br i1 %is_queued, label %next_launch, label %failed
failed:
  %wide = zext i32 %status to i64
  %high = shl i64 %k, 32
  %both = or i64 %high, %wide
  ret i64 %both
done:
  ret i64 0
}
"""
"""All launches go to the default stream. The result is 0, or a launch's index and the status of its failure."""


class _Argument(ctypes.Structure):
    """An argument that differs from call to call: where it is, the index of a value, what is added to that."""

    _fields_: ClassVar[Any] = [
        ("place", ctypes.c_void_p),
        ("index", ctypes.c_int64),
        ("added", ctypes.c_int64),
    ]


class _Launch(ctypes.Structure):
    """What ``cuLaunchKernel`` gets."""

    _fields_: ClassVar[Any] = [
        ("function", ctypes.c_void_p),
        *((name, ctypes.c_uint32) for name in ("grid_x", "grid_y", "grid_z")),
        *((name, ctypes.c_uint32) for name in ("block_x", "block_y", "block_z")),
        ("shared_bytes", ctypes.c_uint32),
        ("pointers", ctypes.c_void_p),
    ]


class _List(ctypes.Structure):
    """What the machine code gets."""

    _fields_: ClassVar[Any] = [
        ("values", ctypes.c_void_p),
        ("arguments", ctypes.c_void_p),
        ("argument_count", ctypes.c_int64),
        ("launches", ctypes.c_void_p),
        ("launch_count", ctypes.c_int64),
        ("launch", ctypes.c_void_p),
    ]


@cache
def _machine_code() -> tuple[Any, Any]:
    """The function, and what keeps its code."""
    with deferred_signals():
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        engine = llvm.create_lljit_compiler()
        library = llvm.JITLibraryBuilder().add_ir(_CODE).export_symbol("queue")
        tracker = library.link(engine, "launch_lists")
    return ctypes.CFUNCTYPE(ctypes.c_int64)(tracker["queue"]), tracker


class LaunchList:
    """Launches, ready to be queued. Only one thread at a time may do so.

    Parameters
    ----------
    launches : for kernels of one device
    values : the number of values of a call
    launch : the driver's function ``cuLaunchKernel``

    Attributes
    ----------
    names : those of the kernels, each once
    store : takes the values of the call that follows
    queue : queues the launches; the context must be current. Returns 0, or what `failure` reads
    """

    def __init__(self, launches: Sequence[PreparedLaunch], values: int, launch: Any) -> None:
        self.launches = tuple(launches)
        self.names = [*dict.fromkeys(each.function.name for each in launches)]
        self._values = (ctypes.c_int64 * values)()
        count = sum(len(each.arguments) for each in launches)
        self._block, self._pointers = (ctypes.c_int64 * count)(), (ctypes.c_void_p * count)()
        filled: list[_Argument] = []
        calls: list[_Launch] = []
        position = 0
        for each in launches:
            function = each.function
            assert isinstance(function, CudaFunction)
            pointers = ctypes.addressof(self._pointers) + 8 * position
            for index, number in each.arguments:
                place = self._pointers[position] = ctypes.addressof(self._block) + 8 * position
                if index is None:
                    self._block[position] = number
                else:
                    filled.append(_Argument(place, index, number))
                position += 1
            calls.append(
                _Launch(function.handle, *each.grid, *each.block, each.shared_bytes, pointers)
            )
        self._filled, self._calls = (
            (_Argument * len(filled))(*filled),
            (_Launch * len(calls))(*calls),
        )
        self._list = _List(
            ctypes.addressof(self._values), ctypes.addressof(self._filled), len(filled),
            ctypes.addressof(self._calls), len(calls), ctypes.cast(launch, ctypes.c_void_p),
        )  # fmt: skip
        self.store: Callable[..., None] = partial(
            struct.Struct(f"{values}q").pack_into, self._values, 0
        )
        code, _ = _machine_code()
        self.queue: Callable[[], int] = partial(code, ctypes.byref(self._list))

    def failure(self, result: int) -> tuple[PreparedLaunch, int]:
        """The launch that failed, and the driver's status."""
        return self.launches[result >> 32], result & 0xFFFFFFFF
