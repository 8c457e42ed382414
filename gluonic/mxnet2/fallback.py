"""Modules of MXNet 2.0 that have all names of a module of 1.x, and some of their own."""

from collections.abc import Callable
from types import ModuleType
from typing import Any


def of_module(
    of_one: ModuleType, own: dict[str, Any]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The ``__getattr__`` and the ``__dir__`` of a module that finds other names in another.

    Parameters
    ----------
    of_one : the other module
    own : the module's own names
    """

    def find(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {own['__name__']!r} has no attribute {name!r}", name=name)
        return getattr(of_one, name)

    def names() -> list[str]:
        return sorted({*own, *dir(of_one)})

    return find, names


def all_of(of_one: ModuleType, *own: str) -> list[str]:
    """The names that ``from module import *`` imports: those of the module of 1.x, and some more."""
    return sorted({*of_one.__all__, *own})
