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
def test_objects_are_made_from_name_json_and_dictionary(given: tuple[Any, ...]) -> None:
    made = create(*given)
    assert type(made) is Dog
    assert made.legs == 3


def test_objects_are_made_from_keywords() -> None:
    assert create(animal="dog", legs=2).legs == 2


def test_registered_classes_can_be_listed_but_not_changed() -> None:
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
def test_an_error_explains_what_cannot_be_made(given: tuple[Any, ...], message: str) -> None:
    with pytest.raises(mx.MXNetError, match=message):
        create(*given)


def test_only_subclasses_are_registered_and_replacing_a_name_warns() -> None:
    with pytest.raises(mx.MXNetError, match="subclass of Animal"):
        register(int)
    other = type("Dog", (Animal,), {})
    with pytest.warns(UserWarning, match="takes the name 'dog'"):
        register(other)
    with pytest.warns(UserWarning, match="takes the name 'dog'"):
        register(Dog)
