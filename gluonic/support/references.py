"""Whether arrays are held in one place only, so that nobody can tell that their memory is written.

CPython counts the references to each object; what it counts on the way to an answer is measured once, at
import. Where nothing counts references the answer is no, always. Views refer to the array whose memory they
show, so they count as well.
"""

import sys
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

_COUNTS: Final = sys.implementation.name == "cpython"


class _Holder:
    __slots__ = ("held",)

    def __init__(self) -> None:
        self.held = np.empty(1)


def _count_of_attribute(holder: Any, name: str) -> int:
    return sys.getrefcount(getattr(holder, name)) if _COUNTS else 0


def _counts_of_members(arrays: Sequence[Any]) -> list[int]:
    return [sys.getrefcount(array) if _COUNTS else 0 for array in arrays if array is not None]


_ATTRIBUTE = _count_of_attribute(_Holder(), "held")
(_MEMBER,) = _counts_of_members([np.empty(1)])


def holds_alone(holder: Any, name: str) -> bool:
    """Whether an attribute is all that refers to an array."""
    return _COUNTS and _count_of_attribute(holder, name) == _ATTRIBUTE


def hold_alone(arrays: Sequence[Any]) -> bool:
    """Whether a sequence is all that refers to the arrays in it; None in it stands for no array.

    Each array may be in it once.
    """
    return _COUNTS and all(count == _MEMBER for count in _counts_of_members(arrays))
