"""Native steps of Winograd's algorithm (:mod:`gluonic.codegen.convolution.winograd`)."""

from collections.abc import Callable, Sequence
from itertools import chain, product
from typing import Any

import numpy as np

from gluonic.codegen.convolution.operators import epilogue_of
from gluonic.codegen.convolution.steps import BandStep, BlockStep
from gluonic.codegen.convolution.winograd import FILTERS, IMAGES, PRODUCTS, SIDE, SUMS
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.maths.values import FLOAT32, Value
from gluonic.codegen.shapes.facts import Facts
from gluonic.codegen.writers.element_writer import ElementWriter
from gluonic.graph import Node
from gluonic.graph.attributes import Shape

Matrix = np.ndarray[Any, np.dtype[np.float32]]
Square = list[list[Value]]


class WinogradWriter(ElementWriter):
    """Writes transformations of tiles, each of whose elements is a vector."""

    def __init__(self, module: LLVMModule, name: str) -> None:
        super().__init__(module, name, FLOAT32)

    def vector_at(self, address: str) -> Value:
        """A vector in memory."""
        return self.whole(address, self.lanes)

    def put_all(self, tile: Square, addresses: Sequence[str]) -> None:
        """Write the vectors of a tile, row by row."""
        for value, address in zip(chain(*tile), addresses, strict=True):
            self.put_whole(value, address, self.lanes)

    def row_of(self, address: str, count: int, stride: str | int) -> list[str]:
        """The addresses of items that are a stride apart."""
        found = [address]
        for _ in range(count - 1):
            found.append(self.moved(found[-1], 1, stride))
        return found

    def transformed(self, matrix: Matrix, tile: Square) -> Square:
        """A matrix times a tile times the transpose of the matrix."""
        half = [self._times(matrix, [row[j] for row in tile]) for j in range(len(tile[0]))]
        return [self._times(matrix, [column[i] for column in half]) for i in range(matrix.shape[0])]

    def _times(self, matrix: Matrix, vector: Sequence[Value]) -> list[Value]:
        """A matrix of 0, 1, -1, 0.5 and -0.5 times a vector; rows of halves are halved last."""
        return [self._sum(row, vector) for row in matrix.tolist()]

    def _sum(self, factors: Sequence[float], vector: Sequence[Value]) -> Value:
        scale = max(map(abs, factors))
        signs = [factor / scale for factor in factors]
        first = signs.index(1)
        total: Any = vector[first]
        for index, sign in enumerate(signs):
            if index != first and sign:
                total = total + vector[index] if sign > 0 else total - vector[index]
        found: Value = total if scale == 1 else total * scale
        return found


def emit_winograd_filters(module: LLVMModule, name: str) -> None:
    """Write the transformation of packed filters; a unit is a tile of blocks of filters.

    Numbers are the blocks of channels, the blocks of filters, and how many of these are in a tile. A tile's
    filters are divided by blocks of channels: in the source the 9 taps follow each other, in the result each of
    the 16 products has its own array.
    """
    w = WinogradWriter(module, name)
    source, goal = w.operand(0), w.operand(1)
    channels, blocks, most = w.number(0), w.number(1), w.number(2)
    block = w.lanes * w.step
    whole = w.times(w.times(channels, blocks), block)
    with w.f.loop("%begin", "%end") as unit:
        before = w.times(unit, most)
        size = w.times(w.least(most, w.minus(blocks, before)), block)
        start = w.times(w.times(before, channels), block)
        with w.f.loop("0", channels) as channel:
            begin = w.plus(start, w.times(channel, size))
            here = w.moved(source, w.times(begin, 9))
            there = w.moved(goal, begin)
            with w.f.loop("0", size, w.step) as offset:
                taps = w.row_of(w.moved(here, offset), 9, size)
                tile = [[w.vector_at(taps[3 * i + j]) for j in range(3)] for i in range(3)]
                ends = w.row_of(w.moved(there, offset), PRODUCTS, whole)
                w.put_all(w.transformed(FILTERS, tile), ends)
    w.f.finish()


def emit_winograd_images(module: LLVMModule, name: str) -> None:
    """Write the transformation of padded images; a unit is a band of a block of an image.

    Numbers are the rows and columns of tiles, the blocks of an image, and their bands.
    """
    w = WinogradWriter(module, name)
    source, goal = w.operand(0), w.operand(1)
    down, across, blocks, bands = (w.number(i) for i in range(4))
    plane = w.times(w.times(down, across), w.step)
    group = w.times(plane, blocks)
    line = w.times(w.plus(w.times(across, SIDE), SIDE), w.step)
    height = w.plus(w.times(down, SIDE), SIDE)
    with w.f.loop("%begin", "%end") as unit:
        number, limits = _band(w, unit, bands, down)
        here = w.moved(source, number, w.times(height, line))
        image, block = w.divided(number, blocks)
        there = w.moved(w.moved(goal, image, w.times(group, PRODUCTS)), block, plane)
        with w.f.loop(*limits) as row, w.f.loop("0", across) as column:
            first = w.moved(w.moved(here, row, w.times(line, SIDE)), column, SIDE * w.step)
            rows = w.row_of(first, 4, line)
            tile = [[w.vector_at(w.moved(start, j, w.step)) for j in range(4)] for start in rows]
            number = w.plus(w.times(row, across), column)
            ends = w.row_of(w.moved(there, number, w.step), PRODUCTS, group)
            w.put_all(w.transformed(IMAGES, tile), ends)
    w.f.finish()


