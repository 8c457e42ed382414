"""Arrays of this rank in memory that others read, for as long as something refers to them."""

from collections.abc import Sequence
from weakref import ref

import numpy as np

from gluonic.distributed.shared_memory import SharedMemory
from gluonic.graph import Array
from gluonic.graph.versions import register_owner

Kind = tuple[tuple[int, ...], np.dtype]


class Slots:
    """Slots in shared memory, each for one array.

    This object keeps no array alive, but views do, so a slot that is still visible is never reused.

    Parameters
    ----------
    memory : the shared memory
    """

    def __init__(self, memory: SharedMemory) -> None:
        self._memory = memory
        self._layout: dict[int, tuple[int, Kind]] = {}
        self._taken: dict[int, ref[Array]] = {}

    def add(self, index: int, offset: int, kind: Kind) -> None:
        """Add a slot: its offset in bytes, and the shape and dtype of its array."""
        self._layout[index] = offset, kind

    def take(self, index: int) -> Array | None:
        """An array in a slot; None if there is no such slot, or something refers to its earlier array."""
        if index not in self._layout or self._array(index) is not None:
            return None
        offset, (shape, dtype) = self._layout[index]
        found = np.ndarray(shape, dtype, buffer=self._memory, offset=offset)
        self._taken[index] = ref(found)
        return register_owner(found)

    def has(self, index: int, array: Array) -> bool:
        """Whether an array is the one in a slot."""
        return self._array(index) is array

    def are_free_for(self, sources: Sequence[Sequence[Array]]) -> bool:
        """Whether all slots are free, or occupied by the corresponding array of the only context."""
        return all(
            held is None or (len(sources[index]) == 1 and held is sources[index][0])
            for index in self._taken
            for held in [self._array(index)]
        )

    def _array(self, index: int) -> Array | None:
        known = self._taken.get(index)
        return None if known is None else known()
