"""The target processor of a kernel: its name, its SIMD features, its registers.

No other module here detects processor features: lane counts, masked memory access and the choice of
instructions depend only on a :class:`Target`. The host is detected once;
``GLUONIC_CPU`` (a level of x86-64 such as ``x86-64-v3``, or a processor's name) and
``GLUONIC_CPU_FEATURES`` (``-avx512f,+fma``) restrict it. LLVM only warns about an unknown name, and
running code for another processor kills the process, so both are checked here. With ``GLUONIC_BLAS=0`` code
multiplies matrices without BLAS, as in a library. `compiling_for` lets a thread compile for another target.
"""

from __future__ import annotations

import mmap
import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import Any

from gluonic.support.record import record

_SIZE_OF_LLVM = 256 << 20
"""The address space, in bytes, that LLVM needs at least."""

# The SIMD features that code generation uses, each with the one that it implies.
_BUILDS_ON = {
    "sse2": None,
    "sse4.1": "sse2",
    "avx": "sse4.1",
    "avx2": "avx",
    "fma": "avx",
    "f16c": "avx",
    "avx512f": "avx2",
    "avx512dq": "avx512f",
    "avx512bw": "avx512f",
    "avx512vl": "avx512f",
    "neon": None,
}
_AVX2 = ("avx2", "fma", "f16c")
_AVX512 = (*_AVX2, "avx512f", "avx512dq", "avx512bw", "avx512vl")
_X86_PROCESSORS: dict[tuple[str, ...], str] = {
    ("sse2",): "x86-64 nocona core2 penryn",
    ("sse4.1",): "x86-64-v2 nehalem westmere silvermont goldmont tremont",
    ("avx",): "sandybridge ivybridge",
    _AVX2: "x86-64-v3 haswell broadwell skylake alderlake raptorlake gracemont sierraforest "
    "arrowlake lunarlake znver1 znver2 znver3",
    _AVX512: "x86-64-v4 skylake-avx512 cascadelake cooperlake cannonlake icelake-client "
    "icelake-server tigerlake rocketlake sapphirerapids emeraldrapids graniterapids "
    "graniterapids-d znver4 znver5",
}
_ARM_PROCESSORS = (
    "generic apple-m1 apple-m2 apple-m3 apple-m4 cortex-a57 cortex-a72 cortex-a76 cortex-x1 "
    "neoverse-n1 neoverse-n2 neoverse-n3 neoverse-v1 neoverse-v2 neoverse-v3"
)


class TargetError(ValueError):
    """A requested processor or feature is unknown, or this machine lacks it."""


@record
class Target:
    """A processor to generate code for.

    Parameters
    ----------
    triple : str
        LLVM's name of architecture, vendor and system.
    cpu : str
        LLVM's name of the processor.
    features : str
        LLVM's comma-separated list of switches, in addition to the features of `cpu`.
    simd : frozenset of str
        The enabled SIMD features, among those that code generation uses.
    has_blas : bool, default True
        Whether code may call BLAS; a library has functions of its own instead.
    """

    triple: str
    cpu: str
    features: str
    simd: frozenset[str]
    has_blas: bool = True

    @property
    def names(self) -> tuple[str, str, str]:
        """LLVM's names, which determine the rest; `simd` is listed in another order in each process."""
        return self.triple, self.cpu, self.features

    @property
    def architecture(self) -> str:
        """First part of the triple, such as ``x86_64`` or ``aarch64``."""
        return self.triple.partition("-")[0]

    @property
    def is_gpu(self) -> bool:
        """Whether it is a GPU of NVIDIA's, for which LLVM prints PTX."""
        return self.architecture == "nvptx64"

    @property
    def is_web(self) -> bool:
        """Whether it is WebAssembly."""
        return self.architecture == "wasm32"

    @property
    def vector_bytes(self) -> int:
        """Width of a SIMD register in bytes; of a GPU, the most that a thread reads at once."""
        if "avx512f" in self.simd:
            return 64
        return 32 if "avx2" in self.simd else 16

    @property
    def vector_registers(self) -> int:
        """The number of SIMD registers."""
        if self.is_gpu:
            return 255 // (self.vector_bytes // 4)
        return 32 if "avx512f" in self.simd or "neon" in self.simd else 16

    @property
    def has_fma(self) -> bool:
        """Whether a fused multiply-add is one instruction."""
        return self.is_gpu or "fma" in self.simd or "neon" in self.simd

    @property
    def has_half(self) -> bool:
        """Whether an instruction converts float16."""
        return self.is_gpu or "f16c" in self.simd or "neon" in self.simd

    def masks_memory(self, itemsize: int) -> bool:
        """Whether elements of `itemsize` bytes can be loaded and stored under a mask."""
        if "avx512bw" in self.simd and "avx512vl" in self.simd:
            return True
        return "avx2" in self.simd and itemsize >= 4

    def machine(self) -> Any:
        """Create LLVM's target machine; for a processor, position-independent and of the small code model."""
        llvm = load_llvm()
        if self.architecture != str(llvm.get_process_triple()).partition("-")[0]:
            _load_other_architectures()
        linked = {"reloc": "pic", "codemodel": "small", "jit": True}
        if self.is_gpu or self.is_web:
            linked = {}
        return llvm.Target.from_triple(self.triple).create_target_machine(
            cpu=self.cpu, features=self.features, opt=3, **linked
        )


