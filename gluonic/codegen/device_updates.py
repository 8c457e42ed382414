"""Optimizers' rules on a device: parameters and their states are updated in place, many by one launch."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from gluonic.codegen.cuda.element_kernels import ThreadSpread
from gluonic.codegen.cuda.ptx import loaded
from gluonic.codegen.cuda.update_kernel import emit_updates
from gluonic.codegen.launch_plans import LaunchPlan, LaunchPlans
from gluonic.codegen.loops.kernel import Kernel, Operand, Stage, Store
from gluonic.codegen.maths.values import FLOAT32, FLOAT64, INT32, Dtype
from gluonic.codegen.scalar.recorder import Recorder
from gluonic.device.array import DeviceArray
from gluonic.device.device import Device, PreparedLaunch
from gluonic.graph.updates import UpdateRule

_ACCESS = 16
"""The most bytes of one access."""
_THREADS, _CHUNKS = 256, 2
"""The threads of a block, and the accesses of each to an array."""
_MOST_PLANS = 16
Table: TypeAlias = "np.ndarray[Any, np.dtype[np.int64]]"
Addresses: TypeAlias = tuple[tuple[int, ...], ...]
"""For each parameter those of its weight, its gradient and its states."""


class Updated(NamedTuple):
    """A parameter that is updated.

    Attributes
    ----------
    size : the number of elements of the weight, its gradient and each state
    dtypes : of these arrays; the third one is a float32 copy of the weight, which is updated, if `is_mixed`
    is_mixed : whether there is such a copy
    """

    size: int
    dtypes: tuple[Dtype, ...]
    is_mixed: bool = False


class DeviceUpdates:
    """Updates of some parameters by a rule, with a launch for those of one dtype and the same numbers.

    Parameters
    ----------
    rule : the rule
    parameters : the parameters
    """

    def __init__(self, rule: UpdateRule, parameters: Sequence[Updated]) -> None:
        self._rule, self._parameters = rule, parameters
        self._plans = LaunchPlans(_MOST_PLANS)

    def __call__(
        self,
        device: Device,
        numbers: Sequence[SimpleNamespace],
        addresses: Addresses,
        flag: int | None = None,
    ) -> None:
        """Update the parameters.

        Parameters
        ----------
        device : where they are
        numbers : those of the rule, for each parameter; the same are None for all
        flag : the address of an int32 there: if it is 0 when the update begins, nothing is changed

        Raises
        ------
        NotLowered
            if the rule uses a function without machine code; nothing is changed
        """
        names = [name for name, x in vars(numbers[0]).items() if x is not None]
        groups, rows = _grouped(numbers, names)
        is_guarded = flag is not None
        key = device, addresses, groups, tuple(names), is_guarded
        plan = self._plans.get(key)
        if plan is None:
            plan = self._planned(device, numbers[0], names, addresses, groups, is_guarded)
            self._plans.keep(key, plan)
        plan.queue(*_bits(rows), *([] if flag is None else [flag]))

    def _planned(
        self,
        device: Device,
        numbers: SimpleNamespace,
        names: Sequence[str],
        addresses: Addresses,
        groups: Sequence[int],
        is_guarded: bool,
    ) -> LaunchPlan:
        """The launches for parameters at some addresses, which get the numbers of all groups."""
        alike: dict[Any, list[Table]] = {}
        for parameter, own, group in zip(self._parameters, addresses, groups, strict=True):
            if parameter.size:
                width = _width(parameter, own)
                kind = group, parameter.dtypes, parameter.is_mixed, width
                alike.setdefault(kind, []).append(_rows(parameter, own, width))
        tables = [np.concatenate(rows) for rows in alike.values()]
        joined = np.concatenate([table.reshape(-1) for table in tables] or [np.empty(0, np.int64)])
        there = DeviceArray.of_host(device, joined)
        absent = tuple(name for name, x in vars(numbers).items() if x is None)
        launches, start, count = list[PreparedLaunch](), there.address, len(names)
        values = count * (1 + max(groups))
        flag = [(values, 0)] * is_guarded
        for (group, dtypes, is_mixed, width), table in zip(alike, tables, strict=True):
            settings = tuple(names), absent, is_mixed, is_guarded
            kernel = _kernel(self._rule, dtypes, *settings)
            spread = ThreadSpread(width, _CHUNKS, _THREADS, narrow=True)
            arguments = (None, start), *((group * count + k, 0) for k in range(count)), *flag
            launches.append(
                PreparedLaunch(
                    loaded((emit_updates, kernel, spread), device),
                    (len(table), 1, 1),
                    (_THREADS, 1, 1),
                    arguments,
                )
            )
            start += table.nbytes
        return LaunchPlan(device.prepared(launches, values + len(flag)), there)


def _grouped(
    numbers: Sequence[SimpleNamespace], names: Sequence[str]
) -> tuple[tuple[int, ...], list[tuple[float, ...]]]:
    """The group of each parameter, and the numbers of each group."""
    rows = dict[tuple[float, ...], int]()
    known = dict[int, int]()
    groups = []
    for own in numbers:
        group = known.get(id(own))
        if group is None:
            row = tuple([getattr(own, name) for name in names])
            group = known[id(own)] = rows.setdefault(row, len(rows))
        groups.append(group)
    return tuple(groups), [*rows]


def _bits(rows: Sequence[Sequence[float]]) -> tuple[int, ...]:
    """The bits of numbers, as float64, in signed integers."""
    flat = [x for row in rows for x in row]
    return struct.unpack(f"{len(flat)}q", struct.pack(f"{len(flat)}d", *flat))


def _width(parameter: Updated, addresses: Sequence[int]) -> int:
    """The elements of one access to a parameter, its gradient and its states."""
    sizes = [dtype.itemsize for dtype in parameter.dtypes]
    width = _ACCESS // max(sizes)
    places = zip(addresses, sizes, strict=True)
    is_wide = not parameter.size % width and not any(x % (width * size) for x, size in places)
    return width if is_wide else 1


def _rows(parameter: Updated, addresses: Sequence[int], width: int) -> Table:
    """The rows of the table for the blocks of a parameter."""
    each = _THREADS * _CHUNKS * width
    starts = np.arange(0, parameter.size, each, dtype=np.int64)
    places = zip(addresses, parameter.dtypes, strict=True)
    columns = [address + starts * dtype.itemsize for address, dtype in places]
    return np.stack([*columns, np.minimum(parameter.size - starts, each) // width], axis=1)


@lru_cache(maxsize=64)
def _kernel(
    rule: UpdateRule,
    dtypes: tuple[Dtype, ...],
    names: tuple[str, ...],
    absent: tuple[str, ...],
    is_mixed: bool,
    is_guarded: bool,
) -> Kernel:
    """The kernel of a rule; its operands are the arrays, the numbers, and the flag if there is one.

    Parameters
    ----------
    dtypes : of the arrays
    names, absent : the rule's numbers, and those that are None
    is_mixed, is_guarded : whether the third array is a copy of the weight, and whether there is a flag
    """
    m, n, count = Recorder(), SimpleNamespace(**dict.fromkeys(absent)), len(dtypes)
    weight, grad, *states = (m.element(k, dtype) for k, dtype in enumerate(dtypes))
    for k, name in enumerate(names, count):
        setattr(n, name, m.number(k))
    if is_mixed:
        weight, grad = states.pop(0), m.astype(grad, FLOAT32)
    updated = rule(m, n, weight, grad, *states)
    if is_guarded:
        usable = m.element(count + len(names), INT32) != 0
        olds = weight, *states
        updated = tuple([m.where(usable, a, b) for a, b in zip(updated, olds, strict=True)])
    new = updated[:1] * is_mixed + updated  # the weight, its copy, the states
    elements = [Operand(dtype, ("unit",)) for dtype in dtypes]
    numbers = [Operand(FLOAT64, ("repeat",))] * len(names)
    flag = [Operand(INT32, ("repeat",))] * is_guarded
    stores = tuple(Store(k) for k in range(count) if k != 1)  # the gradient is not written
    return Kernel(1, (*elements, *numbers, *flag), (Stage(m.program(new), stores),))


@lru_cache(maxsize=256)
def updates_on_device(rule: UpdateRule, parameters: tuple[Updated, ...]) -> DeviceUpdates:
    """What updates such parameters; it is made once."""
    return DeviceUpdates(rule, parameters)
