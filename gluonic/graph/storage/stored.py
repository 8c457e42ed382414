"""The base of sparse values: their parts are checked on first use."""

from math import prod
from typing import Any, ClassVar, Self

import numpy as np

from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.operator import Array


class FormatError(MXNetError):
    """The parts of a sparse array do not match, or its indices are invalid."""


class Stored:
    """The base of `Csr` and `RowSparse`.

    Attributes
    ----------
    kind : the storage kind
    is_sound : whether all indices are known to be within the array; False before the check
    """

    kind: ClassVar[str]
    _unsorted: ClassVar[str]
    __slots__ = ("data", "indices", "is_sound", "shape")

    data: Array
    indices: Array
    shape: tuple[int, ...]
    is_sound: bool

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the elements."""
        return self.data.dtype

    def check_lengths(self) -> None:
        """Check that the parts have matching lengths.

        Raises
        ------
        FormatError
        """
        raise NotImplementedError

    def is_sorted(self) -> bool:
        """Whether the indices (in a matrix, those of each row) are strictly ascending."""
        raise NotImplementedError

    def sound(self) -> Self:
        """Check that no index is out of bounds of the parts or of the array; return the value itself.

        Raises
        ------
        FormatError
        """
        if self.is_sound:
            return self
        self.check_lengths()
        if prod(self.shape) >= 1 << 63:  # flat indices have 64 bits
            raise self._refused("there are more elements than numbers for them")
        self._check_indices()
        self.is_sound = True
        return self

    def check(self, full: bool = True) -> None:
        """Check the format as MXNet's ``check_format`` does; `full` checks each index.

        Raises
        ------
        FormatError
        """
        self.check_lengths()
        if full:
            self.sound()
            if not self.is_sorted():
                raise self._refused(self._unsorted)

    def _check_indices(self) -> None:
        raise NotImplementedError

    def _check_within(self, what: str, extent: int) -> None:
        if len(self.indices) and not 0 <= self.indices.min() <= self.indices.max() < extent:
            raise self._refused(f"a {what} lies outside of 0 to {extent - 1}")

    def _refused(self, what: str) -> FormatError:
        facts = [f"a {self.kind} array of shape {self.shape}"]
        return FormatError(describe(what, where="check_format", facts=facts))
