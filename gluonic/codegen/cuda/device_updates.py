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

_rule_kernel = lru_cache(maxsize=64)(kernel_of_rule)
_launches: Cache[Any, _Launch] = Cache()


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
    kernels = [_rule_kernel(rule, m[0].dtype, len(m), names, absent) for m in members]
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
        function, sizes, blocks, threads = _launch(device, kernel, size, addresses)
        places = range(start, start + count * _NUMBER.itemsize, _NUMBER.itemsize)
        device.launch(function, (blocks, 1, 1), (threads, 1, 1), (*addresses, *places, *sizes))


def _launch(device: Device, kernel: Kernel, size: int, addresses: Sequence[int]) -> _Launch:
    """The function of a kernel for so many elements, its numbers, blocks and threads."""
    itemsize = kernel.operands[0].dtype.itemsize
    width = _ACCESS // itemsize
    while width > 1 and (size % width or any(a % (width * itemsize) for a in addresses)):
        width //= 2
    key = device, kernel, size, width
    found = _launches.get(key)
    if found is None:
        count = len(addresses)
        strides = [[itemsize]] * count + [[0]] * (len(kernel.operands) - count)
        code, numbers, blocks, threads = chosen_elements(
            kernel, [size], strides, width, device.processor
        )
        found = _launches.remember(key, (loaded(code, device), numbers, blocks, threads))
    return found
