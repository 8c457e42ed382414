"""Windows of images as columns of a matrix (im2col), and back (col2im)."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from gluonic.codegen.convolution.windows import Windows3
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.maths.values import Dtype
from gluonic.codegen.writers.element_writer import LONGEST_READ, ElementWriter, Stretch
from gluonic.support.record import record


@record
class Inner:
    """The windows of a row whose tap at a certain position lies inside the image.

    Attributes
    ----------
    first, after : the first of them, and the one after the last
    stretch : all of them
    """

    first: str
    after: str
    stretch: Stretch


class MatrixWriter(ElementWriter):
    """Writes windows to columns of a matrix, and adds columns to their windows.

    Parameters
    ----------
    windows : their kernel, stride, dilation and padding
    extents, counts : the extents of images, and the numbers of windows along them, as references
    """

    def __init__(self, module: LLVMModule, name: str, dtype: Dtype, windows: Windows3) -> None:
        super().__init__(module, name, dtype)
        self.windows = windows
        self.extents: Sequence[str] = ()
        self.counts: Sequence[str] = ()

    def unfold(self, image: str, channels: str, lines: tuple[str, str], matrix: str) -> None:
        """Write the windows of some output lines to columns; a register after them may be overwritten."""
        zero, stride = self.number_of(0.0), self.windows.stride[2]

        def line(source: str | None, goal: str, part: Inner, begin: str) -> None:
            if source is None:
                self.fill_whole(goal, "0", self.counts[2], zero)
                return
            self.fill_whole(goal, "0", part.first, zero)

            def copy(i: str, lanes: int) -> None:
                address = self.at(source, self.plus(self.times(i, stride), begin))
                self.put_whole(self.strided(address, lanes, stride), self.at(goal, i), lanes)

            self._over_inner(part, copy)
            self.fill_whole(goal, part.after, self.counts[2], zero)

        self._rows(image, channels, lines, matrix, line)

    def fold(self, matrix: str, channels: str, lines: tuple[str, str], image: str) -> None:
        """Add columns to the windows of some lines of the output."""
        stride = self.windows.stride[2]

        def line(source: str | None, column: str, part: Inner, begin: str) -> None:
            if source is None:
                return

            def add(i: str, lanes: int) -> None:
                address = self.at(source, self.plus(self.times(i, stride), begin))
                self.add_strided(self.element(self.at(column, i), lanes), address, lanes, stride)

            self._over_inner(part, add)

        self._rows(image, channels, lines, matrix, line)

    def _rows(
        self,
        image: str,
        channels: str,
        lines: tuple[str, str],
        matrix: str,
        line: Callable[[str | None, str, Inner, str], None],
    ) -> None:
        """Write the loops over rows of the matrix, and over lines of the output in each of them."""
        f, windows = self.f, self.windows
        width = self.times(self.minus(lines[1], lines[0]), self.counts[2])
        size = self.times(self.times(*self.extents[:2]), self.extents[2])
        with f.loop("0", channels) as channel, self._taps() as (tap, along):
            plane = self.at(image, self.times(channel, size))
            number = self.plus(self.times(channel, windows.taps), tap[3])
            row = self.at(matrix, self.times(number, width))
            part, begin = along
            starts = [self._position("0", t, axis) for axis, t in enumerate(tap[:2])]
            with self._lines_of(lines) as (index, depth, down):
                goal = self.at(row, self.times(self.minus(index, lines[0]), self.counts[2]))
                where = [
                    self.plus(start, self.times(i, step))
                    for start, i, step in zip(
                        starts, (depth, down), self.windows.stride[:2], strict=True
                    )
                ]
                valid = [self.inside(i, self.extents[axis]) for axis, i in enumerate(where)]
                source = self.plus(self.times(where[0], self.extents[1]), where[1])
                address = self.at(plane, self.times(source, self.extents[2]))
                self.either(
                    f.both(valid[0], valid[1]),
                    lambda address=address, goal=goal: line(address, goal, part, begin),  # type: ignore[misc]
                    lambda goal=goal: line(None, goal, part, begin),  # type: ignore[misc]
                )

    @contextmanager
    def _lines_of(self, lines: tuple[str, str]) -> Iterator[tuple[str, str, str]]:
        """Loop over lines of the output: the index of each, and its position along depth and rows."""
        f, slots = self.f, [self.f.slot("i64", 8) for _ in range(2)]
        for slot, number in zip(slots, self.divided(lines[0], self.counts[1]), strict=True):
            f.store("i64", number, slot, 8)
        with f.loop(*lines) as index:
            depth, down = (f.load("i64", slot, 8) for slot in slots)
            yield index, depth, down
            following = self.plus(down, 1)
            is_last = f.compare("eq", following, self.counts[1])
            deeper = self.plus(depth, f.counted(is_last))
            f.store("i64", deeper, slots[0], 8)
            again = f.select(is_last, 0, following)
            f.store("i64", again, slots[1], 8)

    def _position(self, index: str, tap: str, axis: int) -> str:
        """The position along an axis that a tap of a window reads."""
        windows = self.windows
        start = self.minus(self.times(index, windows.stride[axis]), windows.pad[axis])
        return self.plus(start, self.times(tap, windows.dilate[axis]))

    @contextmanager
    def _taps(self) -> Iterator[tuple[tuple[str, str, str, str], tuple[Inner, str]]]:
        """Loop over the taps of a window: their indices and number, and the columns inside the image."""
        f, windows = self.f, self.windows
        sizes = [str(k) for k in windows.kernel]
        with f.loop("0", sizes[0]) as i, f.loop("0", sizes[1]) as j, f.loop("0", sizes[2]) as k:
            number = self.plus(self.times(self.plus(self.times(i, sizes[1]), j), sizes[2]), k)
            begin = self._position("0", k, 2)
            yield (i, j, k, number), (self._inner(begin), begin)

    def _inner(self, begin: str) -> Inner:
        """The windows whose tap at `begin` is inside the image."""
        step, count = self.windows.stride[2], self.counts[2]
        first, after = (self.first_at(limit, begin, step) for limit in (0, self.extents[2]))
        first = self.least(first, count)
        after = self.most(self.least(after, count), first)
        return Inner(first, after, self.stretch(first, after))

    def _over_inner(self, inner: Inner, body: Callable[[str, int], None]) -> None:
        """Loop over windows: element by element where strides are longer than `strided` can read."""
        if self.windows.stride[2] <= LONGEST_READ:
            self.over(inner.stretch, body)
            return
        with self.f.loop(inner.first, inner.after) as index:
            body(index, 1)
