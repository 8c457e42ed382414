"""Nested values are taken apart and put together again."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gluonic.gluon.structure import LEAF, flatten, restore


class Leaf:
    """Stands for an array."""


leaves = st.builds(Leaf)
values = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
nested = st.recursive(
    leaves | values,
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple),
    max_leaves=20,
)


def is_leaf(value: Any) -> bool:
    return isinstance(value, Leaf)


@given(nested)
def test_taking_apart_and_putting_together_is_the_identity(value: Any) -> None:
    found, structure = flatten(value, is_leaf)
    again = restore(found, structure)
    assert again == value
    assert repr(again) == repr(value)
    assert all(map(is_leaf, found))
    assert flatten(again, is_leaf)[1] == structure


@given(nested, nested)
def test_structures_are_equal_only_for_values_that_differ_in_leaves(
    first: Any, second: Any
) -> None:
    one, other = flatten(first, is_leaf)[1], flatten(second, is_leaf)[1]
    if one == other:
        assert hash(one) == hash(other)
        count = len(flatten(first, is_leaf)[0])
        placed = [Leaf() for _ in range(count)]
        assert repr(restore(placed, one)) == repr(restore(placed, other))


def test_an_array_alone_is_a_leaf() -> None:
    leaf = Leaf()
    assert flatten(leaf, is_leaf) == ([leaf], LEAF)
    assert restore([leaf], LEAF) is leaf
