"""The kernels of convolutions without tiles (see `direct`)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

from gluonic.codegen.cuda.block_code import GLOBAL, SHARED, BlockCode, Int
from gluonic.codegen.cuda.convolutions.direct import DirectForm
from gluonic.codegen.cuda.kernel_function import WARP
from gluonic.codegen.cuda.tails.code import TailCode
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.support.record import record

THREADS = 128
"""The threads of a block, but of those that sum up gradients of filters."""


@record
class _Places:
    """The elements of one side that a thread reads or has, along an axis.

    Attributes
    ----------
    offsets : from the first element of the channel
    inside : whether each exists
    """

    offsets: list[Int]
    inside: list[str]


class _DirectCode(BlockCode):
    """A kernel while it is being written."""

    def __init__(self, module: LLVMModule, name: str, form: DirectForm, threads: int) -> None:
        operands = 2 + len(form.tail.reads) + len(form.tail.writes)
        super().__init__(module, name, operands, form.numbers(), threads)
        self.form = form

    def digits(self, index: Int, names: Sequence[str]) -> list[Int]:
        """The digits of an index: what is left, then those with these extents."""
        digits: list[Int] = []
        for name in reversed(names):
            above = self.quotient(index, name)
            digits.append(self.sub32(index, self.mul32(above, self.number(f"{name}.extent"))))
            index = above
        return [index, *reversed(digits)]

    @property
    def axis_names(self) -> list[str]:
        """The names of the digits of a thread's place."""
        return [f"axis{i}.threads" for i in range(len(self.form.axes))]

    def places(self, side: str, digits: Sequence[Int]) -> list[_Places]:
        """Along each axis, the elements of a side."""
        places = []
        for i, (axis, digit) in enumerate(zip(self.form.axes, digits, strict=True)):
            step, listed = axis.step, axis.distances
            if side == "result":
                step, listed = axis.own, list(range(axis.own))
            first = self.mul32(digit, step)
            positions = [self.add32(first, distance) for distance in listed]
            size, along = (self.number(f"axis{i}.{side}.{what}") for what in ("size", "step"))
            places.append(
                _Places(
                    [self.mul32(position, along) for position in positions],
                    [self.within(position, size) for position in positions],
                )
            )
        return places

    def elements(self, operand: int, base: Int, places: Sequence[_Places]) -> list[str]:
        """The elements at all combinations of places; zero where there is none."""
        return [
            self.element_or_zero(operand, self.add32(base, *offsets), self.all_of(inside))
            for offsets, inside in zip(
                product(*[axis.offsets for axis in places]),
                product(*[axis.inside for axis in places]),
                strict=True,
            )
        ]

    def element_or_zero(self, operand: int, index: Int, inside: str) -> str:
        """An element where a condition holds. The load has no branch, so that many are on their way."""
        safe = self.select(inside, index, 0, "i32")
        value = self.as_sum(self.read(GLOBAL, f"%p{operand}", safe, self.form.stored))
        return self.select(inside, value, "0.0", self.form.kind)

    def as_sum(self, value: str) -> str:
        """A stored number in the dtype of sums."""
        form = self.form
        return (
            value if form.stored == form.kind else self.cast("fpext", value, form.stored, form.kind)
        )

    def fused(self, a: str, b: str, addend: str) -> str:
        """A product, added to a sum."""
        kind = self.form.kind
        name = f"llvm.fma.f{self.form.sums.itemsize * 8}"
        return self.call(name, kind, [(kind, a), (kind, b), (kind, addend)])

    def meets(self) -> list[tuple[int, int, int]]:
        """Which result, tap and element meet, as flat indices, in the order of the elements."""
        axes = self.form.axes
        listed = [
            sorted((axis.distances.index(distance), i, tap) for i, tap, distance in axis.meets)
            for axis in axes
        ]
        return [
            (
                _flat([i for _, i, _ in each], [axis.own for axis in axes]),
                _flat([tap for _, _, tap in each], [axis.taps for axis in axes]),
                _flat([at for at, _, _ in each], [len(axis.distances) for axis in axes]),
            )
            for each in product(*listed)
        ]

    def side_base(self, side: str, image: Int, channel: Int) -> Int:
        """The index of the first element of an image's channel."""
        steps = [(image, "image"), (channel, "channel")]
        return self.add32(*[self.mul32(i, self.number(f"{side}.{what}")) for i, what in steps])


def _flat(indices: Sequence[int], extents: Sequence[int]) -> int:
    flat = 0
    for index, extent in zip(indices, extents, strict=True):
        flat = flat * extent + index
    return flat


