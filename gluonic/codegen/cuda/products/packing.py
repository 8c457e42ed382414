"""Factors that are written anew so that the copy engine can bring boxes of them: as matrices in a workspace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from gluonic.codegen.cuda.block_code import GLOBAL, SHARED, BlockCode
from gluonic.codegen.cuda.products.form import TiledForm
from gluonic.codegen.cuda.products.layout import Digit, FactorLayout, ProductLayout
from gluonic.codegen.cuda.steps import KernelLaunch
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.maths.values import Dtype, scalar_type

_TILE, _THREADS = 32, 256
_LINES = _THREADS // _TILE
_ALIGNMENT = 256
_NUMBERS = "outer", "inner", "outer_step", "inner_step", "begin", "target_begin", "pitch"


class PackedProduct(NamedTuple):
    """A product whose factors are matrices that boxes are copied of.

    Attributes
    ----------
    launches : those that write factors to the workspace
    layout, form, operands : of the product itself
    """

    launches: list[KernelLaunch]
    layout: ProductLayout
    form: TiledForm
    operands: list[int]


def _pitch(factor: FactorLayout, dtype: Dtype) -> int:
    """The distance between rows of a matrix in the workspace, in elements."""
    together = 16 // dtype.itemsize
    return -(-factor.inner[0].extent // together) * together


def _bytes(factor: FactorLayout, dtype: Dtype) -> int:
    """The size of a matrix in the workspace."""
    size = factor.outer[0].extent * _pitch(factor, dtype) * dtype.itemsize
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def is_packable(layout: ProductLayout) -> bool:
    """Whether each factor is one matrix."""
    are_single = all(
        not factor.axes and len(factor.outer) == len(factor.inner) == 1
        for factor in (layout.left, layout.right)
    )
    count = layout.batch * layout.heads
    return are_single and count == 1 and layout.rows * layout.columns * layout.inner > 0


def packed_bytes(layout: ProductLayout, dtype: Dtype) -> list[int]:
    """The sizes of the matrices in the workspace."""
    factors = layout.left, layout.right
    return [_bytes(factor, dtype) for factor in factors if not factor.has_boxes(dtype)]


def packed(
    layout: ProductLayout, form: TiledForm, operands: Sequence[int], offset: int
) -> PackedProduct:
    """Write factors anew where boxes cannot be copied of them.

    Parameters
    ----------
    operands : the factors first, the workspace last
    offset : where that is free, in bytes
    """
    launches, changed, dtype = list[KernelLaunch](), list(operands), form.dtype
    factors = [layout.left, layout.right]
    for i, factor in enumerate(factors):
        if factor.has_boxes(dtype):
            continue
        begin = -(-offset // _ALIGNMENT) * _ALIGNMENT // dtype.itemsize
        offset = begin * dtype.itemsize + _bytes(factor, dtype)
        (outer,), (inner,) = factor.outer, factor.inner
        pitch = _pitch(factor, dtype)
        numbers = (
            outer.extent, inner.extent, outer.step, inner.step, factor.begin, begin, pitch,
        )  # fmt: skip
        tiles = -(-outer.extent // _TILE) * -(-inner.extent // _TILE)
        code = write_packed, dtype, factor.form.along == "outer"
        places = operands[i], operands[-1]
        launches.append(KernelLaunch(code, places, numbers, (tiles, 1, 1), (_THREADS, 1, 1)))
        matrix = (Digit(outer.extent, pitch),), (Digit(inner.extent, 1),)
        factors[i], changed[i] = FactorLayout(*matrix, begin=begin), operands[-1]
    left, right = factors
    layout = replace(layout, left=left, right=right)
    form = replace(form, left=left.form, right=right.form)
    return PackedProduct(launches, layout, form, changed)


def write_packed(module: LLVMModule, name: str, dtype: Dtype, turns: bool) -> None:
    """Write the kernel: a block copies a tile, in shared memory if neighbours lie along the other index."""
    code = BlockCode(module, name, 2, _NUMBERS, _THREADS)
    kind = scalar_type(dtype)
    source, target = (
        code.part_of(operand, [(1, number)], kind)
        for operand, number in enumerate(("begin", "target_begin"))
    )
    down = code.div32(code.add32(code.number("outer"), _TILE - 1), _TILE)
    first_outer = code.mul32(code.rem32(code.block_index, down), _TILE)
    first_inner = code.mul32(code.div32(code.block_index, down), _TILE)
    across, line = code.rem32(code.thread, _TILE), code.div32(code.thread, _TILE)
    lines = [code.add32(line, first) for first in range(0, _TILE, _LINES)]
    limits = code.number("outer"), code.number("inner")
    pitch = _TILE + 1  # banks differ
    array = code.shared_array(kind, _TILE * pitch) if turns else ""
    elements = []
    for own in lines:
        place = (across, own) if turns else (own, across)
        outer, inner = code.add32(first_outer, place[0]), code.add32(first_inner, place[1])
        index = code.add32(
            code.mul32(outer, code.number("outer_step")),
            code.mul32(inner, code.number("inner_step")),
        )
        inside = code.both(code.less(outer, limits[0]), code.less(inner, limits[1]))
        read = partial(code.read, GLOBAL, source, index, kind)
        elements.append(code.value_if(inside, kind, read, "0.0"))
    if turns:
        for own, element in zip(lines, elements, strict=True):
            code.write(SHARED, array, code.add32(code.mul32(own, pitch), across), kind, element)
        code.barrier()
        column = code.mul32(across, pitch)
        elements = [code.read(SHARED, array, code.add32(column, own), kind) for own in lines]
    for own, element in zip(lines, elements, strict=True):
        outer, inner = code.add32(first_outer, own), code.add32(first_inner, across)
        with code.when(code.both(code.less(outer, limits[0]), code.less(inner, limits[1]))):
            index = code.add32(code.mul32(outer, code.number("pitch")), inner)
            code.write(GLOBAL, target, index, kind, element)
    code.finish()
