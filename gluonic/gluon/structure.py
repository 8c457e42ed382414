"""Nested inputs and outputs: lists and tuples of arrays, None and plain values, flattened and put back."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple


class Structure(NamedTuple):
    """The shape of a nested value: hashable, so that a trace can be kept for it.

    Attributes
    ----------
    kind : ``"leaf"`` for an array, ``"none"``, ``"value"`` for anything else, or ``"list"``, ``"tuple"``
    members : the structures of the members; for a value, the value itself
    variety : what tells values apart that are equal to Python: 1, 1.0 and True
    """

    kind: str
    members: Any = ()
    variety: Any = None


LEAF, NONE = Structure("leaf"), Structure("none")


@cache
def of_arrays(count: int) -> Structure:
    """The structure of so many arrays that are given one after the other."""
    return Structure("tuple", (LEAF,) * count)


ONE_ARRAY = of_arrays(1)


def flatten(nested: Any, is_leaf: Callable[[Any], bool]) -> tuple[list[Any], Structure]:
    """Take a nested value apart into its arrays and its structure.

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
        return Structure(kind, tuple([_flatten(one, is_leaf, leaves) for one in nested]))
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
