"""Loops over the windows of pooled images: a thread has one element of the data, or one window."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Literal

from gluonic.codegen.cuda.block_code import (
    BlockCode,
    Int,
    OfElements,
    divisor_numbers,
    divisor_values,
)
from gluonic.codegen.maths.values import Dtype
from gluonic.graph.attributes import Shape
from gluonic.graph.ops.pooling_kernels import Pool
from gluonic.support.record import record

THREADS = 256
Side = Literal["data", "pooled"]


@record
class PoolForm(OfElements):
    """What the kernels depend on.

    Attributes
    ----------
    dtype : that of data and results
    kind : what is computed of a window; ``"norm"`` is the root of the sum of squares
    axes : the number of spatial axes
    channels_last : whether the channels come after them
    counts_padding : whether a mean counts padding
    """

    dtype: Dtype
    kind: Literal["max", "avg", "sum", "norm"]
    axes: int
    channels_last: bool
    counts_padding: bool = True

    def numbers(self) -> list[str]:
        """The names of the run-time arguments."""
        names = ["total", "data.lead", "pooled.lead"]
        digits = [f"place{axis}" for axis in range(self.axes)]
        for digit in [*digits, *(["channel"] if self.channels_last else [])]:
            names += divisor_numbers(digit)
        for axis in range(self.axes):
            own = ("kernel", "pad", "turns", "data.size", "data.step", "pooled.size", "pooled.step")
            names += [
                *(f"axis{axis}.{name}" for name in own),
                *divisor_numbers(f"axis{axis}.stride"),
            ]
        return names


def numbers_of(form: PoolForm, pool: Pool, data: Shape, side: Side) -> tuple[int, ...]:
    """The run-time arguments of a kernel whose threads have elements of `side`.

    Parameters
    ----------
    data : the shape of the data, with its channels along axis 1
    """
    values = dict(_numbers(form, pool, data, side))
    return tuple([values[name] for name in form.numbers()])


def _numbers(form: PoolForm, pool: Pool, data: Shape, side: Side) -> Iterator[tuple[str, int]]:
    batch, channels, *size = data
    step = channels if form.channels_last else 1
    extents = {"data": tuple(size), "pooled": pool.counts}
    yield "total", batch * channels * prod(extents[side])
    yield from ((f"{name}.lead", prod(spatial) * step) for name, spatial in extents.items())
    yield from divisor_values("channel", channels)
    for axis, extent in enumerate(extents[side]):
        kernel, stride = pool.kernel[axis], pool.stride[axis]
        windows = min(-(-kernel // stride), pool.counts[axis])  # the most that read one element
        yield from divisor_values(f"place{axis}", extent)
        yield from divisor_values(f"axis{axis}.stride", stride)
        yield f"axis{axis}.kernel", kernel
        yield f"axis{axis}.pad", pool.pad[axis]
        yield f"axis{axis}.turns", kernel if side == "pooled" else windows
        for name, spatial in extents.items():
            yield f"axis{axis}.{name}.size", spatial[axis]
            yield f"axis{axis}.{name}.step", prod(spatial[axis + 1 :]) * step


class WindowCode(BlockCode):
    """A kernel while it is being written. A thread's element of its own array has the thread's index.

    Attributes
    ----------
    index : of the thread's element; `exists` tells whether there is one
    lead, channel : the image, or the image's channel; and the channel if these come last
    places : the position along each spatial axis
    """

    def find_element(self, form: PoolForm) -> None:
        """Write the position of the thread's element."""
        self.form = form
        index = self.add32(self.mul32(self.block_index, THREADS), self.thread)
        self.index, self.exists = index, self.less(index, self.number("total"))
        self.channel: Int = 0
        rest: Int = index
        if form.channels_last:
            rest, self.channel = self._divided(rest, "channel")
        places = []
        for axis in reversed(range(form.axes)):
            rest, place = self._divided(rest, f"place{axis}")
            places.append(place)
        self.lead, self.places = rest, places[::-1]

    def _divided(self, index: Int, name: str) -> tuple[Int, Int]:
        above = self.quotient(index, name)
        return above, self.sub32(index, self.mul32(above, self.number(f"{name}.extent")))

    def base(self, side: Side) -> Int:
        """The index of the first element of the thread's channel in an array."""
        return self.add32(self.mul32(self.lead, self.number(f"{side}.lead")), self.channel)

    def distance(self, side: Side, places: Sequence[Int]) -> Int:
        """The distance of an element from the first one of its channel."""
        terms = [
            self.mul32(place, self.number(f"axis{axis}.{side}.step"))
            for axis, place in enumerate(places)
        ]
        return self.add32(*terms)

    def over_taps(
        self,
        carried: Sequence[tuple[str, Int]],
        body: Callable[[Sequence[Int], str, Sequence[str]], Sequence[Int]],
    ) -> Sequence[str]:
        """A loop over the elements of the thread's window, which is one of `pooled`.

        Parameters
        ----------
        carried : types and first values of what is carried from one to the next
        body : ``(places in the data, whether they are in it, carried values) → following values``
        """
        starts = [
            self.sub32(
                self.mul32(place, self.number(f"axis{axis}.stride.extent")),
                self.number(f"axis{axis}.pad"),
            )
            for axis, place in enumerate(self.places)
        ]

        def tap(turns: Sequence[Int], values: Sequence[str]) -> Sequence[Int]:
            places = [self.add32(a, b) for a, b in zip(starts, turns, strict=True)]
            sizes = [self.number(f"axis{axis}.data.size") for axis in range(len(places))]
            inside = self.all_of([*map(self.within, places, sizes)])
            return body(places, inside, values)

        return self._nested(carried, tap)

    def over_windows(
        self,
        carried: Sequence[tuple[str, Int]],
        body: Callable[[Sequence[Int], str, Sequence[str]], Sequence[Int]],
    ) -> Sequence[str]:
        """A loop over the windows that read the thread's element, which is one of `data`.

        Parameters
        ----------
        carried, body : as for `over_taps`, with the places of windows, and whether they read the element
        """
        padded = [
            self.add32(place, self.number(f"axis{axis}.pad"))
            for axis, place in enumerate(self.places)
        ]
        lasts = [
            self.min32(
                self.quotient(place, f"axis{axis}.stride"),
                self.sub32(self.number(f"axis{axis}.pooled.size"), 1),
            )
            for axis, place in enumerate(padded)
        ]

        def window(turns: Sequence[Int], values: Sequence[str]) -> Sequence[Int]:
            places = [self.sub32(a, b) for a, b in zip(lasts, turns, strict=True)]
            conditions = []
            for axis, place in enumerate(places):
                conditions.append(self.compare("sge", place, 0, "i32"))
                start = self.mul32(place, self.number(f"axis{axis}.stride.extent"))
                tap = self.sub32(padded[axis], start)
                conditions.append(self.within(tap, self.number(f"axis{axis}.kernel")))
            return body(places, self.all_of(conditions), values)

        return self._nested(carried, window)

    def _nested(
        self,
        carried: Sequence[tuple[str, Int]],
        body: Callable[[Sequence[Int], Sequence[str]], Sequence[Int]],
    ) -> Sequence[str]:
        """Loops over the turns of all axes, the last one innermost."""
        kinds = [kind for kind, _ in carried]

        def level(turns: tuple[Int, ...], values: Sequence[Int]) -> Sequence[Int]:
            if len(turns) == self.form.axes:
                return body(turns, [str(value) for value in values])
            pairs = zip(kinds, values, strict=True)
            loop = self.begin_loop([("i32", 0), *pairs])
            turn, *now = loop.values
            results = level((*turns, turn), now)
            following = self.add32(turn, 1)
            again = self.less(following, self.number(f"axis{len(turns)}.turns"))
            self.end_loop(loop, [following, *results], again)
            return results

        return [str(value) for value in level((), [value for _, value in carried])]

    def divisor(self, places: Sequence[Int]) -> Int:
        """The number of elements that the mean of a window counts."""
        result: Int = 1
        for axis, place in enumerate(places):
            name = f"axis{axis}"
            pad, size = self.number(f"{name}.pad"), self.number(f"{name}.data.size")
            start = self.sub32(self.mul32(place, self.number(f"{name}.stride.extent")), pad)
            stop = self.add32(start, self.number(f"{name}.kernel"))
            if self.form.counts_padding:
                length = self.sub32(self.min32(stop, self.add32(size, pad)), start)
            else:
                length = self.sub32(self.min32(stop, size), self.max32(start, 0))
            result = self.mul32(result, length)
        return self.max32(result, 1)
