"""Sets of ranks, to which operations can be limited."""

from collections.abc import Iterable

from gluonic.distributed import world
from gluonic.distributed.group import RankGroup
from gluonic.graph.errors import MXNetError, describe


class ProcessSet:
    """A set of ranks; `add_process_set` makes it a group.

    Parameters
    ----------
    ranks : the ranks

    Attributes
    ----------
    process_set_id : its id; None before it has been added, and after it has been removed
    ranks : the ranks, ascending
    """

    def __init__(self, ranks: Iterable[int]) -> None:
        found = sorted(ranks)
        if any(not isinstance(rank, int) for rank in found):
            raise ValueError("ProcessSet should be initialized with a list of process ranks")
        self.process_set_id: int | None = None
        self.ranks = found
        self._members: RankGroup | None = None

    def _invalidate(self) -> None:
        self.process_set_id, self._members = None, None

    def size(self) -> int | None:
        """The number of ranks; None while it is not a group."""
        return None if self.process_set_id is None else len(self.ranks)

    def rank(self) -> int | None:
        """The position of this rank in it; None while it is not a group, -1 if this rank is not in it."""
        if self.process_set_id is None:
            return None
        return -1 if self._members is None else self._members.rank

    def included(self) -> bool:
        """Whether this rank is in it."""
        return world().group.rank in self.ranks

    def group(self) -> RankGroup:
        """The group of its ranks.

        Raises
        ------
        MXNetError
            if it is not a group, or this rank is not in it
        """
        if self._members is None:
            what = (
                "Horovod has not been initialized; use hvd.init()"
                if not _SETS and self is global_process_set
                else f"this rank is not in {self}"
                if self.process_set_id is not None
                else f"{self} has not been added"
            )
            raise MXNetError(describe(what, where="hvd", hint="hvd.add_process_set(ranks)"))
        return self._members

    def __str__(self) -> str:
        return f"ProcessSet(process_set_id={self.process_set_id}, ranks={self.ranks})"


global_process_set = ProcessSet([])
_SETS: dict[int, ProcessSet] = {}


def begin_global(group: RankGroup) -> None:
    """Make a set of all ranks, with id 0."""
    everyone = global_process_set
    everyone.process_set_id, everyone.ranks, everyone._members = 0, list(group.members), group


def end_global() -> None:
    """Drop the set of all ranks."""
    global_process_set._invalidate()


def add_process_set(process_set: ProcessSet | Iterable[int]) -> ProcessSet:
    """Make some ranks a group; all ranks call it, including those outside it.

    Parameters
    ----------
    process_set : the set, or its ranks

    Raises
    ------
    ValueError
        if there already is a set of these ranks, or a rank does not exist
    """
    found = process_set if isinstance(process_set, ProcessSet) else ProcessSet(process_set)
    everyone = world()
    if any(not 0 <= rank < everyone.group.size for rank in found.ranks):
        raise ValueError(
            f"{found} has ranks that are not among the {everyone.group.size} there are"
        )
    others = (*_SETS.values(), global_process_set)
    if any(found.ranks == other.ranks for other in others):
        raise ValueError(f"Attempted to add a duplicate process set: {found}")
    found._members = everyone.split(found.ranks)
    found.process_set_id = max(_SETS, default=0) + 1
    _SETS[found.process_set_id] = found
    return found


def remove_process_set(process_set: ProcessSet) -> bool:
    """Remove a set; returns whether it existed. The set of all ranks cannot be removed.

    Parameters
    ----------
    process_set : the set
    """
    number = process_set.process_set_id
    if number is None or number == 0:
        return False
    process_set._invalidate()
    return _SETS.pop(number, None) is not None
