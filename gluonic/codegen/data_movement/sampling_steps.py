"""Native steps that sample images at arbitrary positions, and that scatter gradients back to the pixels."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from math import prod
from typing import Any

from gluonic.codegen.loops.costs import NANOSECONDS_AN_INSTRUCTION
from gluonic.codegen.loops.steps import Step
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.maths.values import FLOAT32, INT32, INT64, Dtype, Value
from gluonic.codegen.shapes.facts import Facts
from gluonic.codegen.writers.element_writer import ElementWriter
from gluonic.graph import Entry, Node
from gluonic.graph.ops.sampling import pixels_along

_DTYPES = ("float32", "float64")
_CORNERS = 4
_INSTRUCTIONS_A_POSITION, _INSTRUCTIONS_A_SAMPLE = 4, 20


class SampleStep(Step):
    """Samples of images, interpolated between four pixels.

    Attributes
    ----------
    images, grid, samples : entries
    orders : the orders of the derivative with respect to x and to y
    """

    uses_workspace = True

    def __init__(self, node: Node, facts: Facts) -> None:
        settings: Any = node.applied.settings
        self.images, self.grid, self.samples = self._entries(node)
        self.orders = settings.get("x_order", 0), settings.get("y_order", 0)
        self.dtype = facts.dtypes[self.samples]
        self.operands: tuple[Entry, ...] = (self.images, self.grid, self.samples)

    def _entries(self, node: Node) -> tuple[Entry, Entry, Entry]:
        return node.inputs[0], node.inputs[1], node.entry()

    @classmethod
    def of(cls, node: Node, facts: Facts) -> "SampleStep | None":
        """The step of an operator that samples images in a dtype that has machine code."""
        step = cls(node, facts)
        dtypes = {facts.dtypes[entry] for entry in step.operands}
        if len(dtypes) > 1 or step.dtype.name not in _DTYPES or step.is_empty(facts):
            return None
        return step

    def is_empty(self, facts: Facts) -> bool:
        """Whether there are no samples, or the images are empty."""
        return any(0 in facts.shapes[entry] for entry in self.operands)

    def numbers(self, facts: Facts) -> Sequence[int]:
        """The channels, the height and the width of the images, and the number of samples per image."""
        return *facts.shapes[self.images][1:], prod(facts.shapes[self.grid][2:])

    def units(self, facts: Facts) -> int:
        """One unit per image."""
        return facts.shapes[self.images][0]

    def nanoseconds(self, facts: Facts) -> float:
        """The time for the weights of all positions, and for all samples."""
        positions, samples = (prod(facts.shapes[entry]) for entry in (self.grid, self.samples))
        count = positions * _INSTRUCTIONS_A_POSITION + samples * _INSTRUCTIONS_A_SAMPLE
        return count * NANOSECONDS_AN_INSTRUCTION

    def workspace(self, facts: Facts) -> int:
        """For each position in an image, the indices of the pixels around it, and their weights."""
        return 2 * _CORNERS * prod(facts.shapes[self.grid][2:]) * self.dtype.itemsize

    def emit(self, module: LLVMModule, name: str) -> None:
        """Write the samples."""
        _SampleWriter(module, name, self).sample()


class SampleGradientStep(SampleStep):
    """The gradient of sampling with respect to the images."""

    def _entries(self, node: Node) -> tuple[Entry, Entry, Entry]:
        return node.entry(), node.inputs[2], node.inputs[0]

    def emit(self, module: LLVMModule, name: str) -> None:
        """Write the sums."""
        _SampleWriter(module, name, self).back()


class _SampleWriter(ElementWriter):
    """Writes, for each image, the search for pixels, then the loops over channels and positions."""

    def __init__(self, module: LLVMModule, name: str, step: SampleStep) -> None:
        super().__init__(module, name, step.dtype)
        self.orders = step.orders
        self.integer = INT32 if self.dtype == FLOAT32 else INT64
        self.channels, self.height, self.width, self.positions = (self.number(i) for i in range(4))
        self.images, self.grid, self.samples, self.corners = (self.operand(i) for i in range(4))
        self.pixels = self.times(self.height, self.width)

    def sample(self) -> None:
        """Sum the weighted pixels around each position."""
        with self._samples() as (plane, sample, position):
            total = self.number_of(0.0)
            for pixel, weight in self._corners_of(plane, position):
                total = self.m.mad(self.whole(pixel), weight, total)
            self.put_whole(total, sample)
        self.f.finish()

    def back(self) -> None:
        """Add its weighted gradient to the pixels around each position."""
        with self._samples(clears=True) as (plane, sample, position):
            head = self.whole(sample)
            for pixel, weight in self._corners_of(plane, position):
                self.put_whole(self.m.mad(head, weight, self.whole(pixel)), pixel)
        self.f.finish()

    @contextmanager
    def _samples(self, *, clears: bool = False) -> Iterator[tuple[str, str, str]]:
        """Loops over images, channels and positions; yields channel and sample addresses, and the position."""
        with self.f.loop("%begin", "%end") as unit:
            self._note_corners(self.at(self.grid, self.times(unit, self.times(self.positions, 2))))
            first = self.times(unit, self.channels)
            with self.f.loop(first, self.plus(first, self.channels)) as channel:
                plane = self.at(self.images, self.times(channel, self.pixels))
                if clears:
                    self.clear(plane, self.times(self.pixels, self.size))
                samples = self.at(self.samples, self.times(channel, self.positions))
                with self.f.loop("0", self.positions) as position:
                    yield plane, self.at(samples, position), position

    def _column(self, number: int) -> str:
        """The column with the pixel indices at one of the four corners or, after these, with their weights."""
        return self.at(self.corners, self.times(self.positions, number))

    def _corners_of(self, plane: str, position: str) -> Iterator[tuple[str, Value]]:
        """The addresses of the pixels around a position, with their weights."""
        for corner in range(_CORNERS):
            number = self.element_of(self._column(corner), position, self.integer).astype(INT64)
            yield (
                self.at(plane, number.ref),
                self.whole(self.at(self._column(_CORNERS + corner), position)),
            )

    def _note_corners(self, across: str) -> None:
        """Find the pixels around all positions in an image."""
        down, width = self.at(across, self.positions), self._extent(self.width, self.integer)

        def body(position: str, lanes: int) -> None:
            x, y = (self.element(self.at(axis, position), lanes) for axis in (across, down))
            columns, rows = (
                self._along(x, self.width, self.orders[0]),
                self._along(y, self.height, self.orders[1]),
            )
            for corner, ((row, by_row), (column, by_column)) in enumerate(product(rows, columns)):
                number = self.m.bitcast(row * width + column, self.dtype)
                self.put(number, self.at(self._column(corner), position), lanes)
                self.put(
                    by_row * by_column, self.at(self._column(_CORNERS + corner), position), lanes
                )

        self.spans("0", self.positions, body)

    def _extent(self, length: str, dtype: Dtype) -> Value:
        return self.m.value(length, INT64, 1).astype(dtype)

    def _along(self, position: Value, length: str, order: int) -> list[tuple[Value, Value]]:
        """The indices of the pixels around positions along one axis, and their weights."""
        found = pixels_along(self.m, position, self._extent(length, self.dtype), order)
        return [(self.m.whole(index), weight) for index, weight in found]
