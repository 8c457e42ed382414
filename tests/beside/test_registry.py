"""Factories create objects by name, from JSON and from dictionaries."""

from typing import Any

import pytest

import gluonic as mx
from gluonic import registry


class Animal:
    def __init__(self, legs: int = 4) -> None:
        self.legs = legs


register = registry.get_register_func(Animal, "animal")
alias = registry.get_alias_func(Animal, "animal")
create = registry.get_create_func(Animal, "animal")


@register
@alias("doggy")
class Dog(Animal):
    pass


@pytest.mark.parametrize(
    "given",
    [
        ("dog", 3),
        ("DOGGY", 3),
        ('["dog", {"legs": 3}]',),
        ('{"animal": "dog", "legs": 3}',),
        ({"animal": "dog", "legs": 3},),
        (Dog(3),),
    ],
)
def test_things_are_made_by_name_json_and_dictionary(given: tuple[Any, ...]) -> None:
    made = create(*given)
    assert type(made) is Dog
    assert made.legs == 3


def test_things_are_made_by_keyword() -> None:
    assert create(animal="dog", legs=2).legs == 2


def test_what_is_registered_can_be_listed_but_not_changed() -> None:
    listed = registry.get_registry(Animal)
    assert listed == {"dog": Dog, "doggy": Dog}
    listed.clear()
    assert registry.get_registry(Animal)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("doge",), r"no animal 'doge' is registered; did you mean"),
        ((Dog(), 3), "made already"),
        ((3,), "must be a name"),
    ],
)
def test_what_cannot_be_made_is_explained(given: tuple[Any, ...], message: str) -> None:
    with pytest.raises(mx.MXNetError, match=message):
        create(*given)


def test_only_such_things_are_registered_and_names_are_taken_with_a_warning() -> None:
    with pytest.raises(mx.MXNetError, match="subclass of Animal"):
        register(int)
    other = type("Dog", (Animal,), {})
    with pytest.warns(UserWarning, match="takes the name 'dog'"):
        register(other)
    with pytest.warns(UserWarning, match="takes the name 'dog'"):
        register(Dog)
