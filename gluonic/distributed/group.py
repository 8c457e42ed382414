"""Groups of ranks: what they send each other."""

from collections.abc import Callable, Sequence
from hashlib import blake2b
from struct import Struct
from typing import Any

import numpy as np

from gluonic.distributed.errors import RanksDisagreeError
from gluonic.distributed.mpi import mpi
from gluonic.distributed.waiting import RankWatch
from gluonic.graph import Array
from gluonic.graph.errors import describe

_RECORD = (
    512  # bytes: what ranks tell each other is mostly shorter, and then is told in one message
)
_LENGTH = Struct("<I")
_DIGEST = 16  # bytes
_TAGS = 16384  # MPI promises twice as many
_NOTHING = np.zeros(1, np.uint8)  # what ranks send that only meet


class RankGroup:
    """Some ranks, which call the same methods in the same order.

    Parameters
    ----------
    comm : a communicator of their own
    members : the numbers of the ranks among all, for messages
    watch : what this rank looks at while it waits

    Attributes
    ----------
    rank, size : the number of this rank in the group, and how many there are
    """

    def __init__(self, comm: Any, members: Sequence[int], watch: RankWatch) -> None:
        self._comm, self.members, self.watch = comm, tuple(members), watch
        self.rank: int = comm.Get_rank()
        self.size: int = comm.Get_size()
        self._tag = 0
        self._unused: dict[int, list[Array]] = {}
        self._met = [np.empty(1, np.uint8) for _ in range(self.size)]
        self.others = [r for r in range(self.size) if r != self.rank]

    @property
    def comm(self) -> Any:
        """The communicator, for as long as this rank takes part; see `RankWatch.check`."""
        self.watch.check()
        return self._comm

    def duplicate(self) -> "RankGroup":
        """Make a group of the same ranks whose messages are apart; all of them must ask for it."""
        self.agree("a group of the same ranks", lambda: "a group of ranks")
        comm, request = self.comm.Idup()
        self.finish([request], [self.rank], lambda: "a group of ranks", comm)
        return RankGroup(comm, self.members, self.watch)

    def next_tag(self) -> int:
        """A number for the messages of an operation; the ranks count alike."""
        self._tag = (self._tag + 1) % _TAGS
        return self._tag

    def borrow(self, size: int) -> Array:
        """Memory of so many bytes, which has been used before if there is some: fresh memory takes long."""
        unused = self._unused.get(size)
        return unused.pop() if unused else np.empty(size, np.uint8)

    def give_back(self, memory: Array) -> None:
        """Let borrowed memory be used again."""
        self._unused.setdefault(memory.nbytes, []).append(memory)

    def finish(
        self, requests: list[Any], ranks: Sequence[int], what: Callable[[], str], kept: Any
    ) -> None:
        """Wait for requests, each for or from a rank of the group; see `RankWatch.finish`."""
        self.watch.finish(requests, [self.members[r] for r in ranks], what, kept)

    def swap(
        self, outgoing: Sequence[Array], incoming: Sequence[Array], tag: int
    ) -> tuple[list[Any], list[int]]:
        """Begin to send an array to each other rank, and to receive one of each.

        Parameters
        ----------
        outgoing, incoming : contiguous, by rank; that of this rank is not looked at
        tag : the operation's number

        Returns
        -------
        list, list
            the requests, and whom each is for or from
        """
        comm = self.comm
        requests = [comm.Irecv(as_bytes(incoming[r]), r, tag) for r in self.others]
        requests += [comm.Isend(as_bytes(outgoing[r]), r, tag) for r in self.others]
        return requests, self.others * 2

    def tell(self, said: bytes, what: Callable[[], str]) -> list[bytes]:
        """Tell all ranks something; what each has told, by rank."""
        told = np.zeros((self.size, _RECORD), np.uint8)
        self._fill(told[self.rank], said)
        tag = self.next_tag()
        requests, ranks = self.swap([told[self.rank]] * self.size, list(told), tag)
        self.finish(requests, ranks, what, told)
        lengths = [_LENGTH.unpack(row[: _LENGTH.size].tobytes())[0] for row in told]
        if max(lengths) <= _RECORD - _LENGTH.size:
            return [
                row[_LENGTH.size : _LENGTH.size + n].tobytes()
                for row, n in zip(told, lengths, strict=True)
            ]
        whole = [np.empty(n, np.uint8) for n in lengths]
        whole[self.rank][:] = np.frombuffer(said, np.uint8)
        requests, ranks = self.swap([whole[self.rank]] * self.size, whole, tag)
        self.finish(requests, ranks, what, whole)
        return [row.tobytes() for row in whole]

    @staticmethod
    def _fill(row: Array, said: bytes) -> None:
        start = _LENGTH.pack(len(said)) + said[: len(row) - _LENGTH.size]
        row[: len(start)] = np.frombuffer(start, np.uint8)

    def agree(self, said: str, what: Callable[[], str], beside: bytes = b"") -> list[bytes]:
        """Make sure that all ranks say the same.

        Parameters
        ----------
        said : what they say
        what : says what it is about
        beside : what they tell each other on this occasion, and may differ in

        Returns
        -------
        list
            what each has told beside, by rank

        Raises
        ------
        RanksDisagreeError
            on all ranks, naming what each says
        """
        if self.size == 1:
            return [beside]
        digest = blake2b(said.encode(), digest_size=_DIGEST).digest()
        told = self.tell(digest + beside, what)
        if any(not other.startswith(digest) for other in told):
            self.compare([one.decode() for one in self.tell(said.encode(), what)], what)
        return [other[_DIGEST:] for other in told]

    def compare(self, said: Sequence[str], what: Callable[[], str]) -> None:
        """Raise an error unless all ranks have said the same."""
        usual = max(said, key=list(said).count)
        odd = [r for r, one in enumerate(said) if one != usual]
        if not odd:
            return
        facts = [f"rank {self.members[r]}: {said[r]}" for r in odd[:4]]
        like = next(r for r in range(self.size) if r not in odd)
        facts.append(f"rank {self.members[like]}: {usual}")
        others = "it" if len(odd) == 1 else "they"
        names = ", ".join(str(self.members[r]) for r in odd)
        raise RanksDisagreeError(
            describe(
                f"rank {names} disagrees with rank {self.members[like]} about {what()}",
                facts=sorted(facts),
                hint=f"let all ranks do the same in the same order; {others} brought something else",
            )
        )

    def broadcast(self, values: Array, root: int, what: Callable[[], str]) -> None:
        """Give all ranks the values of one, in their place; contiguous."""
        if self.size > 1:
            request = self.comm.Ibcast(as_bytes(values), root)
            self.finish([request], [root], what, values)

    def gather(self, values: Array, what: Callable[[], str]) -> list[Array]:
        """The values of all ranks, by rank; they may differ in length, and in nothing else."""
        said = f"{values.dtype}, axes after the first {values.shape[1:]}"
        lengths = self._lengths(said, [len(values)], what)
        found = [np.empty((n, *values.shape[1:]), values.dtype) for (n,) in lengths]
        found[self.rank][...] = values
        requests, ranks = self.swap([found[self.rank]] * self.size, found, self.next_tag())
        self.finish(requests, ranks, what, found)
        return found

    def _lengths(
        self, said: str, lengths: Sequence[int], what: Callable[[], str]
    ) -> list[list[int]]:
        """Compare what the ranks say, and learn their lengths."""
        told = self.tell(f"{' '.join(map(str, lengths))}\n{said}".encode(), what)
        parts = [one.decode().partition("\n") for one in told]
        self.compare([rest for _, _, rest in parts], what)
        return [[int(n) for n in first.split()] for first, _, _ in parts]

    def scatter(
        self, values: Array, lengths: Sequence[int], what: Callable[[], str]
    ) -> list[Array]:
        """Send each rank a slice of the first axis.

        Parameters
        ----------
        values : what to send
        lengths : how long the slice of each rank is
        what : says what it is

        Returns
        -------
        list
            the slices that have come, by rank
        """
        said = f"{values.dtype}, axes after the first {values.shape[1:]}"
        known = self._lengths(said, lengths, what)
        found = [np.empty((n[self.rank], *values.shape[1:]), values.dtype) for n in known]
        slices = np.split(np.ascontiguousarray(values), np.cumsum(lengths)[:-1])
        found[self.rank][...] = slices[self.rank]
        requests, ranks = self.swap(slices, found, self.next_tag())
        self.finish(requests, ranks, what, (slices, found))
        return found

    def meet(self, what: Callable[[], str]) -> None:
        """Wait until all ranks have come here; unlike `barrier` it compares nothing, and is quick."""
        requests, ranks = self.swap([_NOTHING] * self.size, self._met, self.next_tag())
        self.finish(requests, ranks, what, self._met)

    def barrier(self, what: Callable[[], str] = lambda: "all ranks at a barrier") -> None:
        """Wait until all ranks have come here."""
        self.agree("barrier", what)


def as_bytes(values: Array) -> Any:
    """The memory of a contiguous array, as MPI takes it: of any dtype, bfloat16 included."""
    return [values.reshape(-1).view(np.uint8), mpi().BYTE]
