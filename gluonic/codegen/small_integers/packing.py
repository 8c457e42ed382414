"""Native steps that write factors of small integers in the layouts that products read."""

from collections.abc import Sequence
from typing import Any

from gluonic.codegen.loops.steps import Step
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.maths.values import Dtype, scalar_type
from gluonic.codegen.shapes.facts import Facts
from gluonic.codegen.small_integers.geometry import PAIR, PairedLayout
from gluonic.codegen.small_integers.operators import layout_of, rows_of
from gluonic.codegen.writers.writer import Writer
from gluonic.graph import Node

_AT_ONCE = 16
"""The positions of a row that are packed at once; at most `SLACK`."""
_LONGEST_READ = 2
"""The largest stride of positions that are packed so many at once."""


class ImagesStep(Step):
    """Images with two channels side by side; a unit is a pair of channels of an image."""

    def __init__(self, node: Node, facts: Facts) -> None:
        self.node, self.operands = node, (node.inputs[0], node.entry())
        self.layout = layout_of(node.applied.view([None] * 2))
        self.code = emit_images, facts.dtypes[node.inputs[0]], self.layout

    def numbers(self, facts: Facts) -> Sequence[int]:
        """The extents of images and of a phase, its size, a group's channels and pairs, the bytes of images."""
        images = facts.shapes[self.operands[0]]
        members = images[1] // self.layout.groups
        extents = *self.layout.extents(images), *self.layout.grid(images)
        sizes = self.layout.phase_size(images), members, self.layout.pairs(images)
        return *extents, *sizes, facts.bytes_of(self.operands[0])

    def units(self, facts: Facts) -> int:
        """The pairs of all images."""
        images = facts.shapes[self.operands[0]]
        return images[0] * self.layout.groups * self.layout.pairs(images)


