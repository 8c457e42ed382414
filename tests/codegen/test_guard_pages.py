"""Compiled samples between pages that nothing may touch; see `tests.codegen.guard_pages`."""

import subprocess
import sys

import pytest

from tests.codegen.guard_pages import FEW_WIDTHS, cases_of, faults
from tests.codegen.harness import LEVELS, target_named

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="protects pages as Linux does")
_SHARDS = 8
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
def test_windows_touch_nothing_beside_their_arrays(turn: int, level: str) -> None:
    """First samples are tried in the code of every level, others in turn; the program tries all in all."""
    target_named(level)
    windowed = [case for case in cases_of("") if case[0] in _WINDOWED]
    cases = [
        (name, number)
        for place, (name, number) in enumerate(windowed)
        if number == 0 or place % len(LEVELS) == turn
    ]
    calls, found = faults(cases, FEW_WIDTHS, level)
    assert calls > len(cases)
    assert not found


@pytest.mark.parametrize("shard", range(_SHARDS))
def test_no_operator_touches_anything_beside_its_arrays(shard: int) -> None:
    cases = [case for case in cases_of("") if case[1] == 0][shard::_SHARDS]
    calls, found = faults(cases, FEW_WIDTHS[2:4])
    assert calls > len(cases)
    assert not found
