"""Sums over ranks that begin early, while gradients are still being computed.

A rank begins the sum of a bucket when it has the bucket's arrays. Before it uses a sum, the ranks exchange
which sums they have begun: all ranks take part in any of these, with their current values. Buckets that a rank
has changed since are summed again. So the order in which a rank begins sums early, or whether it does, does not
matter.

MPI makes progress only inside its calls, which happen whenever another gradient is complete.
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
    """The communication of a rank that overlapped with computation, in one step.

    Attributes
    ----------
    begun, all : the bytes whose sums began before the step requested them, and all bytes
    hidden : the seconds during which sums were in flight while the rank computed
    busy : the seconds of that time that it spent on sending and adding
    waited : the seconds that it spent on them after the request
    again : the bytes that were summed again because some rank had changed them
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
    """A bucket whose sum is in flight."""

    def __init__(self, sums: list[AllReduce], arrays: Sequence[Array]) -> None:
        self.sums, self.unfinished, self.arrays = sums, list(sums), arrays
        self.watch = Watch(arrays)
        self.version = self.watch.version

    def advance(self) -> None:
        """Make progress without waiting."""
        self.unfinished = [one for one in self.unfinished if not one.advance()]

    def share(self) -> None:
        """Wait for the parts of the others, and send them this rank's share of the sums."""
        for one in self.unfinished:
            one.share()

    def finish(self) -> None:
        """Wait for the sums; all ranks must have sent their shares, or be about to."""
        for one in self.unfinished:
            one.finish()
        self.unfinished = []

    def is_stale(self, arrays: Sequence[Array]) -> bool:
        """Whether the arrays are different ones now, or have, or may have, been written to."""
        same = all(a is b for a, b in zip(arrays, self.arrays, strict=True))
        return not same or self.watch.version != self.version or any(map(has_escaped, arrays))


class EarlySums:
    """The sums of some buckets, over consecutive steps.

    Parameters
    ----------
    group : the ranks, as a separate group for these sums
    buckets : the buckets to sum

    Attributes
    ----------
    latest : the overlap in the latest step
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
        """The indices of the buckets whose sums have begun, in that order."""
        return list(self._begun)

    def has_begun(self, number: int) -> bool:
        """Whether the sum of a bucket is in flight."""
        return number in self._begun

    def begin(self, number: int, sources: Sequence[Sequence[Array]]) -> None:
        """Begin the sum of a bucket.

        Parameters
        ----------
        number : the index of the bucket
        sources : for each array, that of the only context; arrays outside the bucket are ignored
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
        """Make progress on all buckets without waiting."""
        begin = perf_counter_ns()
        for begun in self._begun.values():
            if begun.unfinished:
                begun.advance()
        self._busy += perf_counter_ns() - begin

    def said(self, sources: Sequence[Sequence[Array]]) -> bytes:
        """The message to the others: a byte per bucket, 1 if its sum has begun, 2 if it is stale, else 0."""
        found = bytearray(len(self.buckets.all))
        for number, begun in self._begun.items():
            stale = begun.is_stale(_members(self.buckets.all[number], sources))
            found[number] = 2 if stale else 1
        return bytes(found)

    def finish(self, told: Sequence[bytes], sources: Sequence[Sequence[Array]]) -> list[int]:
        """Wait for the sums that any rank has begun.

        Parameters
        ----------
        told : the messages of all ranks; see `said`

        Returns
        -------
        list
            the indices of the buckets that are summed
        """
        asked = perf_counter_ns()
        early = self.under_way
        states = [max(of_ranks) for of_ranks in zip(*told, strict=True)]
        for number, state in enumerate(states):
            if state and number not in self._begun:
                self.begin(number, sources)
        with marked("wait for sums"):
            for begun in self._begun.values():
                begun.share()  # all before any is finished: ranks with different orders would deadlock
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
    """Keep the memory of abandoned sums alive: messages may still arrive there."""
    for each in begun.values():
        if each.unfinished:
            let_outlive(each.unfinished)


def _members(bucket: Bucket, sources: Sequence[Sequence[Array]]) -> list[Array]:
    return [sources[index][0] for index in bucket.members]