WEB = Target(
    "wasm32-unknown-unknown",
    "generic",
    "+simd128,+bulk-memory,+nontrapping-fptoint,+sign-ext",
    frozenset(),
)
"""WebAssembly with SIMD registers of 128 bits, which browsers have had since 2023."""


def _has_room(size: int) -> bool:
    """Whether so many bytes of address space are left."""
    try:
        mmap.mmap(-1, size).close()
    except OSError:
        return False
    return True


@cache
def load_llvm() -> Any:
    """Import llvmlite's binding and initialize this machine's architecture.

    Raises
    ------
    MemoryError
        If there is no room for LLVM.
    """
    try:
        from llvmlite import binding
    except OSError as error:
        if _has_room(_SIZE_OF_LLVM):
            raise
        raise MemoryError("there is no room to load LLVM") from error
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding


@cache
def _load_other_architectures() -> None:
    """Initialize every architecture that llvmlite was built with."""
    llvm = load_llvm()
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


class _Compilation(threading.local):
    """The target that a thread compiles for instead of this machine."""

    target: Target | None = None


_COMPILATION = _Compilation()


@contextmanager
def compiling_for(target: Target) -> Iterator[None]:
    """Let `host` return another target in this thread."""
    outer = _COMPILATION.target
    _COMPILATION.target = target
    try:
        yield
    finally:
        _COMPILATION.target = outer


def compiles_for_others() -> bool:
    """Return whether this thread is inside `compiling_for`."""
    return _COMPILATION.target is not None


def host() -> Target:
    """Return the target that this thread compiles for.

    Outside `compiling_for` it is this machine, restricted by ``GLUONIC_CPU``, ``GLUONIC_CPU_FEATURES`` and
    ``GLUONIC_BLAS``.

    Raises
    ------
    TargetError
        If a variable names an unknown processor or feature, or one that this machine cannot run.
    """
    if _COMPILATION.target is not None:
        return _COMPILATION.target
    found = narrowed(os.environ.get("GLUONIC_CPU", ""), os.environ.get("GLUONIC_CPU_FEATURES", ""))
    return found if os.environ.get("GLUONIC_BLAS", "1") != "0" else without_blas(found)


def processor(cpu: str) -> Target:
    """Return a processor by its name alone, with Linux; ``aarch64`` is the plainest one of this architecture.

    Parameters
    ----------
    cpu : str
        A processor's name, or a level such as ``x86-64-v3``; if it is empty, the highest level that this
        machine has, or ``aarch64``.

    Raises
    ------
    TargetError
        If it is unknown.

    Examples
    --------
    >>> processor("x86-64-v3").triple, processor("cortex-a72").triple
    ('x86_64-unknown-linux-gnu', 'aarch64-unknown-linux-gnu')
    """
    if not cpu:
        own = narrowed(
            os.environ.get("GLUONIC_CPU", ""), os.environ.get("GLUONIC_CPU_FEATURES", "")
        )
        cpu = "aarch64" if own.architecture != "x86_64" else _highest_level(own.simd)
    if cpu == WEB.architecture:
        return WEB
    if cpu == "aarch64":
        return cross("aarch64-unknown-linux-gnu")
    arm = [name for name in _ARM_PROCESSORS.split() if name != "generic"]
    x86 = [name for names in _X86_PROCESSORS.values() for name in names.split()]
    if cpu not in (*arm, *x86):
        known = ", ".join(sorted(["aarch64", *arm, *x86]))
        raise TargetError(f"unknown processor {cpu!r}; known: {known}")
    return cross(f"{'aarch64' if cpu in arm else 'x86_64'}-unknown-linux-gnu", cpu)


def _highest_level(simd: frozenset[str]) -> str:
    levels = ("x86-64-v4", "x86-64-v3", "x86-64-v2", "x86-64")
    return next(x for x in levels if cross("x86_64-unknown-linux-gnu", x).simd <= simd)


