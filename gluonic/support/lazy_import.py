"""Names that a package imports when they are first asked for (PEP 562), so that importing it stays quick."""

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def import_later(
    package: str, sources: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make the functions ``__getattr__`` and ``__dir__`` of a package.

    Parameters
    ----------
    package : its name
    sources : the source of each name: ``"module"``, or ``"module:attribute"``
    """

    def find(name: str) -> Any:
        if name not in sources:
            raise AttributeError(f"{package} has no {name!r}", name=name, obj=sys.modules[package])
        module, _, attribute = sources[name].partition(":")
        found: Any = importlib.import_module(module)
        if attribute:
            found = getattr(found, attribute)
        setattr(sys.modules[package], name, found)
        return found

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *sources})

    return find, names
