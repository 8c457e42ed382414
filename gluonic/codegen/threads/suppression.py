"""Non-maximum suppression: boxes, the best first, of which each drops the worse ones that it covers."""

from __future__ import annotations

from math import inf

from gluonic.codegen.maths.values import INT32, Value
from gluonic.codegen.threads.boxes import (
    area,
    read_box,
    shared_area,
)
from gluonic.codegen.threads.sorting import sorted_order
from gluonic.codegen.threads.thread_code import THREADS, ThreadCode
from gluonic.codegen.threads.thread_plan import Scratch, ThreadPlan
from gluonic.support.record import record

_WORD = 32
"""The boxes whose flags share a word."""


@record
class Candidates:
    """Boxes in the order of their scores, several batches of equally many.

    Attributes
    ----------
    batch, count : how many batches, and boxes in each
    order : the original index of each
    corners, classes : four numbers, and the class, of each
    limits : the number of those in each batch that take part
    """

    batch: int
    count: int
    order: Scratch
    corners: Scratch
    classes: Scratch
    limits: Scratch


def candidates(plan: ThreadPlan, batch: int, count: int, keys: Scratch, most: int) -> Candidates:
    """Order boxes by keys, the smallest first; only `most` of those with finite keys take part."""
    order = sorted_order(plan, keys, batch, count, 1, ascending=True)
    limits = plan.scratch(batch, INT32)
    plan.kernel(_limit, (keys, order, limits), batch, count=count, most=most)
    corners = plan.scratch(batch * count * 4, keys.dtype)
    return Candidates(batch, count, order, corners, plan.scratch(batch * count, INT32), limits)


def _limit(k: ThreadCode) -> None:
    first = k.thread * k["count"]

    def takes_part(place: Value) -> Value:
        index = k.to_index(k.read(1, first + place))
        return k.read(0, first + index) < inf

    k.write(2, k.thread, k.m.minimum(k.first_beyond(k["count"], takes_part), k["most"]))


def _cover(k: ThreadCode, threshold: float, strict: bool) -> None:
    """Write which of 32 boxes a better box covers."""
    batch, i, word = k.digits(k.thread, [k["batch"], k["count"], k["words"]])
    first, limit = batch * k["count"], k.to_index(k.read(2, batch))
    bits = k.variable(k.m.constant(0, INT32))
    with k.only_if(i < limit):
        own, kind = read_box(k, 0, (first + i) * 4), k.read(1, first + i)
        with k.each(0, _WORD) as lane:
            j = word * _WORD + lane
            with k.only_if((j > i) & (j < limit)):
                other = read_box(k, 0, (first + j) * 4)
                shared = shared_area(k, own, other)
                share = shared / (area(k, own) + area(k, other) - shared)
                covers = share > threshold if strict else share >= threshold
                covers = covers & (kind == k.read(1, first + j))
                bit = k.m.left_shift(k.m.constant(1, INT32), k.m.astype(lane, INT32))
                bits.set(bits.now | k.m.where(covers, bit, 0))
    k.write(3, k.thread, bits.now)


def _drop(k: ThreadCode) -> None:
    """Write which boxes are dropped; a block of threads goes through the boxes of a batch together."""
    batch, lane = k.divided(k.thread, k.constant(THREADS))
    words, first = k["words"], batch * k["words"]
    rounds = k.divided(words + (THREADS - 1), k.constant(THREADS))[0]
    with k.each(0, rounds) as number:
        word = number * THREADS + lane
        with k.only_if(word < words):
            k.write(2, first + word, k.constant(0))
    k.barrier()
    with k.each(0, k.to_index(k.read(0, batch))) as i:
        own, bit = k.divided(i, k.constant(_WORD))
        flags = k.read(2, first + own)
        is_left = (k.m.right_shift(flags, k.m.astype(bit, INT32)) & 1) == 0
        k.barrier()
        with k.only_if(is_left), k.each(0, rounds) as number:
            word = number * THREADS + lane
            with k.only_if(word < words):
                covered = k.read(1, (batch * k["count"] + i) * words + word)
                k.write(2, first + word, k.read(2, first + word) | covered)
        k.barrier()


