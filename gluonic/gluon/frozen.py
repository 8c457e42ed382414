"""Values of Python as they were at a moment, to be compared with later ones."""

from collections.abc import Callable, Collection, Mapping
from functools import partial
from operator import is_
from types import SimpleNamespace
from typing import Any, TypeAlias

import numpy as np

Watch: TypeAlias = tuple[Callable[[], Collection[Any]], Collection[Any]]
"""A function that returns the members of something mutable, and what it returned."""

_SCALARS = frozenset({bool, int, str, bytes, type(None), type(...)})
_NUMBERS = frozenset({float, complex})
_SEQUENCES = (list, tuple, set, frozenset)
_NAMESPACES = frozenset({"argparse.Namespace", "types.SimpleNamespace"})
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


def _is_namespace(value: Any) -> bool:
    """Whether a value is but a bag of attributes: a namespace or a dataclass."""
    kind = type(value)
    if not hasattr(value, "__dict__") or isinstance(value, type):
        return False
    is_one = isinstance(value, SimpleNamespace) or hasattr(kind, "__dataclass_fields__")
    return is_one or f"{kind.__module__}.{kind.__qualname__}" in _NAMESPACES


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
        watches.append((value.tobytes, value.tobytes()))
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
        watches.append((partial(list, value), list(value)))
    return kind, [freeze(member, watches, depth + 1) for member in value]


def _frozen_dict(members: dict[Any, Any], watches: list[Watch], depth: int) -> list[Any]:
    watches.append((partial(_members, members), _members(members)))
    return [(freeze(k, watches, depth), freeze(v, watches, depth)) for k, v in members.items()]


def _members(mapping: dict[Any, Any]) -> list[Any]:
    return [*mapping, *mapping.values()]


def watch_names(namespace: Mapping[str, Any], names: tuple[str, ...], watches: list[Watch]) -> None:
    """Watch what names mean in the namespace of a module or a class."""
    look = partial(_meanings, namespace, names)
    watches.append((look, look()))


def _meanings(namespace: Mapping[str, Any], names: tuple[str, ...]) -> list[Any]:
    return [namespace.get(name) for name in names]


def has_changed(watches: tuple[Watch, ...]) -> bool:
    """Whether something that is watched has changed, or was replaced by something equal."""
    for look, items in watches:
        found = look()
        if len(found) != len(items) or not all(map(is_, found, items)):
            return True
    return False


__all__ = ["Watch", "freeze", "has_changed", "is_immutable", "is_plain", "watch_names"]
