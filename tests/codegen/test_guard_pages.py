"""Compiled samples between pages that nothing may touch; see `tests.codegen.guard_pages`."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from gluonic.graph.operator import REGISTRY
from tests.codegen.guard_pages import FEW_WIDTHS, cases_of, faults
from tests.codegen.harness import LEVELS, target_named
from tests.graph.registry_samples import SAMPLES

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="protects pages as Linux does")
_SHARDS = 4
_WINDOWED = ("Pooling", "max_pool", "Convolution", "Deconvolution", "im2col", "col2im", "LRN")


@pytest.mark.parametrize("side", ["before", "after"])
@pytest.mark.parametrize("access", ["read", "write"])
def test_an_access_beside_a_guarded_array_ends_the_process(side: str, access: str) -> None:
    index = {"before": -1, "after": 4}[side]
    use = {"read": f"print(beside[{index}])", "write": f"beside[{index}] = 1"}[access]
    code = f"""
import ctypes
from tests.codegen.guarded_memory import Placement
array = Placement(at_end={side == "after"}).empty((4,), "float32")
beside = ctypes.cast(array.ctypes.data, ctypes.POINTER(ctypes.c_float))
beside[0], beside[3] = 1, 2
assert array.tolist() == [1, 0, 0, 2]
print("placed", flush=True)
{use}
"""
    child = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert (child.returncode, child.stdout) == (-11, "placed\n"), child.stderr


@pytest.mark.parametrize(("turn", "level"), list(enumerate(LEVELS)))
def test_windows_touch_nothing_beside_their_arrays(turn: int, level: str, thorough: bool) -> None:
    """First samples are tried in the code of every level, of others every second, in turn."""
    target_named(level)
    windowed = [case for case in cases_of("") if case[0] in _WINDOWED]
    first = [case for case in windowed if case[1] == 0]
    step = len(LEVELS) * (1 if thorough else 2)
    others = [case for case in windowed[turn::step] if case[1] != 0]
    for cases, widths in [(first, FEW_WIDTHS[2:]), (others, FEW_WIDTHS[2:3])]:
        calls, found = faults(cases, widths, level)
        assert calls > len(cases)
        assert not found


@pytest.mark.parametrize("shard", range(_SHARDS))
def test_no_operator_touches_anything_beside_its_arrays(shard: int, thorough: bool) -> None:
    """Every second loop; `tests.codegen.guard_pages` tries all, in all widths."""
    cases = _of_different_loops()[shard :: _SHARDS * (1 if thorough else 2)]
    calls, found = faults(cases, FEW_WIDTHS[2:3])
    assert calls > len(cases)
    assert not found


def test_kept_values_of_larger_parameters_get_memory_of_their_size() -> None:
    calls, found = faults([("_npi_tensordot_int_axes", 2)], [95])
    assert calls
    assert not found


def _of_different_loops() -> list[tuple[str, int]]:
    """The first samples, without those whose loops others have too: which addresses a loop accesses does not
    depend on the expression that it computes."""
    cases: dict[Any, tuple[str, int]] = {}
    for name, number in cases_of(""):
        if number == 0:
            sample = SAMPLES[name][0]
            shapes = tuple(np.shape(x) for x in sample.inputs)
            is_loop = REGISTRY[name].scalar is not None
            cases.setdefault((shapes, sample.dtypes) if is_loop else name, (name, number))
    return list(cases.values())