def _suppress(k: ThreadCode, threshold: float, strict: bool) -> None:
    """Write which boxes of a batch are dropped, the places of the others and their number, one after the other.

    Operands: corners, classes, limits, a bit for each box, places, numbers.
    """
    words, batch = k["words"], k.thread
    first, limit = batch * k["count"], k.to_index(k.read(2, batch))
    with k.each(0, words) as word:
        k.write(3, batch * words + word, k.constant(0))
    count = k.variable(k.constant(0))
    with k.each(0, limit) as i, k.only_if(is_left(k, 3, batch, i)):
        k.write(4, first + count.now, i)
        count.set(count.now + 1)
        own, kind = read_box(k, 0, (first + i) * 4), k.read(1, first + i)
        size = area(k, own)
        with k.each(i + 1, limit) as j, k.only_if(kind == k.read(1, first + j)):
            other = read_box(k, 0, (first + j) * 4)
            shared = shared_area(k, own, other)
            share = shared / (size + area(k, other) - shared)
            with k.only_if(share > threshold if strict else share >= threshold):
                word, bit = k.divided(j, k.constant(_WORD))
                flag = k.m.left_shift(k.m.constant(1, INT32), k.m.astype(bit, INT32))
                place = batch * words + word
                k.write(3, place, k.read(3, place) | flag)
    k.write(5, batch, count.now)


def is_left(k: ThreadCode, operand: int, batch: Value, i: Value) -> Value:
    """Whether a box is not dropped."""
    word, bit = k.divided(i, k.constant(_WORD))
    flags = k.read(operand, batch * k["words"] + word)
    return (k.m.right_shift(flags, k.m.astype(bit, INT32)) & 1) == 0


def _keep(k: ThreadCode) -> None:
    """Write the place of a box that is left among all that are, and how many there are."""
    batch, i = k.divided(k.thread, k["count"])
    first, limit = batch * k["count"], k.to_index(k.read(0, batch))
    place = k.variable(k.constant(0))
    with k.each(0, k.m.minimum(i, limit)) as before:
        place.set(place.now + k.to_index(is_left(k, 1, batch, before)))
    left = (i < limit) & is_left(k, 1, batch, i)
    with k.only_if(left):
        k.write(2, first + place.now, i)
    with k.only_if(i == k["count"] - 1):
        k.write(3, batch, place.now + k.to_index(left))


@record
class Survivors:
    """What is left.

    Attributes
    ----------
    dropped : a bit for each box
    kept : the places, in the order of scores, of those that are left, one batch after the other
    counts : how many these are in each batch
    words : the words of bits of a batch
    """

    dropped: Scratch
    kept: Scratch
    counts: Scratch
    words: int


def survivors(plan: ThreadPlan, some: Candidates, threshold: float, *, strict: bool) -> Survivors:
    """Drop boxes that better ones of their class cover, by intersection over union."""
    words = -(-some.count // _WORD)
    sizes = {"batch": some.batch, "count": some.count, "words": words}
    dropped = plan.scratch(some.batch * words, INT32)
    kept, counts = plan.scratch(some.batch * some.count, INT32), plan.scratch(some.batch, INT32)
    if plan.is_host:
        own = (some.corners, some.classes, some.limits, dropped, kept, counts)
        plan.kernel(_suppress, own, some.batch, float(threshold), strict, **sizes)
        return Survivors(dropped, kept, counts, words)
    covered = plan.scratch(some.batch * some.count * words, INT32)
    operands = (some.corners, some.classes, some.limits, covered)
    plan.kernel(_cover, operands, covered.count, float(threshold), strict, **sizes)
    plan.kernel(_drop, (some.limits, covered, dropped), some.batch * THREADS, **sizes)
    operands = (some.limits, dropped, kept, counts)
    plan.kernel(_keep, operands, some.batch * some.count, **sizes)
    return Survivors(dropped, kept, counts, words)
