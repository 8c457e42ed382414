"""Instructions by which the threads of a warp, or of a block, exchange values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gluonic.device.emulated.batch import BlockBatch
from gluonic.device.emulated.flow import Mask
from gluonic.device.emulated.formats import Array

LANES = 32
_BITS = np.uint32(1) << np.arange(LANES, dtype="u4")


def by_warp(batch: BlockBatch, value: Array, padding: int | bool = 0) -> Array:
    """Values of all threads, with axes of blocks, warps and lanes; lanes beyond the block are padded."""
    count, threads = batch.shape
    warps = -(-threads // LANES)
    full = np.broadcast_to(value, batch.shape)
    if warps * LANES != threads:
        full = np.pad(full, ((0, 0), (0, warps * LANES - threads)), constant_values=padding)
    return full.reshape(count, warps, LANES)


def by_thread(batch: BlockBatch, value: Array) -> Array:
    """The inverse of `by_warp`."""
    count, threads = batch.shape
    return value.reshape(count, -1)[:, :threads]


def members(batch: BlockBatch, mask: Array, active: Mask, line: int) -> Array:
    """Which lanes take part in an instruction, which must be all that its mask names."""
    count, threads = batch.shape
    warps = -(-threads // LANES)
    if active is None and threads % LANES == 0 and mask.size == 1 and mask[0, 0] == 0xFFFFFFFF:
        return np.ones((count, warps, LANES), bool)
    running = by_warp(batch, np.ones(batch.shape, bool) if active is None else active)
    named = by_warp(batch, mask)
    asked = np.zeros((count, warps, LANES), bool)
    for lane in range(LANES):
        asked |= running[:, :, lane, None] & (named[:, :, lane, None] & _BITS != 0)
    exists = by_warp(batch, np.ones(batch.shape, bool))
    for bad, what in (
        (asked & ~running & exists, "its warp waits for it, but it is elsewhere or has ended"),
        (running & ~asked, "it runs an instruction for a warp without being named in the mask"),
    ):
        wrong = by_thread(batch, bad)
        if wrong.any():
            raise batch.fault(line, int(np.argmax(wrong)), what)
    return running


def shuffle(
    batch: BlockBatch,
    mode: str,
    value: Array,
    distance: Array,
    limits: Array,
    mask: Array,
    active: Mask,
    line: int,
) -> tuple[Array, Array]:
    """Another lane's values, and whether there was such a lane; its own value elsewhere."""
    running = members(batch, mask, active, line)
    lane = (np.arange(batch.shape[1], dtype="i8") % LANES)[None]
    distance, limits = distance.astype("i8") & 31, limits.astype("i8")
    segment = (limits >> 8) & 31
    furthest = (lane & segment) | (limits & 31 & ~segment)
    source = {
        "up": lambda: lane - distance,
        "down": lambda: lane + distance,
        "bfly": lambda: lane ^ distance,
        "idx": lambda: (lane & segment) | (distance & ~segment),
    }[mode]()
    exists = source >= furthest if mode == "up" else source <= furthest
    source = np.where(exists, source, lane)
    thread = (np.arange(batch.shape[1]) // LANES * LANES)[None] + source
    if thread.max() >= batch.shape[1] or not running.all():
        beyond = np.broadcast_to(thread >= batch.shape[1], batch.shape)
        silent = ~np.take_along_axis(
            np.broadcast_to(by_thread(batch, running), batch.shape),
            np.broadcast_to(np.minimum(thread, batch.shape[1] - 1), batch.shape),
            1,
        )
        wrong = (beyond | silent) & by_thread(batch, running)
        if wrong.any():
            raise batch.fault(
                line, int(np.argmax(wrong)), "it reads from a lane that does not take part"
            )
        thread = np.minimum(thread, batch.shape[1] - 1)
    if value.shape[1] == 1:
        return value, exists
    if len(thread) == 1:
        return np.ascontiguousarray(value[:, thread[0]]), exists
    count = max(len(value), len(thread))
    shape = (count, batch.shape[1])
    return np.take_along_axis(
        np.broadcast_to(value, shape), np.broadcast_to(thread, shape), 1
    ), exists


def ballot(batch: BlockBatch, condition: Array, mask: Array, active: Mask, line: int) -> Array:
    """A bit for each lane that takes part and for which a condition holds."""
    running = members(batch, mask, active, line)
    bits = ((by_warp(batch, condition, False) & running) * _BITS).sum(-1, dtype="u4", keepdims=True)
    return by_thread(batch, np.repeat(bits, LANES, -1))


def vote(
    batch: BlockBatch, mode: str, condition: Array, mask: Array, active: Mask, line: int
) -> Array:
    """Whether a condition holds for all, any, or equally for the lanes that take part."""
    running = members(batch, mask, active, line)
    holds = by_warp(batch, condition, False)
    every = (holds | ~running).all(-1, keepdims=True)
    some = (holds & running).any(-1, keepdims=True)
    result = {"all": every, "any": some, "uni": every | ~some}[mode]
    return by_thread(batch, np.repeat(result, LANES, -1))


def active_lanes(batch: BlockBatch, active: Mask) -> Array:
    """A bit for each lane that runs."""
    running = by_warp(batch, np.ones(batch.shape, bool) if active is None else active)
    bits = (running * _BITS).sum(-1, dtype="u4", keepdims=True)
    return by_thread(batch, np.repeat(bits, LANES, -1))


def match(
    batch: BlockBatch, mode: str, value: Array, mask: Array, active: Mask, line: int
) -> tuple[Array, Array]:
    """The lanes with the same value; for ``all``, whether all have it."""
    running = members(batch, mask, active, line)
    values = by_warp(batch, value)
    same = (values[..., :, None] == values[..., None, :]) & running[..., None, :]
    bits = (same * _BITS).sum(-1, dtype="u4")
    if mode == "any":
        return by_thread(batch, bits), np.ones((1, 1), bool)
    every = np.repeat(
        (same | ~running[..., None, :]).all((-1, -2), keepdims=True)[..., 0], LANES, -1
    )
    return by_thread(batch, np.where(every, bits, np.uint32(0))), by_thread(batch, every)


_REDUCTIONS: Mapping[str, tuple[Callable[..., Any], Callable[[Any], int]]] = {
    "add": (np.add.reduce, lambda dtype: 0),
    "min": (np.minimum.reduce, lambda dtype: int(np.iinfo(dtype).max)),
    "max": (np.maximum.reduce, lambda dtype: int(np.iinfo(dtype).min)),
    "and": (np.bitwise_and.reduce, lambda dtype: int(np.array(-1).astype(dtype))),
    "or": (np.bitwise_or.reduce, lambda dtype: 0),
    "xor": (np.bitwise_xor.reduce, lambda dtype: 0),
}


def reduce(
    batch: BlockBatch, name: str, value: Array, mask: Array, active: Mask, line: int
) -> Array:
    """A reduction of the values of the lanes that take part."""
    running = members(batch, mask, active, line)
    function, neutral = _REDUCTIONS[name]
    values = by_warp(batch, value)
    values = np.where(running, values, values.dtype.type(neutral(values.dtype)))
    result = function(values, axis=-1, keepdims=True).astype(value.dtype)
    return by_thread(batch, np.repeat(result, LANES, -1))


def reduce_block(batch: BlockBatch, mode: str, condition: Array, active: Mask, line: int) -> Array:
    """A reduction of a predicate over whole blocks, all of whose threads must be there."""
    running = np.ones(batch.shape, bool) if active is None else active
    missing = running.any(1, keepdims=True) & ~running
    if missing.any():
        raise batch.fault(line, int(np.argmax(missing)), "it does not reach the barrier")
    holds = np.broadcast_to(condition, batch.shape)
    result: Array
    if mode == "popc":
        result = holds.sum(1, dtype="u4", keepdims=True)
    else:
        result = (np.all if mode == "and" else np.any)(holds, 1, keepdims=True)
    return result
