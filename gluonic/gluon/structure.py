"""Nested inputs and outputs: lists and tuples of arrays, None and plain values, flattened and restored."""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple


class Structure(NamedTuple):
    """The shape of a nested value: hashable, so that a trace can be kept for it.

    Attributes
    ----------
    kind : ``"leaf"`` for an array, ``"none"``, ``"value"`` for anything else, or ``"list"``, ``"tuple"``
    members : the structures of the members; for a value, the value itself
    variety : distinguishes values that Python calls equal: 1, 1.0 and True; for lists `Opened` or None
    """

    kind: str
    members: Any = ()
    variety: Any = None


class Opened(list[Any]):
    """The outputs that one symbol of several outputs is divided into."""


LEAF, NONE = Structure("leaf"), Structure("none")


@lru_cache(64)
def of_arrays(count: int) -> Structure:
    """The structure of `count` arrays that are given one after the other."""
    return Structure("tuple", (LEAF,) * count)


ONE_ARRAY = of_arrays(1)


def flatten(nested: Any, is_leaf: Callable[[Any], bool]) -> tuple[list[Any], Structure]:
    """Split a nested value into its arrays and its structure.

    >>> flatten([1, (2, None)], lambda x: isinstance(x, int))[0]
    [1, 2]
    """
    leaves: list[Any] = []
    return leaves, _flatten(nested, is_leaf, leaves)


def _flatten(nested: Any, is_leaf: Callable[[Any], bool], leaves: list[Any]) -> Structure:
    if is_leaf(nested):
        leaves.append(nested)
        return LEAF
    if nested is None:
        return NONE
    if isinstance(nested, (list, tuple)):
        kind = "list" if isinstance(nested, list) else "tuple"
        members = tuple([_flatten(one, is_leaf, leaves) for one in nested])
        return Structure(kind, members, Opened if isinstance(nested, Opened) else None)
    written = str(nested) if isinstance(nested, float) else ""
    return Structure("value", nested, (type(nested), written))


def restore(leaves: Iterable[Any], structure: Structure) -> Any:
    """Put arrays back into their structure.

    >>> restore([1], Structure("list", (LEAF, NONE)))
    [1, None]
    """
    return _restore(iter(leaves), structure)


def _restore(leaves: Iterator[Any], structure: Structure) -> Any:
    if structure.kind == "leaf":
        return next(leaves)
    if structure.kind == "none":
        return None
    if structure.kind == "value":
        return structure.members
    members = [_restore(leaves, member) for member in structure.members]
    return members if structure.kind == "list" else tuple(members)


def leaf_count(structure: Structure) -> int:
    """The number of arrays in a structure."""
    if structure.kind in ("list", "tuple"):
        return sum(leaf_count(member) for member in structure.members)
    return int(structure.kind == "leaf")


def format_of(structure: Structure) -> Any:
    """Return a structure as MXNet writes it: 0 for an array, -1 for None, a number for `Opened`, lists.

    >>> format_of(Structure("tuple", (LEAF, NONE)))
    [0, -1]
    """
    if structure.variety is Opened:
        return len(structure.members)
    if structure.kind in ("list", "tuple"):
        return [format_of(member) for member in structure.members]
    return 0 if structure.kind == "leaf" else -1


def structure_of(given: Any, default: Structure = LEAF) -> Structure:
    """The structure of a format: the inverse of `format_of`, where a number n above 0 is a list of n arrays.

    >>> structure_of([0, 2]).members[1] == Structure("list", (LEAF, LEAF))
    True
    """
    if given is None:
        return default
    if isinstance(given, (list, tuple)):
        return Structure("list", tuple([structure_of(one) for one in given]))
    if given > 0:
        return Structure("list", (LEAF,) * given)
    return LEAF if given == 0 else NONE
