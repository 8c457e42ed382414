"""The data that are kept between pushes of the same keys, shapes and dtypes."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic.distributed.buckets import Buckets
from gluonic.distributed.group import RankGroup
from gluonic.distributed.shared_sums import SharedSums, open_shared_sums
from gluonic.graph import Array
from gluonic.kvstore.overlap import GradientOverlap
from gluonic.ndarray.array import NDArray


class PushLayout:
    """Arrays that are pushed together.

    Parameters
    ----------
    pairs : keys and their arrays

    Attributes
    ----------
    said : the keys, shapes and dtypes in words, on which all ranks must agree
    dense, sparse : the indices of dense and of sparse arrays
    names, kinds : the names of the dense ones, and their shapes and dtypes
    buckets : the memory for their sums
    shared : their sums in memory that all ranks share; None if they share none
    was_opened : whether ranks have tried to share memory
    overlap : the listener that begins sums early, if any
    can_overlap : whether all ranks could overlap sums with backward at the latest push
    """

    def __init__(self, pairs: Sequence[tuple[Any, list[NDArray]]]) -> None:
        first = [given[0] for _, given in pairs]
        self.said = "push " + "; ".join(named(one, given[0]) for one, given in pairs)
        self.dense = [i for i, array in enumerate(first) if array.stype == "default"]
        self.sparse = [i for i in range(len(pairs)) if i not in set(self.dense)]
        self.names = [repr(pairs[i][0]) for i in self.dense]
        self.kinds = [(first[i].shape, first[i].elements.dtype) for i in self.dense]
        self.buckets = Buckets(self.names, self.kinds)
        self.shared: SharedSums | None = None
        self.was_opened = False
        self.overlap: GradientOverlap | None = None
        self.can_overlap = False

    def gradients(self, pairs: Sequence[tuple[Any, list[NDArray]]]) -> list[list[NDArray]]:
        """The dense arrays of all contexts."""
        return [pairs[i][1] for i in self.dense]

    def firsts(self, pairs: Sequence[tuple[Any, list[NDArray]]]) -> list[NDArray]:
        """The dense arrays of the first context."""
        return [pairs[i][1][0] for i in self.dense]

    def sources(self, pairs: Sequence[tuple[Any, list[NDArray]]]) -> list[list[Array]]:
        """The memory of the dense arrays of all contexts."""
        return [[array.elements for array in pairs[i][1]] for i in self.dense]

    def shared_by(self, group: RankGroup) -> SharedSums | None:
        """The sums in memory that all ranks share, a collective operation; None if they cannot share memory."""
        if not self.was_opened:
            self.was_opened = True
            self.shared = open_shared_sums(group, self.names, self.kinds)
        return self.shared


def named(key: Any, value: NDArray) -> str:
    """A description of a key, with the dtype, shape and storage type of its array."""
    kind = "" if value.stype == "default" else f" {value.stype}"
    return f"{key!r} {np.dtype(value.dtype)} {value.shape}{kind}"
