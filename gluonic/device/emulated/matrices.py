"""Products of small matrices by the threads of a warp, each of which holds a fragment of every matrix."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gluonic.device.emulated.batch import BlockBatch
from gluonic.device.emulated.flow import Mask
from gluonic.device.emulated.formats import Array, reader, unsigned, writer
from gluonic.device.emulated.warps import LANES, by_thread, by_warp, members

_EVERYBODY = np.full((1, 1), 0xFFFFFFFF, "u4")
_GROUP, _IN_GROUP = np.arange(LANES) // 4, np.arange(LANES) % 4


class Fragments(NamedTuple):
    """A product of 16 rows by 8 columns: its depth, and the types of factors, addend and result."""

    depth: int
    factor: str
    addend: str
    result: str

    @property
    def register(self) -> int:
        """The bits of a register."""
        return 64 if self.factor == "f64" else 32


_PRODUCT = re.compile(
    r"mma\.sync\.aligned\.m16n8k(4|8|16)\.row\.col\.(f16|f32|f64)\.(f16|bf16|tf32|f64)\.\3\.(f16|f32|f64)$"
)
_DEPTHS = {"tf32": (4, 8), "f64": (4, 8, 16)}


def fragments(opcode: str) -> Fragments | None:
    """What an ``mma.sync`` multiplies, or None if that is not known here."""
    match = _PRODUCT.match(opcode)
    if match is None:
        return None
    depth, result, factor, addend = match.groups()
    if int(depth) not in _DEPTHS.get(factor, (8, 16)):
        return None
    if len({result == "f64", factor == "f64", addend == "f64"}) > 1:
        return None
    return Fragments(int(depth), factor, addend, result)


def load_matrix(
    batch: BlockBatch, address: Array, count: int, transposed: bool, active: Mask, line: int
) -> list[Array]:
    """Matrices of 8 by 8 numbers of 16 bits, whose rows the lanes point to, eight lanes a matrix."""
    members(batch, _EVERYBODY, active, line)
    pointing = np.arange(batch.shape[1])[None] % LANES < 8 * count
    mask = np.broadcast_to(pointing, batch.shape)
    if active is not None:
        mask = mask & active
    columns = batch.memory.load("shared", address, 2, 8, mask, line, "")
    rows = np.stack([by_warp(batch, column) for column in columns], -1)
    results = []
    for number in range(count):
        matrix = rows[:, :, 8 * number : 8 * number + 8]
        if transposed:
            matrix = matrix.swapaxes(-1, -2)
        low, high = (matrix[:, :, _GROUP, 2 * _IN_GROUP + side] for side in (0, 1))
        results.append(by_thread(batch, low.astype("u4") | high.astype("u4") << np.uint32(16)))
    return results


def multiply(
    batch: BlockBatch,
    shape: Fragments,
    a: Sequence[Array],
    b: Sequence[Array],
    c: Sequence[Array],
    active: Mask,
    line: int,
) -> list[Array]:
    """The fragments of ``a @ b + c``, added in float32, or in float64."""
    members(batch, _EVERYBODY, active, line)
    bits = shape.register
    per_register = 1 if shape.factor in _DEPTHS else 2
    left = _gathered(batch, a, shape.factor, 16, shape.depth, per_register, bits)
    right = _gathered(batch, b, shape.factor, 8, shape.depth, per_register, bits)
    total = _gathered(batch, c, shape.addend, 16, 8, _per_register(shape.addend), bits, 2)
    total = total + left @ right.swapaxes(-1, -2)
    return _scattered(batch, total, shape.result, bits)


def _per_register(kind: str) -> int:
    """How many sums of a type are in a register."""
    return 2 if kind == "f16" else 1


def _places(
    register: int, per_register: int, rows: int, side: int, run: int
) -> tuple[Array, Array]:
    """The row and column that a number of a register has, for each lane.

    Parameters
    ----------
    run : how many columns a lane holds side by side
    """
    number = register * per_register + side
    within, block = number % run, number // run
    row = _GROUP + (8 * (block % 2) if rows == 16 else 0)
    column = run * _IN_GROUP + within + 4 * run * (block // (rows // 8))
    return row, column


def _gathered(
    batch: BlockBatch,
    registers: Sequence[Array],
    kind: str,
    rows: int,
    columns: int,
    per_register: int,
    register: int,
    run: int | None = None,
) -> Array:
    """A matrix from the lanes' fragments, in float32 or float64."""
    count, threads = batch.shape
    result = np.zeros((count, -(-threads // LANES), rows, columns), f"f{register // 8}")
    for index, bits in enumerate(registers):
        for side in range(per_register):
            row, column = _places(index, per_register, rows, side, run or per_register)
            part = by_warp(batch, bits)
            if per_register == 2:
                part = (part >> np.uint32(16 * side)).astype("u2")
            elif kind == "tf32":
                part = part & np.uint32(0xFFFFE000)
            result[:, :, row, column] = reader(kind, f"b{register // per_register}")(part)
    return result


def _scattered(batch: BlockBatch, matrix: Array, kind: str, register: int) -> list[Array]:
    per_register = _per_register(kind)
    results = []
    for index in range(4 // per_register):
        bits = np.zeros((1, 1), unsigned(register))
        for side in range(per_register):
            row, column = _places(index, per_register, 16, side, 2)
            part = writer(kind, f"b{register // per_register}")(
                np.ascontiguousarray(matrix[:, :, row, column])
            )
            bits = bits | part.astype(bits.dtype) << bits.dtype.type(16 * side)
        results.append(by_thread(batch, bits))
    return results