def runs_here(target: Target) -> bool:
    """Return whether this machine can run code for a processor."""
    own = narrowed("", "")
    return own.architecture == target.architecture and target.simd <= own.simd


def emulating(target: Target) -> Target:
    """Return this machine, with code written as for another processor; LLVM splits wider registers."""
    return replace(narrowed("", ""), simd=target.simd, has_blas=target.has_blas)


@cache
def without_blas(target: Target) -> Target:
    """Return a target whose code does not call BLAS."""
    return replace(target, has_blas=False)


@cache
def narrowed(cpu: str, switches: str) -> Target:
    """Return this machine, restricted to a processor and by switches; empty strings change nothing."""
    llvm = load_llvm()
    triple = str(llvm.get_process_triple())
    has: dict[str, bool] = dict(llvm.get_host_cpu_features())
    own = frozenset(name for name in _BUILDS_ON if has.get(name))
    if triple.startswith(("aarch64", "arm64")):
        own = own | {"neon"}
    if cpu and cpu != "native":
        target = cross(triple, cpu, switches)
    else:
        listed = ",".join(f"{'+' if on else '-'}{name}" for name, on in sorted(has.items()))
        features = ",".join(part for part in (listed, _parsed(switches, has)) if part)
        target = Target(triple, str(llvm.get_host_cpu_name()), features, _switched(own, switches))
    missing = (target.simd - own) | {
        name for on, name in _switches(switches) if on and not has.get(name, name in own)
    }
    if missing:
        raise TargetError(
            f"this machine lacks {', '.join(sorted(missing))}, asked for by "
            f"GLUONIC_CPU={cpu!r} GLUONIC_CPU_FEATURES={switches!r}; "
            "unset them, or name a smaller processor such as x86-64-v2"
        )
    return target


def cross(triple: str, cpu: str = "", features: str = "") -> Target:
    """Return an explicitly described target, for compiling without running.

    Parameters
    ----------
    triple : str
        For example ``aarch64-unknown-linux-gnu``.
    cpu : str, default: the architecture's plainest
        A processor's name, or a level such as ``x86-64-v3``.
    features : str, default ""
        Comma-separated switches, ``+name`` or ``-name``.

    Raises
    ------
    TargetError
        If the processor is unknown or a switch is malformed.

    Examples
    --------
    >>> cross("x86_64-unknown-linux-gnu", "x86-64-v3").vector_bytes
    32
    >>> cross("aarch64-unknown-linux-gnu").vector_registers
    32
    """
    x86 = triple.startswith(("x86_64", "amd64"))
    if x86:
        cpu = cpu or "x86-64"
        table = {name: simd for simd, names in _X86_PROCESSORS.items() for name in names.split()}
    else:
        cpu = cpu or "generic"
        arm = triple.startswith(("aarch64", "arm64"))
        table = dict.fromkeys(_ARM_PROCESSORS.split(), ("neon",) if arm else ())
    if cpu not in table:
        raise TargetError(f"unknown processor {cpu!r}; known: {', '.join(sorted(table))}")
    simd: frozenset[str] = frozenset().union(*(_with_base(name) for name in table[cpu]))
    return Target(triple, cpu, _parsed(features, None), _switched(simd, features))


def _with_base(name: str) -> frozenset[str]:
    """Return a feature and all that it implies."""
    base = _BUILDS_ON[name]
    return frozenset({name}) | (_with_base(base) if base else frozenset())


def _switches(text: str) -> list[tuple[bool, str]]:
    """Split ``+a,-b`` into pairs (on, name)."""
    found = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        if not re.fullmatch(r"[+-][a-z0-9][a-z0-9._-]*", part):
            raise TargetError(f"a feature is written +name or -name, not {part!r}")
        found.append((part[0] == "+", part[1:]))
    return found


def _parsed(text: str, known: dict[str, bool] | None) -> str:
    """Return the switches in LLVM's spelling, checking names against `known` ones."""
    switches = _switches(text)
    for _, name in switches:
        if name not in (known or _BUILDS_ON) and name not in _BUILDS_ON:
            raise TargetError(f"unknown processor feature {name!r}")
    return ",".join(f"{'+' if on else '-'}{name}" for on, name in switches)


def _switched(simd: frozenset[str], switches: str) -> frozenset[str]:
    """Apply switches: ``+`` enables what the feature implies, ``-`` disables what implies it."""
    for on, name in _switches(switches):
        if on and name in _BUILDS_ON:
            simd = simd | _with_base(name)
        elif not on:
            simd = frozenset(other for other in simd if name not in _with_base(other))
    return simd
