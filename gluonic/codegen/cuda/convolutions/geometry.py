"""A convolution's arrays, and the three products that it and its gradients are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
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

    def data_gradient(self) -> ProductLayout:
        """Turned filters times gradients: a row for each channel, a column for each position of each image."""
        image, channel, along = self.data_steps
        out_image, out_channel, out_along = self.output_steps
        of_filter, weight_channel, taps = self.weight_steps
        length = prod(self.size)
        left = FactorLayout(
            (Digit(self.members, weight_channel),),
            (Digit(self.filters, of_filter), Digit(self.taps, taps[-1])),
            head=self.filters * of_filter,
        )
        windows = self.windows
        right = FactorLayout(
            self._places(out_image, self.size, (1,) * len(self.size)),
            self._taps(Digit(self.filters, out_channel), [-step for step in windows.dilate]),
            head=self.filters * out_channel,
            axes=[
                Axis(pad, count, stride, step)
                for pad, count, stride, step in zip(
                    windows.pad, self.counts, out_along, windows.stride, strict=True
                )
            ],
        )
        places = (Digit(self.batch, image), Digit(length, along[-1]))
        result = ResultLayout(places, channel, head=self.members * channel)
        columns, inner = self.batch * length, self.filters * self.taps
        return ProductLayout(
            self.members, columns, inner, left, right.simplest, result, heads=self.groups
        )

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