class RowsStep(Step):
    """Rows in tiles; a unit is a tile."""

    def __init__(self, node: Node, facts: Facts) -> None:
        self.node, self.operands = node, (node.inputs[0], node.entry())
        self.settings: Any = node.applied.view([None] * 2)
        self.code = emit_rows, facts.dtypes[node.inputs[0]]

    def _extents(self, facts: Facts) -> tuple[int, int, int]:
        return rows_of(self.settings, facts.shapes[self.operands[0]])

    def numbers(self, facts: Facts) -> Sequence[int]:
        """The rows of a group, the neighbours in each, the taps, and the rows of a tile."""
        return *self._extents(facts), self.settings.height

    def units(self, facts: Facts) -> int:
        """The tiles of all groups."""
        rows, _, _ = self._extents(facts)
        return int(self.settings.num_group) * -(-rows // int(self.settings.height))


def emit_images(module: LLVMModule, name: str, dtype: Dtype, layout: PairedLayout) -> None:
    """Write the function that packs images."""
    _ImagesWriter(module, name, dtype, layout).write()


def emit_rows(module: LLVMModule, name: str, dtype: Dtype) -> None:
    """Write the function that packs rows."""
    w = Writer(module, name)
    f, kind = w.f, scalar_type(dtype)
    convert = _widening(dtype) if dtype.itemsize == 1 else "trunc"
    source, goal = w.operand(0), w.operand(1)
    rows, inner, taps, height = (w.number(i) for i in range(4))
    tiles, pairs = w.quotient_up(rows, height), w.quotient_up(inner, 2)
    row_size = w.times(inner, taps)
    tile_size = w.times(w.times(w.times(pairs, taps), height), PAIR)

    def element(address: str, is_there: str) -> str:
        """An element as int16, zero if there is none."""
        safe = f.select(is_there, address, source, "ptr")
        found = f.cast(convert, f.load(kind, safe), kind, "i16")
        return f.select(is_there, found, 0, "i16")

    with f.loop("%begin", "%end") as unit:
        group, tile = w.divided(unit, tiles)
        first = w.times(tile, height)
        there = w.moved(goal, unit, tile_size)
        number = w.plus(w.times(group, rows), first)
        here = w.moved(source, w.times(number, row_size), dtype.itemsize)
        left = w.minus(rows, first)
        with f.loop("0", pairs) as pair, f.loop("0", taps) as tap:
            column = w.times(pair, 2)
            start = w.moved(here, w.plus(w.times(column, taps), tap), dtype.itemsize)
            line = w.moved(there, w.plus(w.times(pair, taps), tap), w.times(height, PAIR))
            has_second = f.compare("slt", w.plus(column, 1), inner)
            with f.loop("0", height) as row:
                is_row = f.compare("slt", row, left)
                address = w.moved(start, w.times(row, row_size), dtype.itemsize)
                end = w.moved(line, row, PAIR)
                f.store("i16", element(address, is_row), end, 2)
                second = element(w.moved(address, taps, dtype.itemsize), f.both(is_row, has_second))
                f.store("i16", second, w.moved(end, 2), 2)
    f.finish()


def _widening(dtype: Dtype) -> str:
    return "sext" if dtype.kind == "i" else "zext"


class _ImagesWriter(Writer):
    """Writes the loops over the phases and rows of a pair of channels."""

    def __init__(self, module: LLVMModule, name: str, dtype: Dtype, layout: PairedLayout) -> None:
        super().__init__(module, name)
        self.widen, self.layout = _widening(dtype), layout
        self.source, self.goal = self.operand(0), self.operand(1)
        self.extents = [self.number(i) for i in range(3)]
        self.grid = [self.number(3 + i) for i in range(3)]
        self.size, self.members, self.pairs, size = (self.number(6 + i) for i in range(4))
        self.end = self.moved(self.source, size)

    def write(self) -> None:
        """Write the function."""
        f = self.f
        plane = self.times(self.times(self.extents[0], self.extents[1]), self.extents[2])
        phase_size = self.times(self.size, PAIR)
        phases = self.layout.phases
        with f.loop("%begin", "%end") as unit:
            group, pair = self.divided(unit, self.pairs)
            channel = self.times(pair, 2)
            number = self.plus(self.times(group, self.members), channel)
            first = self.moved(self.source, number, plane)
            is_alone = f.compare("sge", self.plus(channel, 1), self.members)
            second = f.select(is_alone, first, self.moved(first, plane), "ptr")
            self.mask = f.select(is_alone, 0, -1, "i16")
            there = self.moved(self.goal, unit, self.times(phase_size, len(phases)))
            for k, phase in enumerate(phases):
                self._phase(phase, (first, second), self.moved(there, k, phase_size))
        f.finish()

    def _phase(self, phase: tuple[int, ...], planes: tuple[str, str], there: str) -> None:
        """Write the loops over the rows of a phase."""
        f, windows = self.f, self.layout.windows
        with f.loop("0", self.grid[0]) as depth, f.loop("0", self.grid[1]) as row:
            places = [
                self.minus(self.times(index, windows.stride[axis]), windows.pad[axis] - phase[axis])
                for axis, index in enumerate((depth, row))
            ]
            inside = [
                f.compare("ult", place, extent)
                for place, extent in zip(places, self.extents, strict=False)
            ]
            number = self.plus(self.times(depth, self.grid[1]), row)
            line = self.moved(there, self.times(number, self.grid[2]), PAIR)
            offset = self.plus(self.times(places[0], self.extents[1]), places[1])
            begin = self.times(offset, self.extents[2])
            self.either(
                f.both(*inside),
                lambda: self._row(phase[2], [self.moved(p, begin) for p in planes], line),
                lambda: self.clear(line, self.times(self.grid[2], PAIR)),
            )

    def _row(self, phase: int, rows: Sequence[str], line: str) -> None:
        """Write a row: the padding before, the positions, the padding after."""
        f, windows = self.f, self.layout.windows
        stride, before = windows.stride[2], windows.pad[2] - phase
        low = max(-(-before // stride), 0)
        behind = self.quotient_up(self.most(self.plus(self.extents[2], before), 0), stride)
        high = self.most(self.least(behind, self.grid[2]), low)
        start = low * stride - before
        count = self.minus(high, low)
        sources = [self.moved(row, start) for row in rows]
        goal = self.moved(line, low, PAIR)
        if low:
            self.clear(line, str(low * PAIR))
        if stride > _LONGEST_READ:
            self._one_by_one(sources, goal, count, stride)
        else:
            last = self.times(self.quotient_up(count, _AT_ONCE), _AT_ONCE * stride)
            fits = f.compare("ule", self.moved(sources[1], last), self.end, "ptr")
            first_fits = f.compare("ule", self.moved(sources[0], last), self.end, "ptr")
            self.either(
                f.both(fits, first_fits),
                lambda: self._at_once(sources, goal, count, stride),
                lambda: self._one_by_one(sources, goal, count, stride),
            )
        rest = self.minus(self.grid[2], high)
        self.clear(self.moved(line, high, PAIR), self.times(self.most(rest, 0), PAIR))

    def _at_once(self, sources: Sequence[str], goal: str, count: str, stride: int) -> None:
        """Copy several positions at once; those after the last are overwritten later, or never read."""
        f, lanes = self.f, _AT_ONCE
        narrow, wide = f"<{lanes} x i8>", f"<{lanes} x i16>"
        mask = f.splat("i16", self.mask, lanes)
        with f.loop("0", count, lanes) as index:
            found = []
            for source in sources:
                ref = f.load(f"<{lanes * stride} x i8>", self.moved(source, index, stride), 1)
                if stride > 1:
                    picked = range(0, lanes * stride, stride)
                    ref = f.shuffle(f"<{lanes * stride} x i8>", ref, "poison", picked)
                found.append(f.cast(self.widen, ref, narrow, wide))
            second = f.bits(found[1], mask, wide)
            order = [k + half * lanes for k in range(lanes) for half in (0, 1)]
            both = f.shuffle(wide, found[0], second, order)
            f.store(f"<{2 * lanes} x i16>", both, self.moved(goal, index, PAIR), 2)

    def _one_by_one(self, sources: Sequence[str], goal: str, count: str, stride: int) -> None:
        f = self.f
        with f.loop("0", count) as index:
            end = self.moved(goal, index, PAIR)
            for k, source in enumerate(sources):
                place = self.moved(source, index, stride)
                value = f.cast(self.widen, f.load("i8", place, 1), "i8", "i16")
                if k:
                    value = f.bits(value, self.mask, "i16")
                f.store("i16", value, self.moved(end, 2 * k), 2)
