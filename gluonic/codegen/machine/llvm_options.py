"""LLVM's options: our code does not need some of its passes.

The address arithmetic of our loops is explicit, their invariants are outside, and their instructions are in an
order that keeps few values in registers. ``python -m benchmarks.llvm_passes`` shows what each costs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from gluonic.codegen.machine.target import Target, load_llvm

_USUAL = {
    # takes time quadratic in the addresses: a join of 40 parts took 20 times as long with it
    "disable-lsr": True,
    # moves addresses to where they are used: a tenth more instructions
    "disable-cgp": True,
    # the second scheduling, a tenth of the time: processors that execute out of order do not need it
    "disable-post-ra": True,
    # up to a twentieth of the time together, and code that is no faster
    "disable-copyprop": True,
    "disable-machine-sink": True,
}
_WITH_MANY_REGISTERS = {
    # the first scheduling; with sixteen registers, sums would be spilled without it
    "enable-misched": False,
}


def llvm_options(target: Target) -> dict[str, bool]:
    """Return the options for a target; usually, each has the opposite value."""
    if target.is_gpu:
        return {}
    has_many_registers = "avx512f" in target.simd
    return _USUAL | _WITH_MANY_REGISTERS if has_many_registers else _USUAL


@contextmanager
def own_llvm_options(target: Target) -> Iterator[None]:
    """Set LLVM's options, which are global to the process, during the ``with`` block."""
    options = llvm_options(target)
    set_llvm_options(options)
    try:
        yield
    finally:
        set_llvm_options({option: not value for option, value in options.items()})


def set_llvm_options(options: Mapping[str, bool]) -> None:
    """Set options of LLVM, for the whole process."""
    llvm = load_llvm()
    for option, value in options.items():
        llvm.set_option("gluonic", f"-{option}={str(value).lower()}")
