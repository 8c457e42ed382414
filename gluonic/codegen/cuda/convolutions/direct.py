"""Convolutions without tiles: what their kernels depend on, and their run-time arguments.

Where a group has few channels, a tile of a product would be mostly empty. Here a thread computes some
neighbouring elements of one channel, with the elements that it reads and the filter's taps in registers. Which
of its results meets which element through which tap is known when the kernel is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod
from typing import Literal

from gluonic.codegen.cuda.block_code import OfElements, divisor_numbers, divisor_values
from gluonic.codegen.cuda.convolutions.geometry import Convolution
from gluonic.codegen.cuda.tails.form import Tail
from gluonic.codegen.maths.values import Dtype, scalar_type
from gluonic.graph.attributes import Shape
from gluonic.support.record import record

DirectProduct = Literal["forward", "data", "weight"]
"""Which of a convolution's products: its output, or the gradient of its data or filters."""
MOST_TAPS = 64
"""The most taps of a filter: each has instructions, and a register, of its own."""
_MOST_WORK, _OF_A_LOAD = 300, 3
"""The most products of a thread for each channel that it reads; a load counts as three: registers are few."""
_HEIGHTS = (4, 2, 1)


@record
class AxisTaps:
    """What the results of a thread read along one axis.

    Attributes
    ----------
    taps : the number of a filter's taps
    own : the number of results of a thread, which are neighbours
    step : the distance between the elements from which neighbouring threads count
    meets : a result, a tap, and the distance of the element that they meet at
    """

    taps: int
    own: int
    step: int
    meets: tuple[tuple[int, int, int], ...]

    @classmethod
    def of_windows(cls, taps: int, stride: int, dilation: int, pad: int, own: int) -> AxisTaps:
        """For the output of a convolution, which reads data.

        >>> AxisTaps.of_windows(2, stride=3, dilation=1, pad=1, own=2).meets
        ((0, 0, -1), (0, 1, 0), (1, 0, 2), (1, 1, 3))
        """
        meets = [
            (i, tap, i * stride - pad + tap * dilation) for i in range(own) for tap in range(taps)
        ]
        return cls(taps, own, own * stride, tuple(meets))

    @classmethod
    def of_gradients(cls, taps: int, stride: int, dilation: int, pad: int, own: int) -> AxisTaps:
        """For the gradient of data, which reads that of the output; `own` is a multiple of the stride.

        >>> AxisTaps.of_gradients(3, stride=2, dilation=1, pad=1, own=2).meets
        ((0, 1, 0), (1, 0, 1), (1, 2, 0))
        """
        places = [(i, tap, i + pad - tap * dilation) for i in range(own) for tap in range(taps)]
        meets = [(i, tap, place // stride) for i, tap, place in places if place % stride == 0]
        return cls(taps, own, own // stride, tuple(meets))

    @property
    def distances(self) -> list[int]:
        """The distances of all elements that are read."""
        return sorted({distance for _, _, distance in self.meets})


@record
class DirectForm(OfElements):
    """What the kernels depend on.

    Attributes
    ----------
    dtype : that of the factors
    tail : what is computed of each sum
    axes : the spatial axes
    channels_last : whether the channels come after them
    is_depthwise : whether a group has one channel on both sides
    """

    dtype: Dtype
    tail: Tail
    axes: tuple[AxisTaps, ...]
    channels_last: bool
    is_depthwise: bool

    @property
    def kind(self) -> str:
        """LLVM's type of a sum."""
        return scalar_type(self.sums)

    @property
    def of_parts(self) -> DirectForm:
        """The form of a kernel that stores sums of parts of the products."""
        return replace(self, tail=Tail.plain(self.sums, self.sums))

    @property
    def taps(self) -> int:
        """The number of taps of a filter in a channel."""
        return prod(axis.taps for axis in self.axes)

    @property
    def loads(self) -> int:
        """The number of elements that a thread reads in a channel."""
        return prod(len(axis.distances) for axis in self.axes)

    @property
    def products(self) -> int:
        """The number of products that it computes of them."""
        return prod(len(axis.meets) for axis in self.axes)

    @property
    def instructions(self) -> int:
        """About the instructions of a thread for each channel that it reads."""
        return 5 * self.loads + self.products + self.taps

    def numbers(self) -> list[str]:
        """The names of the run-time arguments, in order."""
        names = ["total", "inner", "parts", *divisor_numbers("channels"), *divisor_numbers("group")]
        names += [f"{a}.{what}" for a in ("read", "result") for what in ("image", "channel")]
        names += [f"weight.{what}" for what in ("group", "channel", "inner", "tap")]
        for i in range(len(self.axes)):
            sides = [f"axis{i}.{a}.{what}" for a in ("read", "result") for what in ("size", "step")]
            names += [*sides, *divisor_numbers(f"axis{i}.threads")]
        return names


@record
class DirectPlan:
    """A direct kernel for some shapes.

    Attributes
    ----------
    form : what the kernel depends on
    values : the run-time arguments, by name, but for the number of parts
    threads : the number of threads that have results; of a gradient of filters, of those for each tap
    inner : the number of channels that each of them reads
    """

    form: DirectForm
    values: tuple[tuple[str, int], ...]
    threads: int
    inner: int

    def numbers(self, parts: int = 1) -> tuple[int, ...]:
        """The run-time arguments in the order of the form."""
        values = {**dict(self.values), "parts": parts}
        return tuple([values[name] for name in self.form.numbers()])


def direct_plan(
    convolution: Convolution,
    product: DirectProduct,
    dtype: Dtype,
    wanted: int,
    tail: Tail,
) -> DirectPlan:
    """The kernel for a product, whose threads are as many as wanted if each has few results."""
    for height in _HEIGHTS:
        plan = _plan(convolution, product, dtype, height, tail)
        work = plan.form.products + _OF_A_LOAD * plan.form.loads
        if height == 1 or (plan.threads >= wanted and work <= _MOST_WORK):
            return plan
    raise AssertionError


def _plan(
    convolution: Convolution, product: DirectProduct, dtype: Dtype, height: int, tail: Tail
) -> DirectPlan:
    windows, groups, is_gradient = convolution.windows, convolution.groups, product == "data"
    members, filters = convolution.members, convolution.filters
    axes = tuple(_axes(convolution, height, is_gradient=is_gradient))
    is_depthwise = members == filters == 1
    form = DirectForm(dtype, tail, axes, windows.channels_last, is_depthwise)
    sides = [
        (convolution.size, members, convolution.data_steps),
        (convolution.counts, filters, convolution.output_steps),
    ]
    of_filter, of_member, taps = convolution.weight_steps
    steps = [of_member, of_filter]
    (read, inner, read_steps), (result, own, result_steps) = sides[::-1] if is_gradient else sides
    of_inner, of_channel = steps[::-1] if is_gradient else steps
    extents = [-(-size // axis.own) for size, axis in zip(result, axes, strict=True)]
    each = convolution.batch * prod(extents)
    threads = each if product == "weight" else each * groups * own
    values: dict[str, int] = {
        "total": threads,
        "inner": inner,
        **dict(divisor_values("channels", groups * own)),
        **dict(divisor_values("group", own)),
        **dict(_side("read", read, read_steps)),
        **dict(_side("result", result, result_steps)),
        "weight.group": filters * of_filter,
        "weight.channel": of_channel,
        "weight.inner": of_inner,
        "weight.tap": taps[-1],
    }
    for i, extent in enumerate(extents):
        values.update(divisor_values(f"axis{i}.threads", extent))
    return DirectPlan(form, tuple(values.items()), threads, inner)


def _axes(convolution: Convolution, height: int, *, is_gradient: bool) -> Iterator[AxisTaps]:
    """The axes; threads side by side have neighbours along the last one, so each has several along another."""
    windows, rank = convolution.windows, len(convolution.windows.kernel)
    geometry = zip(windows.kernel, windows.stride, windows.dilate, windows.pad, strict=True)
    for i, (taps, stride, dilation, pad) in enumerate(geometry):
        own = height if i == rank - 2 else 1
        if is_gradient:
            yield AxisTaps.of_gradients(taps, stride, dilation, pad, own * stride)
        else:
            yield AxisTaps.of_windows(taps, stride, dilation, pad, own)


def _side(name: str, size: Shape, steps: tuple[int, int, list[int]]) -> Iterator[tuple[str, int]]:
    """The distances in elements of an array of images, and its extents."""
    image, channel, along = steps
    yield from ((f"{name}.image", image), (f"{name}.channel", channel))
    for i, pair in enumerate(zip(size, along, strict=True)):
        yield from zip((f"axis{i}.{name}.size", f"axis{i}.{name}.step"), pair, strict=True)
