"""Interrupting a compilation or a call leaves LLVM usable, unlocked and without leaks."""

import gc
import resource
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gluonic.codegen.compiled import CompiledGraph
from gluonic.codegen.machine import jit
from gluonic.codegen.machine.target import load_llvm
from gluonic.codegen.runtime.frame import ExecutionFrame
from gluonic.graph.node import Graph, Node, make_node
from gluonic.support.deferred_signals import deferred_signals
from tests.codegen.agreement import new_run
from tests.forking import forks, is_true_in_a_child

_SIGNALS = signal.SIGINT, signal.SIGTERM


class Interruption(BaseException):
    """What the handlers here raise."""


@pytest.fixture(autouse=True)
def handlers() -> Iterator[Any]:
    def interrupt(*_: Any) -> None:
        raise Interruption

    before = [(number, signal.signal(number, interrupt)) for number in _SIGNALS]
    yield interrupt
    for number, handler in before:
        signal.signal(number, handler)


@pytest.mark.parametrize("number", _SIGNALS)
def test_signals_are_deferred_during_critical_sections(number: int, handlers: Any) -> None:
    done = []

    def work() -> None:
        with deferred_signals():
            with deferred_signals():
                signal.raise_signal(number)
                done.append("inner")
            done.append("outer")

    with pytest.raises(Interruption):
        work()
    assert done == ["inner", "outer"]
    assert [signal.getsignal(n) for n in _SIGNALS] == [handlers] * 2


def test_handlers_come_back_after_errors_and_between_two_signals(handlers: Any) -> None:
    def work(error: type[Exception]) -> None:
        with deferred_signals():
            raise error

    def interrupted_twice() -> None:
        with deferred_signals():
            for number in _SIGNALS:
                signal.raise_signal(number)

    with pytest.raises(ZeroDivisionError):
        work(ZeroDivisionError)
    with pytest.raises(Interruption):
        interrupted_twice()
    assert [signal.getsignal(n) for n in _SIGNALS] == [handlers] * 2


def test_other_threads_leave_the_handlers_alone(handlers: Any) -> None:
    seen = []

    def look() -> None:
        with deferred_signals():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [handlers]


def _constant(number: int) -> str:
    return f"define i64 @f() {{\n ret i64 {number}\n}}\n"


@contextmanager
def interrupted_wherever_llvm_is_locked() -> Iterator[None]:
    """Send this process a signal each time that LLVM's lock is closed."""
    lock = load_llvm().ffi.lib._lock
    watch = (lambda: signal.raise_signal(signal.SIGINT)), (lambda: None)
    lock.register(*watch)
    try:
        yield
    finally:
        lock.unregister(*watch)


def loaded_by_another_thread(number: int) -> jit.LinkedLibrary:
    """A library that another thread loads: this one does not keep it out."""
    made: list[jit.LinkedLibrary] = []
    other = threading.Thread(
        target=lambda: made.append(jit.load(_constant(number), ["f"])), daemon=True
    )
    other.start()
    other.join(60)
    return made[0]


def test_an_interruption_while_llvm_is_locked_releases_the_lock() -> None:
    kept = jit.load(_constant(70), ["f"])
    with interrupted_wherever_llvm_is_locked():
        with pytest.raises(Interruption):
            jit.load(_constant(71), ["f"])
        with pytest.raises(Interruption):
            jit.optimised(_constant(72))
    assert kept["f"] != loaded_by_another_thread(73)["f"]


def test_an_interruption_while_a_library_in_a_cycle_is_collected_releases_the_lock() -> None:
    gc.collect()
    for number in range(10):
        library = jit.load(_constant(90 + number), ["f"])
        library.cycle = library  # type: ignore[attr-defined]
        del library
    with interrupted_wherever_llvm_is_locked():
        gc.collect()  # nothing is raised there, where it would be lost
        with pytest.raises(Interruption):
            jit.load(_constant(101), ["f"])
    assert loaded_by_another_thread(100)["f"]


def test_calls_that_fail_keep_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    x = Node(None, "x")
    compiled = CompiledGraph(Graph([make_node("tanh", [x.entry() * 2.0]).entry()]), [x])
    arrays = [np.arange(12.0).reshape(4, 3)]
    expected = compiled(arrays, new_run())[0]

    def fail(*_: Any) -> None:
        raise MemoryError

    for _ in range(3):
        with monkeypatch.context() as patch:
            patch.setattr(ExecutionFrame, "run", fail)
            with pytest.raises(MemoryError):
                compiled(arrays, new_run())
    (pool,) = compiled.pools.values()
    assert not pool.frames
    np.testing.assert_array_equal(compiled(arrays, new_run())[0], expected)
    assert len(pool.frames) == 1


@pytest.mark.skipif(
    sys.platform != "linux", reason="limits address space, and asks how much is used"
)
@forks
def test_where_memory_is_short_nothing_is_compiled_until_there_is_more() -> None:
    jit.load(_constant(80), ["f"])

    def waits_for_memory() -> bool:
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        everything = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (used + (4 << 20), everything[1]))
        try:
            jit.optimised(_constant(81))
        except MemoryError:
            resource.setrlimit(resource.RLIMIT_AS, everything)
            return "ret i64 81" in jit.optimised(_constant(81))
        return False

    assert is_true_in_a_child(waits_for_memory)
