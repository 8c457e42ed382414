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

from gluonic.device.cuda.driver import Driver
from gluonic.device.cuda.functions import KernelNode
from gluonic.device.cuda.launch_graphs import FIRST_VERSION, LaunchGraph
from gluonic.device.cuda.modules import CudaFunction
from gluonic.device.device import PreparedLaunch
from gluonic.support.deferred_signals import deferred_signals

_FUNCTIONS = ("cuLaunchKernel", "cuGraphExecKernelNodeSetParams", "cuGraphLaunch")
_STATUS_BITS, _INDEX_BITS = 32, 24
_CODE = """
%argument = type { ptr, i64, i64, i64 }
%launch = type { ptr, i32, i32, i32, i32, i32, i32, i32, ptr, ptr }
%list = type { ptr, ptr, i64, ptr, i64, ptr, ptr, ptr, ptr, ptr, ptr }

define i64 @queue(ptr %list) {
entry:
  %parts = load %list, ptr %list
  %values = extractvalue %list %parts, 0
  %arguments = extractvalue %list %parts, 1
  %argument_count = extractvalue %list %parts, 2
  %launches = extractvalue %list %parts, 3
  %launch_count = extractvalue %list %parts, 4
  %launch = extractvalue %list %parts, 5
  %changed = extractvalue %list %parts, 6
  %executable = extractvalue %list %parts, 7
  %nodes = extractvalue %list %parts, 8
  %set_node = extractvalue %list %parts, 9
  %launch_graph = extractvalue %list %parts, 10
  br label %next_argument
next_argument:
  %i = phi i64 [ 0, %entry ], [ %i_after, %filled ]
  %all_filled = icmp eq i64 %i, %argument_count
  br i1 %all_filled, label %choose, label %fill
fill:
  %argument_at = getelementptr %argument, ptr %arguments, i64 %i
  %argument = load %argument, ptr %argument_at
  %place = extractvalue %argument %argument, 0
  %index = extractvalue %argument %argument, 1
  %added = extractvalue %argument %argument, 2
  %value_at = getelementptr i64, ptr %values, i64 %index
  %value = load i64, ptr %value_at
  %sum = add i64 %value, %added
  %before = load i64, ptr %place
  %is_same = icmp eq i64 %before, %sum
  br i1 %is_same, label %filled, label %change
change:
  store i64 %sum, ptr %place
  %of_launch = extractvalue %argument %argument, 3
  %mark = getelementptr i8, ptr %changed, i64 %of_launch
  store i8 1, ptr %mark
  br label %filled
filled:
  %i_after = add i64 %i, 1
  br label %next_argument

choose:
  %has_graph = icmp ne ptr %executable, null
  br i1 %has_graph, label %next_mark, label %next_launch
next_mark:
  %m = phi i64 [ 0, %choose ], [ %m_after, %count ]
  %marks = phi i64 [ 0, %choose ], [ %marks_after, %count ]
  %all_counted = icmp eq i64 %m, %launch_count
  br i1 %all_counted, label %counted, label %count
count:
  %m_at = getelementptr i8, ptr %changed, i64 %m
  %m_mark = load i8, ptr %m_at
  %m_wide = zext i8 %m_mark to i64
  %marks_after = add i64 %marks, %m_wide
  %m_after = add i64 %m, 1
  br label %next_mark
counted:
  %doubled = shl i64 %marks, 1
  %pays = icmp ule i64 %doubled, %launch_count
  br i1 %pays, label %next_node, label %next_launch
next_node:
  %n = phi i64 [ 0, %counted ], [ %n_after, %node_done ]
  %all_set = icmp eq i64 %n, %launch_count
  br i1 %all_set, label %queue_graph, label %look
look:
  %n_after = add i64 %n, 1
  %n_at = getelementptr i8, ptr %changed, i64 %n
  %n_mark = load i8, ptr %n_at
  %is_marked = icmp ne i8 %n_mark, 0
  br i1 %is_marked, label %set, label %node_done
set:
  %node_at = getelementptr ptr, ptr %nodes, i64 %n
  %node = load ptr, ptr %node_at
  %new_at = getelementptr %launch, ptr %launches, i64 %n
  %set_status = call i32 %set_node(ptr %executable, ptr %node, ptr %new_at)
  %was_set = icmp eq i32 %set_status, 0
  br i1 %was_set, label %unmark, label %set_failed
unmark:
  store i8 0, ptr %n_at
  br label %node_done
node_done:
  br label %next_node
set_failed:
  %set_wide = zext i32 %set_status to i64
  %set_high = shl i64 %n, 32
  %set_both = or i64 %set_high, %set_wide
  %set_result = or i64 %set_both, {SET_NODE}
  ret i64 %set_result
queue_graph:
  %graph_status = call i32 %launch_graph(ptr %executable, ptr null)
  %graph_queued = icmp eq i32 %graph_status, 0
  br i1 %graph_queued, label %done, label %graph_failed
graph_failed:
  %graph_wide = zext i32 %graph_status to i64
  %graph_result = or i64 %graph_wide, {LAUNCH_GRAPH}
  ret i64 %graph_result

next_launch:
  %k = phi i64 [ 0, %choose ], [ 0, %counted ], [ %k_after, %queue ]
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
"""All launches go to the default stream. The result is 0; or, from the highest bits on, the index in
`_FUNCTIONS` of the function that failed, the index of a launch, and the status.

