"""Whether arrays are held in one place only, so that nobody can tell that their memory is written.

CPython counts the references to each object; what it counts on the way to an answer is measured once, at
import. Where nothing counts references the answer is no, always. Views refer to the array whose memory they
show, so they count as well.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np


def _counts_nothing(_: Any) -> int:
    return 0


_count: Callable[[Any], int] = (
    sys.getrefcount if sys.implementation.name == "cpython" else _counts_nothing
)


class _Holder:
    __slots__ = ("held",)

    def __init__(self) -> None:
        self.held = np.empty(1)


def _counts_of_members(arrays: Sequence[Any]) -> list[int]:
    return [_count(array) for array in arrays if array is not None]


# What is counted where nothing else refers to an array; -1, which is never counted, where nothing counts.
_holder = _Holder()
_ATTRIBUTE = _count(getattr(_holder, "held")) or -1  # noqa: B009 (as in `holds_alone`)
_MEMBER = _counts_of_members([np.empty(1)])[0] or -1
_mapping = {0: np.empty(1)}
_VALUE = _count(_mapping.get(0)) or -1


def holds_alone(holder: Any, name: str) -> bool:
    """Whether an attribute is all that refers to an array."""
    return _count(getattr(holder, name)) == _ATTRIBUTE


def hold_alone(arrays: Sequence[Any]) -> bool:
    """Whether a sequence is all that refers to the arrays in it; None in it stands for no array.

    Each array may be in it once.
    """
    return all(count == _MEMBER for count in _counts_of_members(arrays))


def keys_held_alone(values: Mapping[Any, Any]) -> list[Any]:
    """The keys whose values nothing but the mapping refers to; each value may be in it once.

    >>> shared = [1]
    >>> keys_held_alone({"shared": shared, "other": [2]})
    ['other']
    """
    return [key for key in [*values] if _count(values.get(key)) == _VALUE]
