"""The costs of sharing a step itself: how soon workers begin, and what a step without work takes."""

import ctypes
import statistics
import time
from typing import Any

import numpy as np

from gluonic.codegen.machine import jit
from gluonic.codegen.machine.assembler import LLVMFunction, LLVMModule
from gluonic.codegen.machine.target import host
from gluonic.codegen.machine.workers import workers

_PATIENCE = 2_000_000
"""The nanoseconds that a unit waits for the others."""
_STEPS = 1000
"""The steps without work that are called in a row."""


class Meeting:
    """A step of some units: each notes the time, and waits until all have begun; and a step that does nothing.

    Parameters
    ----------
    units : the number of units, each of which needs a thread of its own
    """

    def __init__(self, units: int) -> None:
        self.units = units
        self.module = LLVMModule(host())
        self._clock = self.module.import_function("clock_gettime", "i32", ["i32", "ptr"])
        self._write_step()
        self._write_nothing()
        self._write_call("call", "meet", 1)
        self._write_call("calls", "nothing", _STEPS)
        imports, symbols = tuple(self.module.imports), self.module.symbols
        self.library = jit.load(self.module.text(), ["call", "calls"], imports, symbols=symbols)
        self.notes = np.zeros(units + 2, np.int64)
        self._operands = np.array([self.notes.ctypes.data], np.int64)
        kind = ctypes.CFUNCTYPE(None, ctypes.c_size_t, ctypes.c_size_t)
        self._call, self._calls = kind(self.library["call"]), kind(self.library["calls"])

    def delays(self) -> Any:
        """The microseconds from a call until each unit begins, sorted, without those that began too late."""
        self.notes[:] = 0
        self._call(workers().share, self._operands.ctypes.data)
        begun, start = self.notes[: self.units], self.notes[-1]
        delays = np.sort(begun - start)
        return delays[delays < _PATIENCE] / 1e3

    def empty_step(self) -> float:
        """The microseconds that a step takes whose units do nothing."""
        start = time.perf_counter()
        self._calls(workers().share, self._operands.ctypes.data)
        return (time.perf_counter() - start) * 1e6 / _STEPS

    def _function(self, name: str) -> LLVMFunction:
        arguments = ["ptr %operands", "ptr %numbers", "i64 %begin", "i64 %end"]
        return LLVMFunction(self.module, name, arguments)

    def _write_nothing(self) -> None:
        self._function("nothing").finish()

    def _write_step(self) -> None:
        f = self._function("meet")
        notes = f.op("load ptr, ptr %operands")
        start = self._now(f)
        with f.loop("%begin", "%end") as unit:
            f.do(f"store i64 {start}, ptr {f.op(f'getelementptr i64, ptr {notes}, i64 {unit}')}")
        count = f.op(f"getelementptr i64, ptr {notes}, i64 {self.units}")
        own = f.op("sub i64 %end, %begin")
        f.op(f"atomicrmw add ptr {count}, i64 {own} seq_cst")
        wait, after = f.label("wait"), f.label("after")
        f.do(f"br label %{wait}")
        f.start(wait)
        there = f.op(f"load atomic i64, ptr {count} seq_cst, align 8")
        waited = f.op(f"sub i64 {self._now(f)}, {start}")
        came = f.op(f"icmp sge i64 {there}, {self.units}")
        late = f.op(f"icmp sgt i64 {waited}, {_PATIENCE}")
        f.do(f"br i1 {f.op(f'or i1 {came}, {late}')}, label %{after}, label %{wait}")
        f.start(after)
        f.finish()

    def _write_call(self, name: str, step: str, times: int) -> None:
        """Write the function that notes the time and shares a step, so many times."""
        f = LLVMFunction(self.module, name, ["ptr %share", "ptr %operands"])
        notes, units = f.op("load ptr, ptr %operands"), self.units
        last = f.op(f"getelementptr i64, ptr {notes}, i64 {units + 1}")
        f.do(f"store i64 {self._now(f)}, ptr {last}")
        with f.loop("0", str(times)):
            f.do(
                f"call void %share(ptr @{step}, ptr %operands, ptr null, i64 {units}, i64 1,"
                f" i64 {units}, i64 1, i64 0)"
            )
        f.finish()

    def _now(self, f: LLVMFunction) -> str:
        moment = f.slot("[2 x i64]", 8)
        f.op(f"call i32 {self._clock}(i32 {time.CLOCK_MONOTONIC}, ptr {moment})")
        seconds = f.op(f"load i64, ptr {moment}")
        address = f.op(f"getelementptr i64, ptr {moment}, i64 1")
        return f.op(
            f"add i64 {f.op(f'mul i64 {seconds}, 1000000000')}, {f.op(f'load i64, ptr {address}')}"
        )


def costs_of_sharing(threads: int, pauses: tuple[float, ...] = (0.0, 0.002)) -> dict[str, Any]:
    """What sharing costs with so many threads, in microseconds.

    Parameters
    ----------
    pauses : the seconds between calls; after a long one workers sleep

    Returns
    -------
    dict
        ``"empty step"``, and for each pause how many threads began and when the second and the last of them did
        (medians)
    """
    meeting = Meeting(threads)
    meeting.empty_step()
    costs: dict[str, Any] = {"empty step": min(meeting.empty_step() for _ in range(5))}
    for pause in pauses:
        rows = []
        for _ in range(60):
            end = time.perf_counter() + pause
            while time.perf_counter() < end:
                pass
            rows.append(meeting.delays())
        some = [row for row in rows if len(row) > 1]
        if some:
            costs[f"after {pause * 1e3:g} ms"] = {
                "threads": statistics.median(map(len, rows)),
                "second": statistics.median(float(row[1]) for row in some),
                "last": statistics.median(float(row[-1]) for row in some),
            }
    return costs
