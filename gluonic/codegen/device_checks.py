"""Whether arrays on a device have finite elements only, as a flag on the device, which nobody waits for."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

import numpy as np

from gluonic.codegen.cuda.finite_kernel import EACH, EXPONENTS, THREADS, emit_finite
from gluonic.codegen.cuda.ptx import loaded
from gluonic.codegen.launch_plans import LaunchPlan, LaunchPlans
from gluonic.device.array import DeviceArray
from gluonic.device.device import Device, PreparedLaunch
from gluonic.support.locks import lock

FLAG = np.dtype(np.int32)
_ONE = (1).to_bytes(4, "little")
_MOST_PLANS = 8
Key = tuple[tuple[int, int, str], ...]
"""For each array its address, its size and its dtype."""


_plans: WeakKeyDictionary[Device, LaunchPlans] = WeakKeyDictionary()
_lock = lock()


def finite_on_device(device: Device, arrays: Sequence[DeviceArray]) -> DeviceArray:
    """A flag on the device: 1 if all elements of floating-point arrays are finite, else 0.

    Parameters
    ----------
    arrays : at least one, on the device
    """
    key = tuple(
        [(x.address, x.size, x.dtype.name) for x in arrays if x.size and x.dtype.name in EXPONENTS]
    )
    with _lock:
        plans = _plans.setdefault(device, LaunchPlans(_MOST_PLANS))
        plan = plans.get(key) or plans.keep(key, _planned(device, key))
    flag = DeviceArray.empty(device, (1,), FLAG)
    device.fill(flag.address, _ONE, 1)
    plan.queue(flag.address)
    return flag


def _planned(device: Device, key: Key) -> LaunchPlan:
    """The launches for some arrays, one for each dtype; they get the address of the flag."""
    rows: dict[str, list[tuple[int, int]]] = {}
    each = EACH * THREADS
    for address, size, name in key:
        itemsize = 2 if name == "bfloat16" else np.dtype(name).itemsize
        starts = range(0, size, each)
        rows.setdefault(name, []).extend(
            (address + start * itemsize, min(each, size - start)) for start in starts
        )
    joined = np.array([row for some in rows.values() for row in some], np.int64).reshape(-1, 2)
    table = DeviceArray.of_host(device, joined)
    launches, start = list[PreparedLaunch](), table.address
    for name, some in rows.items():
        function = loaded((emit_finite, name), device)
        arguments = ((None, start), (0, 0))
        launches.append(PreparedLaunch(function, (len(some), 1, 1), (THREADS, 1, 1), arguments))
        start += 16 * len(some)
    return LaunchPlan(device.prepared(launches, 1), table)