def write_direct(module: LLVMModule, name: str, form: DirectForm) -> None:
    """Write the kernel of an output or a gradient of data.

    Its operands are the filters, what is read, and those of the tail.
    """
    code = _DirectCode(module, name, form, THREADS)
    index = code.add32(code.mul32(code.block_index, THREADS), code.thread)
    with code.when(code.less(index, code.number("total"))):
        names = code.axis_names
        names = [*names, "channels"] if form.channels_last else ["channels", *names]
        image, *digits = code.digits(index, names)
        channel = digits.pop(-1 if form.channels_last else 0)
        group: Int = channel
        own: Int = 0
        if not form.is_depthwise:
            group, own = code.digits(channel, ["group"])
        inner = code.number("inner")
        base = code.side_base("read", image, code.mul32(group, inner))
        steps = [(group, "group"), (own, "channel")]
        filters = code.add32(*[code.mul32(i, code.number(f"weight.{what}")) for i, what in steps])
        sums = _sums(code, base, filters, code.places("read", digits))
        results = code.places("result", digits)
        first = code.side_base("result", image, channel)
        tail = TailCode(code, form.tail, form.sums, 2)
        of_channel = tail.row(channel)
        indices = [code.add32(first, *each) for each in product(*[a.offsets for a in results])]
        inside = [code.all_of(each) for each in product(*[axis.inside for axis in results])]
        elements = [tail.read("element", i, ok) for i, ok in zip(indices, inside, strict=True)]
        for total, element, at, ok in zip(sums, elements, indices, inside, strict=True):
            with code.when(ok):
                tail.write(at, [tail.computed(total, of_channel, element)])
    code.finish()


def _sums(code: _DirectCode, base: Int, filters: Int, places: Sequence[_Places]) -> list[str]:
    """The thread's results, as sums over the channels that it reads."""
    form, meets = code.form, code.meets()

    def channel(at: Int, weights: Int, sums: Sequence[str]) -> list[str]:
        taps = [
            code.as_sum(
                code.read(
                    GLOBAL,
                    "%p0",
                    code.add32(weights, code.mul32(code.number("weight.tap"), tap)),
                    form.stored,
                )
            )
            for tap in range(form.taps)
        ]
        elements = code.elements(1, at, places)
        after = list(sums)
        for result, tap, element in meets:
            after[result] = code.fused(elements[element], taps[tap], after[result])
        return after

    zeros = ["0.0"] * prod(axis.own for axis in form.axes)
    if form.is_depthwise:
        return channel(base, filters, zeros)
    loop = code.begin_loop(
        [("i32", 0), ("i32", base), ("i32", filters), *((form.kind, zero) for zero in zeros)]
    )
    number, at, weights, *sums = loop.values
    after = channel(at, weights, sums)
    following = code.add32(number, 1)
    code.end_loop(
        loop,
        [
            following,
            code.add32(at, code.number("read.channel")),
            code.add32(weights, code.number("weight.inner")),
            *after,
        ],
        code.less(following, code.number("inner")),
    )
    return after


def write_direct_filters(module: LLVMModule, name: str, form: DirectForm, threads: int) -> None:
    """Write the kernel of a gradient of filters: a block sums up one filter's taps in one channel.

    Its operands are the gradient of the output, the data, and those of the tail.
    """
    code = _DirectCode(module, name, form, threads)
    parts, total = code.number("parts"), code.number("total")
    pair, part = code.div32(code.block_index, parts), code.rem32(code.block_index, parts)
    inner = code.number("inner")
    channel, member = code.div32(pair, inner), code.rem32(pair, inner)
    (group, _) = code.digits(channel, ["group"])
    read_channel = code.add32(code.mul32(group, inner), member)
    begin = code.add32(code.mul32(part, threads), code.thread)
    step = code.mul32(parts, threads)
    zeros = [(form.kind, "0.0")] * form.taps
    loop = code.begin_loop([("i32", begin), *zeros])
    unit, *sums = loop.values
    exists = code.less(unit, total)
    image, *digits = code.digits(unit, code.axis_names)
    sides = []
    for operand, side, own in ((0, "result", channel), (1, "read", read_channel)):
        places = code.places(side, digits)
        places[0] = _Places(
            places[0].offsets, [code.both(exists, inside) for inside in places[0].inside]
        )
        sides.append(code.elements(operand, code.side_base(side, image, own), places))
    gradients, elements = sides
    for result, tap, element in code.meets():
        sums[tap] = code.fused(gradients[result], elements[element], sums[tap])
    following = code.add32(unit, step)
    code.end_loop(loop, [following, *sums], code.less(following, total))
    pairs = code.mul32(code.number("channels.extent"), inner)
    first = code.mul32(code.add32(code.mul32(part, pairs), pair), form.taps)
    _store_totals(code, sums, first, channel, threads)
    code.finish()


def _store_totals(
    code: _DirectCode, sums: Sequence[str], first: Int, channel: Int, threads: int
) -> None:
    """Add up the sums of a block's threads, and store the totals one after the other."""
    form, count, warps = code.form, len(sums), threads // WARP
    tail = TailCode(code, form.tail, form.sums, 2)
    shared = code.shared_array(form.kind, warps * count)
    lane, warp = code.rem32(code.thread, WARP), code.div32(code.thread, WARP)
    totals = []
    for total in sums:
        for distance in (16, 8, 4, 2, 1):
            other = code.exchanged(form.kind, total, distance)
            total = code.binary("fadd", total, other, form.kind)
        totals.append(total)
    with code.when(code.same(lane, 0)):
        for i, total in enumerate(totals):
            code.write(SHARED, shared, code.add32(code.mul32(warp, count), i), form.kind, total)
    code.barrier()
    for start in range(0, count, threads):
        tap = code.add32(code.thread, start)
        with code.when(code.less(tap, count)):
            total = code.read(SHARED, shared, tap, form.kind)
            for i in range(1, warps):
                other = code.read(SHARED, shared, code.add32(tap, i * count), form.kind)
                total = code.binary("fadd", total, other, form.kind)
            index = code.add32(first, tap)
            element = tail.read("element", index)
            tail.write(index, [tail.computed(total, tail.row(channel), element)])
