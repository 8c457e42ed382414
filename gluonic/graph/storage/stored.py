"""What sparse values have in common: parts that are checked when they are first used."""

from math import prod
from typing import Any, ClassVar, Self

import numpy as np

from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.operator import Array


class FormatError(MXNetError):
    """The parts of a sparse array do not go together, or its indices are no indices."""


class Stored:
    """What matrices by compressed rows and arrays of some rows have in common.

    Attributes
    ----------
    kind : the storage kind
    is_sound : whether all indices have been found to be in the array; False if nobody has looked yet
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
        """Make sure that the parts are as long as they must be.

        Raises
        ------
        FormatError
        """
        raise NotImplementedError

    def is_sorted(self) -> bool:
        """Whether the indices ascend, each once; in a matrix those of each row."""
        raise NotImplementedError

    def sound(self) -> Self:
        """Make sure that no index leads out of the parts or of the array; return the value itself.

        Raises
        ------
        FormatError
        """
        if self.is_sound:
            return self
        self.check_lengths()
        if prod(self.shape) >= 1 << 63:  # an element's number has 64 bits
            raise self._refused("there are more elements than numbers for them")
        self._check_indices()
        self.is_sound = True
        return self

    def check(self, full: bool = True) -> None:
        """Check the format as MXNet's ``check_format`` does; `full` looks at each index.

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
