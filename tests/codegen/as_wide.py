"""Code for AVX-512, run on machines without it: LLVM splits its registers.

All but LLVM's own selection of instructions is tested so. A plugin for pytest (``-p tests.codegen.as_wide``);
the fuzzer has ``--wide``.
"""

from functools import cache

from gluonic.codegen.machine import target
from gluonic.codegen.machine.target import Target
from gluonic.codegen.maths import exponential, gelu


def write_for_avx512() -> None:
    """Let code generation see a processor with AVX-512 where nothing narrows it."""
    narrow, wide = target.narrowed, target.cross("x86_64-unknown-linux-gnu", "x86-64-v4").simd

    def host(cpu: str, switches: str) -> Target:
        found = narrow(cpu, switches)
        if cpu or switches:
            return found
        return Target(found.triple, found.cpu, found.features, wide)

    target.narrowed = cache(host)
    # Instructions that LLVM cannot split:
    exponential.has_scalef = lambda m, p: False
    gelu.has_permute = lambda m: False


def pytest_configure() -> None:
    """Begin before anything is compiled."""
    write_for_avx512()
