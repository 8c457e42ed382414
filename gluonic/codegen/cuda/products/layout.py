"""Where the elements of a product's factors and result lie: the run-time arguments of its kernels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod
from typing import Literal

from gluonic.codegen.cuda.block_code import divisor_values
from gluonic.codegen.cuda.products.form import BlockTile, FactorForm, TiledForm
from gluonic.codegen.cuda.tails.form import Tail
from gluonic.codegen.cuda.tails.steps import ResultPlaces
from gluonic.codegen.maths.values import Dtype, arithmetic
from gluonic.device.tensor_maps import Element, TensorMap
from gluonic.support.record import record

Numbers = Iterator[tuple[str, int]]


@record
class Digit:
    """A digit of an index: its extent, and the distance in elements between its values.

    The digit of a spatial axis moves the position along that axis instead.
    """

    extent: int
    step: int


@record
class Axis:
    """A spatial axis of images.

    Attributes
    ----------
    start : the position for digits of zero
    size : the extent of the image
    stride : the distance in elements between neighbours
    """

    start: int
    size: int
    stride: int


@record
class FactorLayout:
    """A factor.

    Attributes
    ----------
    outer, inner : the digits of its indices, the most significant one first
    batch, head : the distances between matrices of neighbouring batches and heads
    begin : the distance of the first matrix from the first element
    axes : the spatial axes, to which the last digits of both indices belong
    """

    outer: Sequence[Digit]
    inner: Sequence[Digit]
    batch: int = 0
    head: int = 0
    begin: int = 0
    axes: Sequence[Axis] = ()

    @property
    def simplest(self) -> FactorLayout:
        """The same factor as a matrix, if windows are single elements and cover the images."""
        outer, inner = self._flat(self.outer), self._flat(self.inner)
        whole = all(axis.start == 0 for axis in self.axes)
        if not self.axes or not whole or outer is None or inner is None:
            return self
        return FactorLayout(outer, inner, self.batch, self.head, self.begin)

    def _flat(self, digits: Sequence[Digit]) -> list[Digit] | None:
        """Digits that do not depend on positions, or go through all; None for others."""
        lead, *places = digits
        if all(digit.extent == 1 for digit in places):
            return [lead]
        pairs = zip(places, self.axes, strict=True)
        if all(digit.extent == axis.size and digit.step == 1 for digit, axis in pairs):
            return [lead, Digit(prod(axis.size for axis in self.axes), self.axes[-1].stride)]
        return None

    def tensor(self, dtype: Dtype, extent: int, depth: int) -> tuple[int, TensorMap] | None:
        """Where the matrix begins, in bytes, and its description for boxes of a tile; None if there is none."""
        if self.axes or len(self.outer) > 1 or len(self.inner) > 1:
            return None
        (along, across), rows = (self.inner[0], self.outer[0]), extent
        if self.form.along == "outer":
            (across, along), rows = (along, across), depth
            if dtype.itemsize > 2:  # products need the inner index to be contiguous
                return None
        pitch, begin = (number * dtype.itemsize for number in (across.step, self.begin))
        if along.step != 1 or pitch <= 0 or pitch % 16 or begin % 16:
            return None
        if not along.extent * across.extent:
            return None
        element: Element = "float16" if dtype.itemsize == 2 else "tf32"
        return begin, TensorMap(element, along.extent, across.extent, pitch, rows)

    def has_boxes(self, dtype: Dtype) -> bool:
        """Whether boxes of the matrix can be copied."""
        return self.tensor(dtype, 1, 1) is not None

    @property
    def form(self) -> FactorForm:
        """What the kernel depends on."""
        return FactorForm(len(self.outer), len(self.inner), self._along, len(self.axes))

    @property
    def _along(self) -> Literal["outer", "inner"]:
        if self.axes:
            return "outer" if _positions(self.outer) >= _positions(self.inner) else "inner"
        return "outer" if self.outer[-1].step == 1 else "inner"

    def has_vectors(self, lanes: int) -> bool:
        """Whether groups of so many neighbours lie at multiples of their size."""
        is_outer = self.form.along == "outer"
        own, other = (self.outer, self.inner) if is_outer else (self.inner, self.outer)
        distances = [self.batch, self.head, self.begin, *[digit.step for digit in other]]
        return not self.axes and _in_lanes(own, distances, lanes)

    def numbers(self, name: str, lanes: int) -> Numbers:
        """The run-time arguments; `lanes` elements may be loaded at a time."""
        yield f"{name}.batch", self.batch
        yield f"{name}.head", self.head
        yield f"{name}.begin", self.begin
        yield f"{name}.vectors", self.has_vectors(lanes)
        for which, digits in (("outer", self.outer), ("inner", self.inner)):
            yield from _digit_numbers(f"{name}.{which}", digits)
        for i, axis in enumerate(self.axes):
            start = f"{name}.axis{i}"
            yield f"{start}.start", axis.start
            yield f"{start}.size", axis.size
            yield f"{start}.stride", axis.stride


def _positions(digits: Sequence[Digit]) -> int:
    """The extent of the last digit: how many neighbours an image has along an index."""
    return digits[-1].extent


def _in_lanes(digits: Sequence[Digit], distances: Sequence[int], lanes: int) -> bool:
    """Whether groups of neighbours lie at multiples of their size, relative to the first element."""
    *above, last = digits
    parts = [last.extent] if above else []
    others = [digit.step for digit in above]
    return last.step == 1 and all(n % lanes == 0 for n in (*parts, *others, *distances))


def _digit_numbers(name: str, digits: Sequence[Digit]) -> Numbers:
    for i, digit in enumerate(digits):
        yield f"{name}{i}.step", digit.step
        if i:
            yield from divisor_values(f"{name}{i}", digit.extent)


@record
class ResultLayout:
    """The result: the digits of its columns, and distances.

    Attributes
    ----------
    columns : the digits
    row, batch, head, part : the distances between rows, batches, heads and parts
    begin : that of its first element from that of the array
    """

    columns: Sequence[Digit]
    row: int
    batch: int = 0
    head: int = 0
    part: int = 0
    begin: int = 0

    def numbers(self, lanes: int) -> Numbers:
        """The run-time arguments."""
        names = "row", "batch", "head", "part", "begin"
        distances = {name: getattr(self, name) for name in names}
        yield from ((f"result.{name}", distance) for name, distance in distances.items())
        yield "result.vectors", _in_lanes(self.columns, [*distances.values()], lanes)
        yield from _digit_numbers("result.column", self.columns)


@record
class ProductLayout:
    """A product: ``result[batch, head, row, column] = Σ left · right``.

    Attributes
    ----------
    rows, columns, inner, batch, heads : the extents
    left, right, result : where the elements are
    """

    rows: int
    columns: int
    inner: int
    left: FactorLayout
    right: FactorLayout
    result: ResultLayout
    batch: int = 1
    heads: int = 1

    def form(self, dtype: Dtype, tail: Tail | None = None) -> TiledForm:
        """What the kernel depends on; without a tail, it stores its sums."""
        tail = tail or Tail.plain(arithmetic(dtype), dtype)
        return TiledForm(dtype, tail, self.left.form, self.right.form, len(self.result.columns))

    @property
    def places(self) -> ResultPlaces:
        """Where the rows and columns of the result are."""
        result, by_row = self.result, self.batch == 1
        if self.heads > 1 and result.head != self.rows * result.row:
            by_row = False
        by_column = len(result.columns) == 1 and result.columns[0].step == 1
        rows, step = (self.heads * self.rows, result.row) if by_row else (0, 0)
        return ResultPlaces(rows, step, self.columns if by_column else 0)

    def has_vectors(self, lanes: int) -> bool:
        """Whether both factors can be loaded as vectors."""
        return self.left.has_vectors(lanes) and self.right.has_vectors(lanes)

    def tensors(self, dtype: Dtype, tile: BlockTile) -> tuple[tuple[int, int, TensorMap], ...]:
        """The factors as `KernelLaunch.tensors`; none if one of them is no matrix that boxes are copied of."""
        factors = (self.left, tile.rows), (self.right, tile.columns)
        found = [factor.tensor(dtype, extent, tile.depth) for factor, extent in factors]
        if self.batch * self.heads != 1:
            return ()
        described = tuple([(i, *each) for i, each in enumerate(found) if each is not None])
        return described if len(described) == len(found) else ()

    def in_parts(self) -> ProductLayout:
        """The same product with sums of parts as its result; they lie one after the other."""
        columns = (Digit(self.columns, 1),)
        result = ResultLayout(columns, self.columns, part=self.rows * self.columns)
        return replace(self, result=result)

    def numbers(self, form: TiledForm, parts: int, part: int) -> tuple[int, ...]:
        """The run-time arguments of a kernel.

        Parameters
        ----------
        parts, part : the number of parts of the sums, and the length of each
        """
        names = ("rows", "columns", "inner", "batch", "heads")
        values = {name: getattr(self, name) for name in names}
        values.update(parts=parts, part=part)
        for name, factor in (("left", self.left), ("right", self.right)):
            values.update(factor.numbers(name, form.together))
        result = self.result
        if result.part:  # the parts of a matrix, then those of the next one
            head = result.part * parts
            result = replace(result, head=head, batch=head * self.heads)
        values.update(result.numbers(form.lanes))
        return tuple([int(values[name]) for name in form.numbers()])
