"""Optimizers' rules on a device: a kernel updates a parameter and its states in place."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, TypeAlias

import numpy as np

from gluonic.codegen.cuda.loop_steps import chosen_elements
from gluonic.codegen.cuda.ptx import loaded
from gluonic.codegen.loops.kernel import Kernel
from gluonic.codegen.updates import kernel_of_rule
from gluonic.device.array import DeviceArray
from gluonic.device.device import Device, DeviceFunction
from gluonic.graph.updates import UpdateRule
from gluonic.support.caches import Cache

_ACCESS = 16
"""The most bytes of one access."""
_NUMBER = np.dtype(np.float64)
_Launch: TypeAlias = tuple[DeviceFunction, list[int], int, int]


def update_on_device(
    rule: UpdateRule,
    numbers: Sequence[SimpleNamespace],
    members: Sequence[Sequence[DeviceArray]],
) -> None:
    """Update parameters on one device, with a launch for each.

    Parameters
    ----------
    numbers : those of the rule, for each parameter; the same are None for all
    members : for each parameter its weight, its gradient and its states, of one shape and dtype

    Raises
    ------
    NotLowered
        if the rule uses a function without machine code; nothing is changed
    """
    names = tuple([name for name, x in vars(numbers[0]).items() if x is not None])
    absent = tuple([name for name, x in vars(numbers[0]).items() if x is None])
    kernels = [_rule_on_device(rule, m[0].dtype, len(m), names, absent) for m in members]
    device = members[0][0].device
    rows = np.array([[getattr(n, name) for name in names] for n in numbers], _NUMBER)
    table = DeviceArray.of_host(device, rows)
    first, count = table.address, len(names)
    for row, (kernel, arrays) in enumerate(zip(kernels, members, strict=True)):
        size = arrays[0].size
        if not size:
            continue
        start = first + row * count * _NUMBER.itemsize
        addresses = [array.address for array in arrays]
        function, sizes, blocks, threads = kernel.launch(device, size, addresses)
        places = range(start, start + count * _NUMBER.itemsize, _NUMBER.itemsize)
        device.launch(function, (blocks, 1, 1), (threads, 1, 1), (*addresses, *places, *sizes))


class _DeviceRule:
    """The kernel of a rule, and its launches so far."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self._itemsize = kernel.operands[0].dtype.itemsize
        self._launches: Cache[Any, _Launch] = Cache()

    def launch(self, device: Device, size: int, addresses: Sequence[int]) -> _Launch:
        """The function for so many elements, its numbers, blocks and threads."""
        kernel, itemsize = self.kernel, self._itemsize
        width = _ACCESS // itemsize
        while width > 1 and (size % width or any(a % (width * itemsize) for a in addresses)):
            width //= 2
        key = device, size, width
        found = self._launches.get(key)
        if found is None:
            count = len(addresses)
            strides = [[itemsize]] * count + [[0]] * (len(kernel.operands) - count)
            code, numbers, blocks, threads = chosen_elements(
                kernel, [size], strides, width, device.processor
            )
            launch = loaded(code, device), numbers, blocks, threads
            found = self._launches.remember(key, launch)
        return found


@lru_cache(maxsize=64)
def _rule_on_device(
    rule: UpdateRule,
    dtype: np.dtype[Any],
    arrays: int,
    names: tuple[str, ...],
    absent: tuple[str, ...],
) -> _DeviceRule:
    return _DeviceRule(kernel_of_rule(rule, dtype, arrays, names, absent))
