"""Classes of blocks of MXNet 1.x as those of 2.0, for the modules that list them."""

from collections.abc import Iterable
from types import ModuleType
from typing import Any

from gluonic.gluon.block import Block
from gluonic.mxnet2.gluon.block import of_two


def classes_of_two(kinds: Iterable[tuple[str, Any]], module: str) -> dict[str, Any]:
    """The classes of MXNet 2.0 for some of 1.x, which belong to a module from now on.

    Parameters
    ----------
    kinds : names and classes
    module : the module
    """
    made = {name: of_two(kind) for name, kind in kinds}
    for name, kind in made.items():
        if "_of_one" in vars(kind):
            kind.__name__ = kind.__qualname__ = name
            kind.__module__ = module
    return made


def members_of_two(source: ModuleType, module: str) -> dict[str, Any]:
    """What a module of MXNet 1.x lists, with its blocks as those of 2.0."""
    listed: dict[str, Any] = {name: getattr(source, name) for name in source.__all__}
    blocks = {n: k for n, k in listed.items() if isinstance(k, type) and issubclass(k, Block)}
    return {**listed, **classes_of_two(blocks.items(), module)}
