"""Products of matrices by four warps, which read them from swizzled shared memory: ``wgmma``.

A product is done at once, so an instruction that waits for it has nothing to do. What is checked of both
factors is that they were written, and that no thread writes them meanwhile.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gluonic.device.emulated.batch import BlockBatch
from gluonic.device.emulated.flow import Mask
from gluonic.device.emulated.formats import Array, reader, unsigned
from gluonic.device.emulated.warps import LANES

_THREADS, _ROWS = 4 * LANES, 64
_LINE, _CHUNK = 128, 16
"""The bytes of a row in shared memory, and of a chunk of it, whose place the swizzle changes."""
_SWIZZLE_128 = 1


class GroupProduct(NamedTuple):
    """A product of 64 rows.

    Attributes
    ----------
    columns, depth : its other extents
    factor : the type of the factors
    """

    columns: int
    depth: int
    factor: str


_PRODUCT = re.compile(
    r"wgmma\.mma_async\.sync\.aligned\.m64n(\d+)k(8|16)\.f32\.(f16|bf16|tf32)\.\3$"
)


def group_product(opcode: str) -> GroupProduct | None:
    """What a ``wgmma.mma_async`` multiplies, or None if that is not known here."""
    match = _PRODUCT.match(opcode)
    if match is None:
        return None
    columns, depth, factor = int(match[1]), int(match[2]), match[3]
    if columns % 8 or not 8 <= columns <= 256 or depth != (8 if factor == "tf32" else 16):
        return None
    return GroupProduct(columns, depth, factor)


def multiply_in_groups(
    batch: BlockBatch,
    shape: GroupProduct,
    sums: Sequence[Array],
    descriptors: tuple[Array, Array],
    turned: tuple[bool, bool],
    active: Mask,
    line: int,
) -> list[Array]:
    """The sums, in registers, after a product of two matrices, each described by 64 bits."""
    count, threads = batch.shape
    running = np.ones(batch.shape, bool) if active is None else active
    if threads % _THREADS:
        raise batch.fault(line, 0, f"a block of {threads} threads is not divided into warpgroups")
    groups = running.reshape(count, -1, _THREADS)
    missing = (groups.any(-1, keepdims=True) & ~groups).reshape(count, threads)
    if missing.any():
        raise batch.fault(line, int(np.argmax(missing)), "its warpgroup waits for it")
    left = _matrix(batch, shape, descriptors[0], _ROWS, turned[0], active, line)
    right = _matrix(batch, shape, descriptors[1], shape.columns, turned[1], active, line)
    product = left @ right.swapaxes(-1, -2)
    thread = np.arange(_THREADS)
    row = thread // LANES * 16 + thread % LANES // 4
    results = []
    for number, bits in enumerate(sums):
        block, below, side = number // 4, number // 2 % 2, number % 2
        column = 8 * block + 2 * (thread % 4) + side
        added = product[:, :, row + 8 * below, column].reshape(count, threads)
        total = np.broadcast_to(bits, batch.shape).view("f4") + added
        results.append(total.view("u4"))
    return results


def _matrix(
    batch: BlockBatch,
    shape: GroupProduct,
    descriptor: Array,
    outer: int,
    turned: bool,
    active: Mask,
    line: int,
) -> Array:
    """The matrix of each warpgroup, outer by inner index: its threads read a chunk each, as often as needed."""
    count, threads = batch.shape
    start, panel, eight = _described(batch, descriptor, line)
    size = 4 if shape.factor == "tf32" else 2
    in_chunk = _CHUNK // size
    if turned and size == 4:
        raise batch.fault(line, 0, "numbers of 32 bits have the inner index as the contiguous one")
    result = np.zeros((count, threads // _THREADS, outer, shape.depth), "f4")
    thread = np.arange(threads) % _THREADS
    chunks = outer * shape.depth // in_chunk
    for first in range(0, chunks, _THREADS):
        number = first + thread
        if turned:
            along, across = number % (outer // in_chunk), number // (outer // in_chunk)
            panels, within = np.divmod(along, _LINE // _CHUNK)
        else:
            along, across = number % (shape.depth // in_chunk), number // (shape.depth // in_chunk)
            panels, within = np.zeros_like(along), along
        distance = across % 8 * _LINE + within * _CHUNK
        flat = start + panels * panel + across // 8 * eight + distance.astype("i8")
        place = flat ^ (flat // _LINE % 8 * _CHUNK)
        reads = np.broadcast_to(number < chunks, batch.shape)
        reads = reads if active is None else reads & active
        loaded = batch.memory.load("shared", place.astype("u8"), size, in_chunk, reads, line, "")
        bits = np.stack([np.broadcast_to(part, batch.shape) for part in loaded], -1)
        if shape.factor == "tf32":
            bits = bits & np.uint32(0xFFFFE000)
        numbers = reader(shape.factor, f"b{size * 8}")(
            np.ascontiguousarray(bits, unsigned(size * 8))
        )
        numbers = numbers.reshape(count, -1, _THREADS, in_chunk)
        used = number[:_THREADS] < chunks
        others, lines = along[:_THREADS][used] * in_chunk, across[:_THREADS][used]
        for i in range(in_chunk):
            where = (others + i, lines) if turned else (lines, others + i)
            result[:, :, where[0], where[1]] = numbers[:, :, used, i]
    return result


def _described(batch: BlockBatch, descriptor: Array, line: int) -> tuple[Array, Array, Array]:
    """Of each thread's descriptor: where the matrix starts, and its distances between panels and eight rows."""
    whole = np.broadcast_to(descriptor, batch.shape)
    groups = whole.reshape(batch.shape[0], -1, _THREADS)
    different = (groups != groups[..., :1]).reshape(batch.shape)
    if different.any():
        raise batch.fault(line, int(np.argmax(different)), "its warpgroup has another descriptor")
    other = (whole >> np.uint64(62) != _SWIZZLE_128) | (whole >> np.uint64(49) & np.uint64(7) != 0)
    if other.any():
        raise NotImplementedError(
            "the emulated GPU knows wgmma on rows of 128 bytes that start at a multiple of 1024 alone"
        )
    start, panel, eight = (
        ((whole >> np.uint64(shift) & np.uint64(0x3FFF)) << np.uint64(4)).astype("i8")
        for shift in (0, 16, 32)
    )
    return start, panel, eight
