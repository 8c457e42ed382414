"""Arrays of this rank that lie where others read them, for as long as somebody holds them."""

from collections.abc import Sequence
from weakref import ref

import numpy as np

from gluonic.distributed.shared_memory import SharedMemory
from gluonic.graph import Array
from gluonic.graph.versions import register_owner

Kind = tuple[tuple[int, ...], np.dtype]


class Slots:
    """Places in shared memory, each of which one array may have.

    Nothing here keeps an array alive; a view of one does, so memory that anybody can see is never given again.

    Parameters
    ----------
    memory : where they are
    """

    def __init__(self, memory: SharedMemory) -> None:
        self._memory = memory
        self._places: dict[int, tuple[int, Kind]] = {}
        self._taken: dict[int, ref[Array]] = {}

    def add(self, place: int, offset: int, kind: Kind) -> None:
        """Name a place: bytes from the memory's beginning, and the shape and dtype of its array."""
        self._places[place] = offset, kind

    def take(self, place: int) -> Array | None:
        """An array for a place; None if there is no such place, or somebody holds the array that was there."""
        if place not in self._places or self._array(place) is not None:
            return None
        offset, (shape, dtype) = self._places[place]
        found = np.ndarray(shape, dtype, buffer=self._memory, offset=offset)
        self._taken[place] = ref(found)
        return register_owner(found)

    def has(self, place: int, array: Array) -> bool:
        """Whether an array is the one that has a place."""
        return self._array(place) is array

    def are_free_for(self, sources: Sequence[Sequence[Array]]) -> bool:
        """Whether no place is held by others than the array of the only context that belongs there."""
        return all(
            held is None or (len(sources[place]) == 1 and held is sources[place][0])
            for place in self._taken
            for held in [self._array(place)]
        )

    def _array(self, place: int) -> Array | None:
        known = self._taken.get(place)
        return None if known is None else known()