def _band(w: WinogradWriter, unit: str, bands: str, down: str) -> tuple[str, tuple[str, str]]:
    """The block of a unit, and its rows of tiles."""
    block, band = w.divided(unit, bands)
    height = w.quotient_up(down, bands)
    first = w.times(band, height)
    return block, (first, w.least(w.plus(first, height), down))


def emit_winograd_sums(
    module: LLVMModule,
    name: str,
    odd: Shape,
    activation: str,
    attributes: str,
    has_shift: bool,
    has_residual: bool,
) -> None:
    """Write the outputs of tiles with their epilogue; a unit is a band of a block of an image.

    Numbers are the rows and columns of tiles, the blocks of an image, and their bands. Operands are the sums,
    the result, and those of the epilogue.
    """
    w = WinogradWriter(module, name)
    source, goal = w.operand(0), w.operand(1)
    down, across, blocks, bands = (w.number(i) for i in range(4))
    plane = w.times(w.times(down, across), w.step)
    group = w.times(plane, blocks)
    line = w.times(w.minus(w.times(across, SIDE), odd[1]), w.step)
    size = w.times(line, w.minus(w.times(down, SIDE), odd[0]))
    expression = epilogue_of(activation, attributes)
    with w.f.loop("%begin", "%end") as unit:
        number_of_block, limits = _band(w, unit, bands, down)
        image, block = w.divided(number_of_block, blocks)
        here = w.moved(w.moved(source, image, w.times(group, PRODUCTS)), block, plane)
        arrays = [w.moved(goal, number_of_block, size)]
        if has_residual:
            arrays.append(w.moved(w.operand(2 + has_shift), number_of_block, size))
        shifts = [w.vector_at(w.moved(w.operand(2), block, w.step))] if has_shift else []

        def finish(outputs: list[Value], end: str, *residuals: str) -> None:
            total = w.m.joined(outputs)
            others = [w.m.joined([shift] * len(outputs)) for shift in shifts]
            others += [w.whole(residual, total.lanes) for residual in residuals]
            result = expression(w.m, total, *others)
            w.put_whole(w.m.asarray(result), end, total.lanes)

        def write(row: str, column: str, height: int, width: int) -> None:
            number = w.plus(w.times(row, across), column)
            starts = w.row_of(w.moved(here, number, w.step), PRODUCTS, group)
            sums = [w.vector_at(start) for start in starts]
            outputs = w.transformed(SUMS, [sums[i : i + 4] for i in range(0, PRODUCTS, 4)])
            for i in range(height):
                where = w.plus(w.times(row, SIDE), i)
                ends = [
                    w.moved(w.moved(array, where, line), column, SIDE * w.step) for array in arrays
                ]
                finish(outputs[i][:width], *ends)

        _tiles(w, limits, (down, across), odd, write)
    w.f.finish()


def _tiles(
    w: WinogradWriter,
    limits: tuple[str, str],
    counts: tuple[str, str],
    odd: Shape,
    write: Callable[[str, str, int, int], None],
) -> None:
    """Write loops over some rows of tiles, `write(row, column, height, width)`; the last may be halves."""
    (first, last), (down, across) = limits, counts
    full_rows, full_columns = w.minus(down, odd[0]), w.minus(across, odd[1])
    rows = [(first, w.least(last, full_rows), SIDE), (w.most(first, full_rows), last, 1)]
    rows = rows[: 1 + odd[0]]
    columns = [("0", full_columns, SIDE), (full_columns, across, 1)][: 1 + odd[1]]
    for (top, bottom, height), (left, right, width) in product(rows, columns):
        with w.f.loop(top, bottom) as row, w.f.loop(left, right) as column:
            write(row, column, height, width)


class WinogradFiltersStep(BlockStep):
    """Transforms packed filters."""

    def __init__(self, node: Node, facts: Facts) -> None:
        super().__init__(node, facts)
        self.code = (emit_winograd_filters,)
        self.blocks = self.n.filters // self.n.lanes

    def numbers(self, facts: Facts) -> Sequence[int]:
        """The blocks of channels and of filters, and those of a tile."""
        return [self.n.channels // self.n.lanes, self.blocks, self.n.tile]

    def units(self, facts: Facts) -> int:
        """One unit per tile of blocks of filters."""
        return int(-(-self.blocks // self.n.tile))


class WinogradImagesStep(BandStep):
    """Transforms padded images."""

    def __init__(self, node: Node, facts: Facts) -> None:
        super().__init__(node, facts)
        self.code = (emit_winograd_images,)

    def rows(self, facts: Facts) -> int:
        """The rows of tiles."""
        return self.shape(facts, 1)[2]

    def numbers(self, facts: Facts) -> Sequence[int]:
        """The rows and columns of tiles, the blocks of an image, and their bands."""
        _, blocks, *_ = self.shape(facts, 0)
        return [*self.shape(facts, 1)[2:4], blocks, self.bands(facts)]


class WinogradSumsStep(BandStep):
    """Computes the outputs of tiles, with their epilogue."""

    counted = 1

    def __init__(self, node: Node, facts: Facts) -> None:
        super().__init__(node, facts)
        n, (sums, *others) = self.n, node.inputs
        self.operands = (sums, node.entry(), *others)
        activation = n.activation, n.activation_attributes
        self.code = emit_winograd_sums, n.odd, *activation, n.has_shift, n.has_residual

    def rows(self, facts: Facts) -> int:
        """The rows of tiles."""
        return self.shape(facts, 0)[2]

    def numbers(self, facts: Facts) -> Sequence[int]:
        """The rows and columns of tiles, the blocks of an image, and their bands."""
        return [*self.shape(facts, 0)[2:4], self.shape(facts, 1)[1], self.bands(facts)]
