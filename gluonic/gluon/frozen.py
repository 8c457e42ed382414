"""Values of Python as they were at a moment, to be compared with later ones."""

from collections.abc import Callable, Collection, Mapping
from functools import partial
from operator import is_
from types import CellType, FunctionType, SimpleNamespace
from typing import Any, TypeAlias

import numpy as np

Watch: TypeAlias = Callable[[], bool]
"""Whether something mutable has the members that it had."""

_SCALARS = frozenset({bool, int, str, bytes, type(None), type(...)})
_NUMBERS = frozenset({float, complex})
_SEQUENCES = (list, tuple, set, frozenset)
_MOST_MEMBERS = 1024
_DEEPEST = 8


class _Same:
    """Any other object, which equals itself alone."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return type(other) is _Same and self.value is other.value

    __hash__ = None  # type: ignore[assignment]


def is_immutable(value: Any) -> bool:
    """Whether a value is a number, a string or the like."""
    return type(value) in _SCALARS or type(value) in _NUMBERS or isinstance(value, np.generic)


def is_plain(value: Any) -> bool:
    """Whether a value is a number, a string or the like, or a container."""
    return is_immutable(value) or isinstance(value, (*_SEQUENCES, dict)) or _is_namespace(value)


def may_change(value: Any) -> bool:
    """Whether a value has members or elements that may change while it stays the same object."""
    return not is_immutable(value) and (is_plain(value) or isinstance(value, np.ndarray))


def _is_namespace(value: Any) -> bool:
    """Whether a value is but a bag of attributes: a namespace or a dataclass."""
    kind = type(value)
    if kind is FunctionType or isinstance(value, type):
        return False
    is_parsed = kind.__name__ == "Namespace" and kind.__module__ == "argparse"
    is_one = kind is SimpleNamespace or is_parsed or hasattr(kind, "__dataclass_fields__")
    return is_one and hasattr(value, "__dict__")


def freeze(value: Any, watches: list[Watch], depth: int = 0) -> Any:
    """What a value is now: equal to a later one if all numbers, strings and members are the same.

    >>> freeze([1, {"a": 2.0}], []) == freeze([1, {"a": 2.0}], [])
    True
    >>> freeze([1], []) == freeze([1.0], [])
    False

    Parameters
    ----------
    watches : its mutable parts are added
    """
    kind = type(value)
    if kind in _SCALARS:
        return kind, value
    if kind in _NUMBERS:
        return kind, repr(value)  # tells zeros apart, and NaN equals NaN
    if isinstance(value, np.generic):
        return kind, value.tobytes()
    if isinstance(value, np.ndarray) and not value.dtype.hasobject and value.size <= _MOST_MEMBERS:
        watches.append(partial(_has_bytes, value, value.tobytes()))
        return kind, value.dtype.str, value.shape, value.tobytes()
    if depth < _DEEPEST and _is_namespace(value):
        return kind, _frozen_dict(vars(value), watches, depth + 1)
    if depth == _DEEPEST or not isinstance(value, (*_SEQUENCES, dict)):
        return _Same(value)
    if len(value) > _MOST_MEMBERS:
        return _Same(value), len(value)
    if isinstance(value, dict):
        return kind, _frozen_dict(value, watches, depth + 1)
    if not isinstance(value, (tuple, frozenset)):
        watches.append(partial(_has_members, value, list(value)))
    return kind, [freeze(member, watches, depth + 1) for member in list(value)]


def _frozen_dict(members: dict[Any, Any], watches: list[Watch], depth: int) -> list[Any]:
    watches.append(partial(_has_items, members, list(members), list(members.values())))
    return [
        (freeze(k, watches, depth), freeze(v, watches, depth)) for k, v in list(members.items())
    ]


def _has_bytes(array: np.ndarray[Any, Any], given: bytes) -> bool:
    return array.tobytes() == given


def _has_members(container: Collection[Any], given: list[Any]) -> bool:
    """Whether a container has the very members that are given, by identity, which tells 1 from True."""
    now = list(container)  # at once: another thread may change it
    return len(now) == len(given) and all(map(is_, now, given))


def _has_items(mapping: dict[Any, Any], keys: list[Any], values: list[Any]) -> bool:
    return _has_members(mapping, keys) and _has_members(mapping.values(), values)


def watch_names(namespace: Mapping[str, Any], names: tuple[str, ...], watches: list[Watch]) -> None:
    """Watch what names mean in the namespace of a module or a class."""
    watches.append(partial(_has_names, namespace, names, [namespace[name] for name in names]))


def _has_names(namespace: Mapping[str, Any], names: tuple[str, ...], given: list[Any]) -> bool:
    return all(map(is_, map(namespace.get, names), given))


def watch_cell(cell: CellType, watches: list[Watch]) -> None:
    """Watch a variable of a function around a function."""
    watches.append(partial(_has_contents, cell, cell.cell_contents))


def _has_contents(cell: CellType, given: Any) -> bool:
    contents = contents_of(cell)
    return len(contents) == 1 and contents[0] is given


def contents_of(cell: CellType) -> tuple[Any, ...]:
    """What a cell contains: nothing before its variable is set."""
    try:
        return (cell.cell_contents,)
    except ValueError:
        return ()


def has_changed(watches: tuple[Watch, ...]) -> bool:
    """Whether something that is watched has changed, or was replaced by something equal."""
    for is_unchanged in watches:  # noqa: SIM110 (a generator takes twice as long)
        if not is_unchanged():
            return True
    return False


__all__ = [
    *("Watch", "contents_of", "freeze", "has_changed"),
    *("is_immutable", "is_plain", "may_change", "watch_cell", "watch_names"),
]
