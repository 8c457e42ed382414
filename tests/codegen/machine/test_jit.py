"""Linking: failures are errors, code lives as long as it is held, forks and threads work."""

from __future__ import annotations

import ctypes
import gc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from gluonic.codegen.machine import cache, jit
from gluonic.codegen.machine.runtime_symbols import addresses
from gluonic.codegen.machine.target import host
from tests.codegen.harness import compile_expression
from tests.forking import forks, is_true_in_a_child


def _constant(number: int) -> str:
    return f"define i64 @f() {{\n  ret i64 {number}\n}}\n"


def _call(library: jit.LinkedLibrary) -> int:
    return int(ctypes.CFUNCTYPE(ctypes.c_int64)(library["f"])())


def test_module_is_compiled_linked_and_called() -> None:
    assert _call(jit.load(_constant(41), ["f"])) == 41


def test_same_module_twice_gives_two_libraries() -> None:
    first, second = (jit.load(_constant(5), ["f"]) for _ in range(2))
    assert first["f"] != second["f"]
    del first
    gc.collect()
    assert _call(second) == 5


def test_code_outlives_the_jit_that_linked_it() -> None:
    first = jit.load(_constant(7), ["f"])
    for _ in range(jit.MOST_LINKED):
        jit.load(_constant(5), ["f"])
    gc.collect()
    assert _call(first) == 7


def test_unresolved_function_is_an_error_not_a_jump() -> None:
    text = "declare void @nobody_has_this()\ndefine void @f() {\n call void @nobody_has_this()\n ret void\n}\n"
    with pytest.raises(RuntimeError, match="materialize"):
        jit.load(text, ["f"])


def test_an_object_file_without_the_functions_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLUONIC_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("GLUONIC_CACHE", "1")
    name = cache.key(_constant(43), host())
    cache.store(name, jit.compile_object(_constant(5).replace("@f", "@g"), host()))
    for from_disk in (False, True):
        files = [jit.object_file(_constant(43), host())]
        library, linked = jit.link_files(files, ["f"], (), host(), {})
        assert (_call(library), linked[0].from_disk) == (43, from_disk)


def test_malformed_module_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="pars"):
        jit.load("define void @f() { ret i64 7 }", ["f"])


def test_a_function_missing_in_the_c_library_is_named() -> None:
    with pytest.raises(NotImplementedError, match="no_such_function"):
        addresses(["no_such_function"])


def test_many_threads_compile_at_once() -> None:
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda n: _call(jit.load(_constant(n), ["f"])), range(24)))
    assert results == list(range(24))


@forks
def test_child_of_a_fork_compiles_and_calls() -> None:
    double = compile_expression(lambda m, x: x + x, ["float32"], "float32")

    def compiles_and_calls() -> bool:
        x = np.arange(100, dtype=np.float32)
        fresh = compile_expression(lambda m, x: x * 3 + 4321, ["float32"], "float32")
        return np.array_equal(double(x), 2 * x) and np.array_equal(fresh(x), x * 3 + 4321)

    assert is_true_in_a_child(compiles_and_calls)


def _leave_an_interrupted_compilation_to_the_collector() -> None:
    def interrupt(machine: object, module: object) -> None:
        raise KeyboardInterrupt

    try:
        jit.lowered(_constant(1), host(), interrupt)
    except KeyboardInterrupt as error:
        kept = error  # frame, error and traceback keep each other, and what was made
        assert kept.__traceback__ is not None


@forks
def test_remains_of_an_interrupted_compilation_are_collected_without_a_crash() -> None:

    def goes_well() -> bool:
        gc.freeze()  # the collector looks at what is left behind alone
        for _ in range(50):
            _leave_an_interrupted_compilation_to_the_collector()
            gc.collect()
        return True

    assert is_true_in_a_child(goes_well)


def test_optimised_text_and_assembly_can_be_read() -> None:
    slot = "%s = alloca i64\n store i64 %x, ptr %s\n %y = load i64, ptr %s"
    assert "ret i64 %x" in jit.optimised(f"define i64 @f(i64 %x) {{\n {slot}\n ret i64 %y\n}}\n")
    assert "f:" in jit.assembly(_constant(1))
