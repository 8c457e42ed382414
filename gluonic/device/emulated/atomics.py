"""Atomic operations on memory: threads one after the other where they meet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gluonic.device.emulated.batch import BlockBatch
from gluonic.device.emulated.flow import Mask
from gluonic.device.emulated.formats import Array, Unary

_UPDATES: Mapping[str, Callable[..., Any]] = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "exch": lambda old, new: new,
    "inc": lambda old, limit: np.where(old >= limit, old.dtype.type(0), old + old.dtype.type(1)),
    "dec": lambda old, limit: np.where((old == 0) | (old > limit), limit, old - old.dtype.type(1)),
    "cas": lambda old, expected, new: np.where(old == expected, new, old),
}
NAMES = frozenset(_UPDATES)


def atomic(
    batch: BlockBatch,
    name: str,
    space: str,
    address: Array,
    size: int,
    values: Sequence[Array],
    read: Unary,
    write: Unary,
    active: Mask,
    line: int,
    wants_old: bool,
) -> Array:
    """Update memory; the bits that were there before, for each thread.

    Parameters
    ----------
    values : the bits of the operands
    read, write : what reads numbers of the type from bits, and the inverse
    """
    memory, index, lanes = batch.memory.exclusive(space, address, size, active, line)
    view = memory.view(size)
    operands = [np.broadcast_to(value, batch.shape).reshape(-1)[lanes] for value in values]
    old = np.zeros(len(lanes), view.dtype)
    if not wants_old and size >= 4 and isinstance(update := _UPDATES[name], np.ufunc):
        numbers = read(operands[0])
        if numbers.itemsize == size:
            update.at(view.view(numbers.dtype), index, numbers)
            return old
    register = operands[0].dtype
    for turn in _turns(index):
        before = view[index[turn]].astype(register)
        old[turn] = before
        after = _UPDATES[name](read(before), *[read(value[turn]) for value in operands])
        view[index[turn]] = write(after)
    result = np.zeros(batch.shape, register)
    result.reshape(-1)[lanes] = old
    return result


def _turns(index: Array) -> list[Array]:
    """Positions in groups, in each of which no index occurs twice; equal ones keep their order."""
    order = np.argsort(index, kind="stable")
    ordered = index[order]
    first = np.r_[True, ordered[1:] != ordered[:-1]]
    start = np.maximum.accumulate(np.where(first, np.arange(len(index)), 0))
    turn = np.arange(len(index)) - start
    by_turn = np.argsort(turn, kind="stable")
    bounds = np.flatnonzero(np.diff(turn[by_turn])) + 1
    return np.split(order[by_turn], bounds)