Launches whose arguments differ from those of the call before are marked. Where there is a graph, and at most
half of the launches are marked, their nodes are changed, and the graph is queued; a mark stays until then.
"""
_LEAST_IN_GRAPH, _CALLS_BEFORE_GRAPH = 2, 8
"""From so many launches on, and after so many calls, they become a graph."""


class _Argument(ctypes.Structure):
    """What differs from call to call: its place, the index of a value, what is added, its launch."""

    _fields_: ClassVar[Any] = [
        ("place", ctypes.c_void_p),
        ("index", ctypes.c_int64),
        ("added", ctypes.c_int64),
        ("launch", ctypes.c_int64),
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
        ("changed", ctypes.c_void_p),
        ("executable", ctypes.c_void_p),
        ("nodes", ctypes.c_void_p),
        ("set_node", ctypes.c_void_p),
        ("launch_graph", ctypes.c_void_p),
    ]


@cache
def _machine_code() -> tuple[Any, Any]:
    """The function, and what keeps its code."""
    code = _CODE
    for number, name in enumerate(("SET_NODE", "LAUNCH_GRAPH"), start=1):
        code = code.replace(f"{{{name}}}", str(number << _STATUS_BITS + _INDEX_BITS))
    with deferred_signals():
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        engine = llvm.create_lljit_compiler()
        library = llvm.JITLibraryBuilder().add_ir(code).export_symbol("queue")
        tracker = library.link(engine, "launch_lists")
    return ctypes.CFUNCTYPE(ctypes.c_int64)(tracker["queue"]), tracker


class LaunchList:
    """Launches, ready to be queued. Only one thread at a time may do so.

    Parameters
    ----------
    launches : for kernels of one device
    values : the number of values of a call
    driver : the driver
    unused : functions that free what is not used any more, called when no work waits; None to make no graph

    Attributes
    ----------
    names : those of the kernels, each once
    store : takes the values of the call that follows
    """

    def __init__(
        self,
        launches: Sequence[PreparedLaunch],
        values: int,
        driver: Driver,
        unused: list[Callable[[], None]] | None,
    ) -> None:
        self.launches, self._driver, self._unused = tuple(launches), driver, unused
        self.names = [*dict.fromkeys(each.function.name for each in launches)]
        self._values = (ctypes.c_int64 * values)()
        count = sum(len(each.arguments) for each in launches)
        self._block, self._pointers = (ctypes.c_int64 * count)(), (ctypes.c_void_p * count)()
        filled: list[_Argument] = []
        calls: list[KernelNode] = []
        position = parameter = 0
        for k, each in enumerate(launches):
            function = each.function
            assert isinstance(function, CudaFunction)
            pointers = ctypes.addressof(self._pointers) + 8 * parameter
            start = ctypes.addressof(self._block) + 8 * position
            for first in function.starts:
                self._pointers[parameter] = start + 8 * first
                parameter += 1
            for index, number in each.arguments:
                place = ctypes.addressof(self._block) + 8 * position
                if index is None:
                    self._block[position] = number
                else:
                    filled.append(_Argument(place, index, number, k))
                position += 1
            calls.append(
                KernelNode(
                    function.handle, *each.grid, *each.block, each.shared_bytes, pointers, None
                )
            )
        self._filled = (_Argument * len(filled))(*filled)
        self._calls = (KernelNode * len(calls))(*calls)
        self._changed = (ctypes.c_char * len(calls))()
        self._list = _List(
            ctypes.addressof(self._values), ctypes.addressof(self._filled), len(filled),
            ctypes.addressof(self._calls), len(calls), driver.address(_FUNCTIONS[0]),
            ctypes.addressof(self._changed),
        )  # fmt: skip
        self.store: Callable[..., None] = partial(
            struct.Struct(f"{values}q").pack_into, self._values, 0
        )
        code, _ = _machine_code()
        self._run: Callable[[], int] = partial(code, ctypes.byref(self._list))
        is_long = len(calls) >= _LEAST_IN_GRAPH and driver.version >= FIRST_VERSION
        self._calls_left = _CALLS_BEFORE_GRAPH if is_long and unused is not None else 0
        self._graph: LaunchGraph | None = None

    def queue(self) -> int:
        """Queue the launches; the context must be current. Returns 0, or what `failure` reads."""
        if self._calls_left:
            self._calls_left -= 1
            if not self._calls_left:
                self._make_graph()
        return self._run()

    def _make_graph(self) -> None:
        """Let the driver queue the launches of the calls that follow at once."""
        assert self._unused is not None
        driver, parts = self._driver, self._list
        self._graph = graph = LaunchGraph(driver, self._calls, self._unused)
        ctypes.memset(self._changed, 0, len(self._changed))
        parts.nodes, parts.executable = ctypes.addressof(graph.nodes), graph.executable
        _, parts.set_node, parts.launch_graph = map(driver.address, _FUNCTIONS)

    def failure(self, result: int) -> tuple[str, PreparedLaunch, int]:
        """The function that failed, the launch, or the first one of a graph, and the driver's status."""
        rest, status = divmod(result, 1 << _STATUS_BITS)
        function, number = divmod(rest, 1 << _INDEX_BITS)
        return _FUNCTIONS[function], self.launches[number], status
