"""Targets: detection, restriction by the environment, code for machines other than this one."""

from __future__ import annotations

import numpy as np
import pytest

from gluonic.codegen.loops.emission import emit_kernel
from gluonic.codegen.loops.kernel import Operand, Reduce, Store
from gluonic.codegen.machine import jit
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.target import Target, TargetError, cross, host
from tests.codegen.harness import Draft, kernel_of

_LINUX = "x86_64-unknown-linux-gnu"


def _softmax_text(target: Target) -> str:
    operand = Operand(np.dtype(np.float32), ("stride", "unit"))
    stages = (
        Draft(lambda m, x, r: [x[0]], (Reduce("max"),)),
        Draft(lambda m, x, r: [m.exp(x[0] - r[0])], (Store(1),)),
    )
    module = LLVMModule(target)
    emit_kernel(module, "softmax", kernel_of(2, (operand, operand), stages, frozenset({1})))
    return module.text()


@pytest.mark.parametrize(
    ("cpu", "width", "registers"),
    [("x86-64", 16, 16), ("haswell", 32, 16), ("x86-64-v4", 64, 32), ("nehalem", 16, 16)],
)
def test_width_follows_from_the_processor(cpu: str, width: int, registers: int) -> None:
    target = cross(_LINUX, cpu)
    assert (target.vector_bytes, target.vector_registers) == (width, registers)


def test_switching_a_feature_off_switches_off_those_that_depend_on_it() -> None:
    target = cross(_LINUX, "x86-64-v4", "-avx2")
    assert target.vector_bytes == 16
    assert target.has_fma
    assert cross(_LINUX, "x86-64", "+avx512f").vector_bytes == 64


@pytest.mark.parametrize(
    ("cpu", "features", "message"),
    [
        ("z80", "", "unknown processor 'z80'"),
        ("haswell", "avx2", r"\+name or -name"),
        ("haswell", "+warp", "unknown processor feature 'warp'"),
    ],
)
def test_unknown_names_are_refused(cpu: str, features: str, message: str) -> None:
    with pytest.raises(TargetError, match=message):
        cross(_LINUX, cpu, features)


def test_environment_narrows_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    if host().architecture != "x86_64":
        pytest.skip("x86-64 names")
    monkeypatch.setenv("GLUONIC_CPU", "x86-64")
    assert host().vector_bytes == 16
    monkeypatch.setenv("GLUONIC_CPU", "enigma")
    with pytest.raises(TargetError, match="enigma"):
        host()


def test_features_that_this_machine_lacks_cannot_be_requested(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if host().architecture != "x86_64":
        pytest.skip("x86-64 names")
    monkeypatch.setenv("GLUONIC_CPU_FEATURES", "+fma4,+xop,+tbm,+3dnow")
    with pytest.raises(TargetError, match=r"lacks|unknown"):
        host()


def test_code_for_aarch64_is_neon() -> None:
    target = cross("aarch64-unknown-linux-gnu")
    text = _softmax_text(target)
    assert target.vector_bytes == 16
    assert "fmla" in jit.assembly(text, target)
    assert jit.compile_object(text, target).startswith(b"\x7fELF")


@pytest.mark.parametrize(
    ("cpu", "wanted", "unwanted"),
    [("x86-64-v4", "zmm", "call"), ("x86-64-v3", "vfmadd", "zmm"), ("x86-64", "xmm", "ymm")],
)
def test_code_uses_the_registers_of_its_target(cpu: str, wanted: str, unwanted: str) -> None:
    target = cross(_LINUX, cpu)
    assembly = jit.assembly(_softmax_text(target), target)
    assert wanted in assembly
    assert unwanted not in assembly
