"""The layout in which convolutions of small integers read images.

Two channels lie side by side, as int16, so that one instruction multiplies and adds both. Images are padded,
and divided by the phases of the stride: all windows are a constant number of positions apart, and a window's
tap is the whole image, shifted. Convolutions also compute positions between the rows, which nobody reads.

    images [image][group][pair of channels][phase][depth][row][column][2]
"""

from itertools import product

from gluonic.codegen.convolution.windows import Windows3, deep
from gluonic.graph.attributes import Shape
from gluonic.support.record import record

PAIR = 4
"""The bytes of two int16."""
SLACK = 64
"""The positions after a phase that may be read, and written before they are: at least a tile's width."""


def whole_lines(positions: int) -> int:
    """A number of positions that fills lines of the cache."""
    return -(-positions // 16) * 16


@record
class PairedLayout:
    """The layout for one kind of windows.

    Attributes
    ----------
    windows : the windows
    groups : the number of groups of channels
    covers : whether windows cover the padding, too, even if the last ones end after it
    """

    windows: Windows3
    groups: int
    covers: bool = False

    @property
    def phases(self) -> list[tuple[int, ...]]:
        """For each phase, its remainders modulo the strides; only those that a tap reads."""
        return [*product(*([*range(extent)] for extent in self._phase_counts))]

    @property
    def _phase_counts(self) -> tuple[int, ...]:
        windows = self.windows
        sizes = zip(windows.kernel, windows.stride, windows.dilate, strict=True)
        return tuple(
            1 + max(tap * dilate % stride for tap in range(kernel))
            for kernel, stride, dilate in sizes
        )

    @property
    def reach(self) -> tuple[int, ...]:
        """How far the last tap is shifted along each axis."""
        windows = self.windows
        sizes = zip(windows.kernel, windows.stride, windows.dilate, strict=True)
        return tuple((kernel - 1) * dilate // stride for kernel, stride, dilate in sizes)

    def extents(self, images: Shape) -> Shape:
        """The depth, the rows and the columns of images; if windows are points, all are columns."""
        spatial = deep(images[2:], 1)
        if not self.windows.is_point:
            return spatial
        return 1, 1, spatial[0] * spatial[1] * spatial[2]

    def counts(self, images: Shape) -> Shape:
        """The number of windows along each axis."""
        windows = self.windows
        axes = zip(
            self.extents(images), windows.kernel, windows.stride, windows.dilate, windows.pad,
            strict=True,
        )  # fmt: skip
        return tuple(
            (extent + 2 * pad - (kernel - 1) * dilate - 1 + self.covers * (stride - 1)) // stride
            + 1
            for extent, kernel, stride, dilate, pad in axes
        )

    def grid(self, images: Shape) -> Shape:
        """The extents of a phase."""
        return tuple(
            count + reach for count, reach in zip(self.counts(images), self.reach, strict=True)
        )

    def phase_size(self, images: Shape) -> int:
        """The positions of a phase, with those after it."""
        depth, rows, columns = self.grid(images)
        return whole_lines(depth * rows * columns) + SLACK

    def pair_size(self, images: Shape) -> int:
        """The positions of all phases of a pair of channels."""
        return self.phase_size(images) * len(self.phases)

    def pairs(self, images: Shape) -> int:
        """The pairs of channels of a group."""
        return -(-(images[1] // self.groups) // 2)

    def size(self, images: Shape) -> int:
        """The positions of all images."""
        return images[0] * self.groups * self.pairs(images) * self.pair_size(images)

    def taps(self, images: Shape) -> list[int]:
        """The position of each tap of the first window."""
        windows, phases = self.windows, self.phases
        _, rows, columns = self.grid(images)
        found = []
        for taps in product(*map(range, windows.kernel)):
            places = [tap * dilate for tap, dilate in zip(taps, windows.dilate, strict=True)]
            ends = [*zip(places, windows.stride, strict=True)]
            phase = phases.index(tuple(place % stride for place, stride in ends))
            depth, row, column = (place // stride for place, stride in ends)
            shift = (depth * rows + row) * columns + column
            found.append(phase * self.phase_size(images) + shift)
        return found

    def sums(self, images: Shape) -> Shape:
        """The extents of the sums of one filter: those of the windows, with the positions between rows."""
        if self.windows.is_point:
            return tuple(images[2:])
        first = 5 - len(images)
        return (self.counts(images)[first], *self.grid(images)[first + 1 :])

    def columns(self, images: Shape) -> int:
        """The positions from a filter's first sum to its last, inclusive."""
        (depth, rows, columns), (_, height, width) = self.counts(images), self.grid(images)
        return ((depth - 1) * height + rows - 1) * width + columns

    def surplus(self, images: Shape) -> list[tuple[int, int]]:
        """The axes of sums that have positions between rows, each with the number of windows along it."""
        if self.windows.is_point:
            return []
        counts = self.counts(images)[5 - len(images) :]
        pairs = enumerate(zip(counts, self.sums(images), strict=True))
        return [(axis, count) for axis, (count, extent) in pairs if count != extent]
