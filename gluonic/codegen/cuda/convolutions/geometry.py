"""A convolution's arrays, and the three products that it and its gradients are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import gcd, prod
from typing import Any

from gluonic.codegen.cuda.products.layout import (
    Axis,
    Digit,
    FactorLayout,
    ProductLayout,
    ResultLayout,
)
from gluonic.graph.attributes import Shape
from gluonic.graph.ops.deconvolution import _GEOMETRY, transposed_convolution
from gluonic.graph.ops.windows import Windows, first_shape, is_channels_last, windows_of
from gluonic.graph.view import complete
from gluonic.support.record import record


@record
class _Phase:
    """The positions along an axis that are equally far from multiples of the stride, and what they meet.

    Attributes
    ----------
    place, count : the first of the positions, and their number
    tap, step, taps : the first tap, the distance to the next, and their number
    start : the position of the gradient that the first tap meets at the first place
    distance : the distance, back, of those that following taps meet
    """

    place: int
    count: int
    tap: int
    step: int
    taps: int
    start: int
    distance: int


def _phases(kernel: int, stride: int, dilation: int, pad: int, size: int) -> Iterator[_Phase]:
    """The phases of an axis, those with most taps first.

    >>> [(p.place, p.tap, p.taps, p.start) for p in _phases(3, 2, 1, 1, 8)]
    [(1, 0, 2, 1), (0, 1, 1, 0)]
    """
    common = gcd(stride, dilation)
    step, phases = stride // common, []
    for place in range(min(stride, size)):
        meets = [t for t in range(kernel) if (place + pad - t * dilation) % stride == 0]
        tap = meets[0] if meets else 0
        start = (place + pad - tap * dilation) // stride
        count = -(-(size - place) // stride)
        phases.append(_Phase(place, count, tap, step, len(meets), start, dilation // common))
    yield from sorted(phases, key=lambda phase: -phase.taps)


@record
class Convolution:
    """The convolution ``output = windows of data · filters``, for some shapes.

    Attributes
    ----------
    windows : their geometry
    groups, batch : the number of groups, and of images
    members, filters : the number of channels that a filter reads, and of filters in a group
    size, counts : the spatial extents of the data, and of the output
    """

    windows: Windows
    groups: int
    batch: int
    members: int
    filters: int
    size: Shape
    counts: Shape

    @classmethod
    def of(cls, settings: Mapping[str, Any], data: Shape, weight: Shape) -> Convolution:
        """The convolution of data by filters."""
        names = ("kernel", "stride", "pad", "dilate", "layout")
        windows = windows_of(*(settings[name] for name in names))
        batch, _, *size = complete(first_shape(data, windows.channels_last))
        return cls._made(
            settings, windows, (batch, tuple(size)), weight, windows.counts(tuple(size))
        )

    @classmethod
    def transposed(cls, settings: Mapping[str, Any], data: Shape, weight: Shape) -> Convolution:
        """The convolution whose output has the shape of the data of a transposed one."""
        last = is_channels_last(settings["layout"])
        images = complete(first_shape(data, last))
        whole = transposed_convolution(images, "", **{name: settings[name] for name in _GEOMETRY})
        ends = images[0], complete(whole.spatial)
        return cls._made(settings, whole.windows, ends, weight, complete(images[2:]))

    @classmethod
    def _made(
        cls,
        settings: Mapping[str, Any],
        windows: Windows,
        images: tuple[int, Shape],
        weight: Shape,
        counts: Shape,
    ) -> Convolution:
        groups, (batch, size) = settings["num_group"], images
        filters, members = complete(first_shape(weight, windows.channels_last)[:2])
        return cls(windows, groups, batch, members, filters // groups, size, counts)

    @property
    def taps(self) -> int:
        """The number of taps of a filter in a channel."""
        return prod(self.windows.kernel)

    # -- arrays: distances in elements --------------------------------------------------------

    def _strides(self, spatial: Shape, channels: int) -> tuple[int, int, list[int]]:
        """The distances between neighbouring images, channels, and positions along each axis."""
        last = self.windows.channels_last
        step = channels if last else 1
        along = [prod(spatial[i + 1 :]) * step for i in range(len(spatial))]
        return prod(spatial) * channels, 1 if last else prod(spatial), along

    @property
    def data_steps(self) -> tuple[int, int, list[int]]:
        """The distances between neighbouring images, channels, and positions along each axis."""
        return self._strides(self.size, self.members * self.groups)

    @property
    def output_steps(self) -> tuple[int, int, list[int]]:
        """The same of the output."""
        return self._strides(self.counts, self.filters * self.groups)

    @property
    def weight_steps(self) -> tuple[int, int, list[int]]:
        """The distances between neighbouring filters, their channels, and taps along each axis."""
        return self._strides(self.windows.kernel, self.members)

    def _taps(self, lead: Digit, steps: Sequence[int]) -> list[Digit]:
        """An index of a leading axis and the taps of a filter."""
        pairs = zip(self.windows.kernel, steps, strict=True)
        return [lead, *(Digit(extent, step) for extent, step in pairs)]

    def _windows(self, along: Sequence[int]) -> list[Axis]:
        """The axes of the data, of which windows are read."""
        rows = zip(self.windows.pad, self.size, along, strict=True)
        return [Axis(-pad, size, stride) for pad, size, stride in rows]

    def _places(self, image: int, counts: Shape, steps: Sequence[int]) -> list[Digit]:
        """An index of an image and a position in it."""
        pairs = zip(counts, steps, strict=True)
        return [Digit(self.batch, image), *(Digit(extent, step) for extent, step in pairs)]

    # -- products -----------------------------------------------------------------------------

    def forward(self) -> ProductLayout:
        """Filters times windows: a row for each filter, a column for each position of each image."""
        image, channel, along = self.data_steps
        out_image, out_channel, out_along = self.output_steps
        of_filter, weight_channel, taps = self.weight_steps
        length = prod(self.counts)
        left = FactorLayout(
            (Digit(self.filters, of_filter),),
            self._filter_digits(self.members, weight_channel, taps),
            head=self.filters * of_filter,
        )
        right = FactorLayout(
            self._places(image, self.counts, self.windows.stride),
            self._taps(Digit(self.members, channel), self.windows.dilate),
            head=self.members * channel,
            axes=self._windows(along),
        )
        places = (Digit(self.batch, out_image), Digit(length, out_along[-1]))
        result = ResultLayout(places, out_channel, head=self.filters * out_channel)
        columns, inner = self.batch * length, self.members * self.taps
        return ProductLayout(
            self.filters, columns, inner, left, right.simplest, result, heads=self.groups
        )

    def _filter_digits(self, channels: int, channel: int, taps: Sequence[int]) -> list[Digit]:
        """An index of a channel and a tap of filters."""
        if self.taps * taps[-1] == channel:  # one follows the other in memory
            return [Digit(channels * self.taps, taps[-1])]
        return [Digit(channels, channel), Digit(self.taps, taps[-1])]

    def data_gradients(self) -> list[ProductLayout]:
        """Turned filters times gradients: a row for each channel, a column for each position of each image.

        There is a product for all positions that are equally far from multiples of the strides: they meet the
        same taps, and those alone are multiplied.
        """
        geometry = zip(*self.windows[:4], self.size, strict=True)
        phases = [[*_phases(*axis)] for axis in geometry]
        return [self._phase(each) for each in product(*phases)]

    def _phase(self, phases: Sequence[_Phase]) -> ProductLayout:
        """The product for the positions that have a phase along each axis."""
        image, channel, along = self.data_steps
        out_image, out_channel, out_along = self.output_steps
        of_filter, weight_channel, taps = self.weight_steps
        counts = [phase.count for phase in phases]
        left = FactorLayout(
            (Digit(self.members, weight_channel),),
            [Digit(self.filters, of_filter), *self._tap_digits(phases)],
            head=self.filters * of_filter,
            begin=sum(phase.tap * step for phase, step in zip(phases, taps, strict=True)),
        )
        right = FactorLayout(
            self._places(out_image, tuple(counts), (1,) * len(counts)),
            [Digit(self.filters, out_channel), *(Digit(p.taps, -p.distance) for p in phases)],
            head=self.filters * out_channel,
            axes=[
                Axis(phase.start, count, stride)
                for phase, count, stride in zip(phases, self.counts, out_along, strict=True)
            ],
        )
        pairs = zip(phases, self.windows.stride, along, strict=True)
        places = [Digit(phase.count, stride * step) for phase, stride, step in pairs]
        if counts == list(self.size):
            places = [Digit(prod(counts), along[-1])]
        result = ResultLayout(
            (Digit(self.batch, image), *places),
            channel,
            head=self.members * channel,
            begin=sum(phase.place * step for phase, step in zip(phases, along, strict=True)),
        )
        columns = self.batch * prod(counts)
        inner = self.filters * prod(phase.taps for phase in phases)
        return ProductLayout(
            self.members, columns, inner, left, right.simplest, result, heads=self.groups
        )

    def _tap_digits(self, phases: Sequence[_Phase]) -> list[Digit]:
        """The taps that meet positions with these phases."""
        steps = self.weight_steps[2]
        if all(p.taps == taps for p, taps in zip(phases, self.windows.kernel, strict=True)):
            return [Digit(self.taps, steps[-1])]
        return [Digit(p.taps, p.step * step) for p, step in zip(phases, steps, strict=True)]

    def weight_gradient(self) -> ProductLayout:
        """Gradients times windows: a row for each filter, a column for each of its weights."""
        image, channel, along = self.data_steps
        out_image, out_channel, out_along = self.output_steps
        of_filter, weight_channel, taps = self.weight_steps
        length = prod(self.counts)
        left = FactorLayout(
            (Digit(self.filters, out_channel),),
            (Digit(self.batch, out_image), Digit(length, out_along[-1])),
            head=self.filters * out_channel,
        )
        right = FactorLayout(
            self._taps(Digit(self.members, channel), self.windows.dilate),
            self._places(image, self.counts, self.windows.stride),
            head=self.members * channel,
            axes=self._windows(along),
        )
        columns, inner = self.members * self.taps, self.batch * length
        weights = (Digit(self.members, weight_channel), Digit(self.taps, taps[-1]))
        result = ResultLayout(weights, of_filter, head=self.filters * of_filter)
        return ProductLayout(
            self.filters, columns, inner, left, right.simplest, result, heads=self.groups
        )
