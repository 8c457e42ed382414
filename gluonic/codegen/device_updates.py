"""Optimizers' rules on a device: parameters and their states are updated in place, many by one launch."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from gluonic.codegen.cuda.element_kernels import ThreadSpread
from gluonic.codegen.cuda.ptx import loaded
from gluonic.codegen.cuda.update_kernel import emit_updates
from gluonic.codegen.loops.kernel import Kernel
from gluonic.codegen.updates import kernel_of_rule
from gluonic.device.array import DeviceArray
from gluonic.device.device import Device, PreparedLaunch
from gluonic.graph.updates import UpdateRule
from gluonic.support.locks import lock

_ACCESS = 16
"""The most bytes of one access."""
_THREADS, _CHUNKS = 256, 2
"""The threads of a block, and the accesses of each to an array."""
_MOST_PLANS = 64
Table = np.ndarray[Any, np.dtype[np.int64]]


def update_on_device(
    rule: UpdateRule,
    numbers: Sequence[SimpleNamespace],
    members: Sequence[Sequence[DeviceArray]],
) -> None:
    """Update parameters on one device, by a launch for those of one dtype with the same numbers.

    Parameters
    ----------
    numbers : those of the rule, for each parameter; the same are None for all
    members : for each parameter its weight, its gradient and its states, of one shape and dtype

    Raises
    ------
    NotLowered
        if the rule uses a function without machine code; nothing is changed
    """
    names = [name for name, x in vars(numbers[0]).items() if x is not None]
    rows = dict[tuple[float, ...], int]()
    known = dict[int, int]()
    groups = []
    for own in numbers:
        group = known.get(id(own))
        if group is None:
            row = tuple([getattr(own, name) for name in names])
            group = known[id(own)] = rows.setdefault(row, len(rows))
        groups.append(group)
    device = members[0][0].device
    addresses = tuple([array.address for member in members for array in member])
    forms = tuple([(member[0].shape, member[0].dtype) for member in members])
    key = device, rule, tuple(names), addresses, forms, tuple(groups)
    plan = _plans.get(key)
    if plan is None:
        absent = [name for name, x in vars(numbers[0]).items() if x is None]
        plan = _planned(device, rule, names, absent, members, groups)
        with _lock:
            if len(_plans) >= _MOST_PLANS:
                del _plans[next(iter(_plans))]
            _plans[key] = plan
    plan.queue(*[_bits(x) for row in rows for x in row])


class _Plan(NamedTuple):
    """The launches that update some parameters, and the table that they read.

    Attributes
    ----------
    queue : queues the launches; it gets the numbers of all groups
    table : an array of the device
    """

    queue: Callable[..., None]
    table: DeviceArray


_plans: dict[Any, _Plan] = {}
"""By the parameters' addresses: those of gradients may change from step to step, and come back."""
_lock = lock()


def _planned(
    device: Device,
    rule: UpdateRule,
    names: Sequence[str],
    absent: Sequence[str],
    members: Sequence[Sequence[DeviceArray]],
    groups: Sequence[int],
) -> _Plan:
    """The launches for parameters; those of one group have the same numbers."""
    alike: dict[Any, list[Sequence[DeviceArray]]] = {}
    for member, group in zip(members, groups, strict=True):
        if member[0].size:
            alike.setdefault((group, member[0].dtype, _width(member)), []).append(member)
    launches, tables = list[tuple[Kernel, int, int, int]](), list[Table]()
    for (group, dtype, width), together in alike.items():
        kernel = _kernel(rule, dtype, len(together[0]), tuple(names), tuple(absent))
        table = np.concatenate([_rows(member, width) for member in together])
        launches.append((kernel, group, width, len(table)))
        tables.append(table.reshape(-1))
    everything = np.concatenate(tables) if tables else np.empty(0, np.int64)
    there = DeviceArray.of_host(device, everything)
    prepared, start, count = list[PreparedLaunch](), there.address, len(names)
    for (kernel, group, width, blocks), table in zip(launches, tables, strict=True):
        spread = ThreadSpread(width, _CHUNKS, _THREADS, narrow=True)
        function = loaded((emit_updates, kernel, spread), device)
        numbers = [(group * count + k, 0) for k in range(count)]
        arguments = (None, start), *numbers
        prepared.append(PreparedLaunch(function, (blocks, 1, 1), (_THREADS, 1, 1), arguments))
        start += table.nbytes
    return _Plan(device.prepared(prepared, count * (1 + max(groups))), there)


def _width(member: Sequence[DeviceArray]) -> int:
    """The elements of one access to a parameter, its gradient and its states."""
    itemsize = member[0].dtype.itemsize
    width = _ACCESS // itemsize
    is_wide = not member[0].size % width and not any(x.address % _ACCESS for x in member)
    return width if is_wide else 1


def _rows(member: Sequence[DeviceArray], width: int) -> Table:
    """The rows of the table for the blocks of a parameter."""
    each = _THREADS * _CHUNKS * width
    starts = np.arange(0, member[0].size, each, dtype=np.int64)
    addresses = [array.address + starts * array.dtype.itemsize for array in member]
    return np.stack([*addresses, np.minimum(member[0].size - starts, each) // width], axis=1)


def _bits(number: float) -> int:
    """The bits of a float64 as a signed integer."""
    (bits,) = struct.unpack("<q", struct.pack("<d", number))
    return int(bits)


@lru_cache(maxsize=64)
def _kernel(
    rule: UpdateRule,
    dtype: np.dtype[Any],
    arrays: int,
    names: tuple[str, ...],
    absent: tuple[str, ...],
) -> Kernel:
    return kernel_of_rule(rule, dtype, arrays, names, absent)
