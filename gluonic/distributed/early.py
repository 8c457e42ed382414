"""Sums over ranks that begin before all ranks are known to want them, while gradients are being computed.

A rank begins to sum up a bucket when it has the bucket's arrays. Before it uses a sum it asks the others: what
any has begun, all take part in, with what they then have; what any of them has changed since is summed up once
more. So it does not matter in which order, or whether at all, a rank begins early.

MPI moves messages on while it is called: that is whenever another gradient is complete.
"""

from collections.abc import Sequence
from time import perf_counter_ns
from weakref import finalize

from gluonic.distributed.buckets import Bucket, Buckets
from gluonic.distributed.group import RankGroup
from gluonic.distributed.marks import mark_under_way, marked
from gluonic.distributed.reduction import AllReduce, pieces
from gluonic.distributed.waiting import let_outlive
from gluonic.graph import Array
from gluonic.graph.versions import Watch, has_escaped
from gluonic.support.record import record


@record
class Overlapped:
    """What a rank has summed up while it computed, in one step.

    Attributes
    ----------
    begun, all : how many bytes were sent before the step asked for them, and how many there are
    hidden : for how many seconds sums were on their way while the rank computed
    busy : how many seconds of that time it spent on them: sending, adding up
    waited : how many seconds it spent on them once it asked for them
    again : how many bytes were summed up once more, for some rank had changed them
    """

    begun: int
    all: int
    hidden: float
    busy: float
    waited: float
    again: int

    def __str__(self) -> str:
        parts = [
            f"{self.begun / 1e6:.1f} of {self.all / 1e6:.1f} MB sent during backward",
            f"{self.hidden * 1e3:.2f} ms hidden",
            f"{self.busy * 1e3:.2f} ms busy",
            f"{self.waited * 1e3:.2f} ms waited",
        ]
        return "; ".join([*parts, f"{self.again / 1e6:.1f} MB again"] if self.again else parts)


class _Begun:
    """A bucket on its way."""

    def __init__(self, sums: list[AllReduce], arrays: Sequence[Array]) -> None:
        self.sums, self.unfinished, self.arrays = sums, list(sums), arrays
        self.watch = Watch(arrays)
        self.version = self.watch.version

    def advance(self) -> None:
        """Do what can be done without waiting."""
        self.unfinished = [one for one in self.unfinished if not one.advance()]

    def share(self) -> None:
        """Wait for what others bring, and send them this rank's share of the sums."""
        for one in self.unfinished:
            one.share()

    def finish(self) -> None:
        """Wait for the sums, when all ranks have sent their shares, or are about to."""
        for one in self.unfinished:
            one.finish()
        self.unfinished = []

    def is_stale(self, arrays: Sequence[Array]) -> bool:
        """Whether others are to be summed up now, or somebody has, or may have, written into them."""
        same = all(a is b for a, b in zip(arrays, self.arrays, strict=True))
        return not same or self.watch.version != self.version or any(map(has_escaped, arrays))


class EarlySums:
    """The sums of some buckets, in one step after the other.

    Parameters
    ----------
    group : the ranks, in a group of these sums' own
    buckets : what is summed up

    Attributes
    ----------
    latest : what was overlapped in the latest step
    """

    def __init__(self, group: RankGroup, buckets: Buckets) -> None:
        self._group, self.buckets = group, buckets
        self._begun: dict[int, _Begun] = {}
        finalize(self, _abandon, self._begun)
        self._tags: list[range] = []
        tag = 0
        for bucket in buckets.all:
            count = len(pieces(buckets.target(bucket)))
            self._tags.append(range(tag, tag + count))
            tag += count
        self._since = self._busy = 0  # nanoseconds
        self.latest = Overlapped(0, self._bytes(range(len(buckets.all))), 0.0, 0.0, 0.0, 0)

    @property
    def under_way(self) -> list[int]:
        """The numbers of the buckets that have begun, in that order."""
        return list(self._begun)

    def has_begun(self, number: int) -> bool:
        """Whether a bucket is on its way."""
        return number in self._begun

    def begin(self, number: int, sources: Sequence[Sequence[Array]]) -> None:
        """Begin to sum up a bucket.

        Parameters
        ----------
        number : the bucket's
        sources : for each array that of the only context; one that is not in the bucket is not looked at
        """
        begin = perf_counter_ns()
        if not self._begun:
            self._since, self._busy = begin, 0
        bucket = self.buckets.all[number]
        own, into, what = self.buckets.prepared(bucket, sources)
        sums = [
            AllReduce(self._group, own[piece], what, into=into[piece], tag=tag)
            for piece, tag in zip(pieces(own), self._tags[number], strict=True)
        ]
        self._begun[number] = _Begun(sums, _members(bucket, sources))
        self._busy += perf_counter_ns() - begin

    def advance(self) -> None:
        """Do for all buckets what can be done without waiting."""
        begin = perf_counter_ns()
        for begun in self._begun.values():
            if begun.unfinished:
                begun.advance()
        self._busy += perf_counter_ns() - begin

    def said(self, sources: Sequence[Sequence[Array]]) -> bytes:
        """What the others must know: a byte a bucket, 1 if it is begun, 2 if it is stale since, else 0."""
        found = bytearray(len(self.buckets.all))
        for number, begun in self._begun.items():
            stale = begun.is_stale(_members(self.buckets.all[number], sources))
            found[number] = 2 if stale else 1
        return bytes(found)

    def finish(self, told: Sequence[bytes], sources: Sequence[Sequence[Array]]) -> list[int]:
        """Wait for what any rank has begun.

        Parameters
        ----------
        told : what each rank has `said`

        Returns
        -------
        list
            the numbers of the buckets that are summed up
        """
        asked = perf_counter_ns()
        early = self.under_way
        states = [max(of_ranks) for of_ranks in zip(*told, strict=True)]
        for number, state in enumerate(states):
            if state and number not in self._begun:
                self.begin(number, sources)
        with marked("wait for sums"):
            for begun in self._begun.values():
                begun.share()  # of all first: ranks that began in different orders would wait for each other
            for begun in self._begun.values():
                begun.finish()
        self._begun.clear()
        self._note(early, asked, [n for n, state in enumerate(states) if state == 2])
        return [number for number, state in enumerate(states) if state == 1]

    def _note(self, early: list[int], asked: int, again: list[int]) -> None:
        now, in_flight = perf_counter_ns(), asked - self._since if early else 0
        busy = self._busy if early else 0
        self.latest = Overlapped(
            self._bytes(early),
            self.latest.all,
            max(0, in_flight - busy) / 1e9,
            busy / 1e9,
            (now - asked) / 1e9,
            self._bytes(again),
        )
        if early:
            mark_under_way("sums during backward", self._since, asked, said=str(self.latest))

    def _bytes(self, numbers: Sequence[int]) -> int:
        return sum(self.buckets.target(self.buckets.all[n]).nbytes for n in numbers)


def _abandon(begun: dict[int, _Begun]) -> None:
    """Keep the memory of sums that nobody asks for any more: messages may still arrive there."""
    for each in begun.values():
        if each.unfinished:
            let_outlive(each.unfinished)


def _members(bucket: Bucket, sources: Sequence[Sequence[Array]]) -> list[Array]:
    return [sources[place][0] for place in bucket.members]
