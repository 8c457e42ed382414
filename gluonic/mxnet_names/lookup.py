"""Look-up of names that MXNet's module has and ours does not define: from other files, imported or missing."""

import importlib
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import chain
from types import ModuleType
from typing import Any

from gluonic.graph.errors import MissingModuleError, MissingNameError
from gluonic.mxnet_names.imported import has_no_all, imports_of
from gluonic.mxnet_names.missing import lacks, missing_name
from gluonic.mxnet_names.modules import PARTS, SAME, home_of

PACKAGE = __name__.partition(".")[0]
_NOTHING = object()


def full(name: str) -> str:
    """A module's whole name."""
    return f"{PACKAGE}.{name}" if name else PACKAGE


def parts_of(name: str) -> Iterator[ModuleType]:
    """The modules here that make up a module of MXNet, besides the file of its name."""
    for part in PARTS.get(name, ()):
        if part.endswith(".*"):
            inside = full(part[:-1])
            yield from [m for n, m in list(sys.modules.items()) if n.startswith(inside)]
        else:
            yield importlib.import_module(full(part))


def public_names(module: ModuleType) -> list[str]:
    """The public names of a module: its `__all__`, or the functions and classes that it defines."""
    listed = getattr(module, "__all__", None)
    own = (n for n, v in vars(module).items() if getattr(v, "__module__", None) == module.__name__)
    return [n for n in own if not n.startswith("_")] if listed is None else list(listed)


def _resolved(source: str) -> Any:
    """The object of a source from `imports_of`."""
    place, _, path = source.partition(":")
    value: Any = importlib.import_module(full(place[1:]) if place.startswith(".") else place)
    for name in filter(None, path.split(".")):
        value = getattr(value, name)
    return value


def _look_up(module: str, name: str) -> Any:
    """The object that MXNet's module has under a name; `_NOTHING` also if its package is not installed."""
    below = f"{module}.{name}".lstrip(".")
    if below in PARTS or below in SAME:
        return importlib.import_module(full(below))
    for part in parts_of(module):
        if name in vars(part):
            return vars(part)[name]
    source = imports_of(module).get(name)
    try:
        return _NOTHING if source is None else _resolved(source)
    except MissingModuleError as error:
        raise MissingNameError(error.args[0], name) from None
    except ModuleNotFoundError:
        return _NOTHING


def extend(module: ModuleType, name: str) -> None:
    """Make a module find the further names of MXNet's module, and raise errors for missing ones.

    Parameters
    ----------
    module : a module of gluonic; one without a counterpart in MXNet is unchanged
    name : its name, without ``gluonic.``
    """
    if home_of(name) != name:
        return
    own, listed = vars(module).get("__getattr__"), vars(module).get("__dir__")

    def find(wanted: str) -> Any:
        value = _NOTHING if wanted.startswith("__") else _look_up(name, wanted)
        if value is not _NOTHING:
            setattr(module, wanted, value)
            return value
        try:
            if own is not None:
                return own(wanted)
            title = f"module {module.__name__!r} has no attribute {wanted!r}"
            raise AttributeError(title, name=wanted, obj=module)
        except AttributeError:
            missing = missing_name(name, wanted)
            if missing is None:
                raise
        raise missing

    def names() -> list[str]:
        here = vars(module) if listed is None else listed()
        return sorted({*here, *_below(name), *chain(*map(public_names, parts_of(name)))})

    vars(module).update(__getattr__=find, __dir__=names)
    if lacks(name) or _below(name):  # imports from a module that is no package bypass the hook
        vars(module).setdefault("__path__", [])
    if has_no_all(name):
        there = (n for n, source in imports_of(name).items() if _is_there(source))
        vars(module).update(__all__=[*public_names(module), *there])


def _below(name: str) -> list[str]:
    """The modules without files below a module."""
    places = (one.rpartition(".") for one in (*PARTS, *SAME))
    return [last for place, _, last in places if place == name]


def _is_there(source: str) -> bool:
    """Whether a source of `imports_of` can be resolved."""
    return (
        source.startswith(".") or find_spec(source.partition(":")[0].partition(".")[0]) is not None
    )
