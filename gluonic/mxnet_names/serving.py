"""If gluonic is served as mxnet, modules and classes report MXNet's names; pickles have gluonic's."""

import copyreg
import sys
from types import ModuleType
from typing import Any

from gluonic.mxnet_names.lookup import PACKAGE, full
from gluonic.mxnet_names.modules import PARTS, home_of
from gluonic.mxnet_names.second import SECOND
from gluonic.pickling import restore

ALIAS = "mxnet"
# the function in `object.__reduce_ex__` for an object whose state is restored later
_NEW: Any = vars(copyreg)["__newobj__"]
MADE_IN: dict[type, str] = {}
_MOVED_IN_TWO = {
    "context": "device",
    "default_dtype": "util",
    "gluon.changed_metrics": "gluon.metric",
    "metric": "gluon.metric",
    "ndarray.numpy.array": "numpy",
}
"""Modules whose classes MXNet 2.0 has elsewhere."""


def _is_own_class(module: ModuleType, name: str, value: Any) -> bool:
    """Whether a value is a class that a module defines under this name."""
    return (
        isinstance(value, type)
        and value.__module__ == full(name)
        and vars(module).get(value.__qualname__) is value
    )


def answer_as_mxnet(module: ModuleType, name: str) -> None:
    """Make a module, and the classes that it defines, report MXNet's names.

    Parameters
    ----------
    module : a module of gluonic; one without a counterpart in MXNet is unchanged
    name : its name, without ``gluonic.``
    """
    home = home_of(name)
    if home is None:
        return
    title = f"{ALIAS}.{home}" if home else ALIAS
    for value in _own_classes(module, name):
        _rename(value, title)
    if home == name:
        module.__name__ = title
        sys.modules[title] = module


def answer_as_mxnet_2(module: ModuleType, name: str) -> None:
    """Make the classes that a module defines report the names of MXNet 2.0.

    Parameters
    ----------
    module : a module of gluonic; one without a counterpart in MXNet is unchanged
    name : its name, without ``gluonic.``
    """
    for value in _own_classes(module, name):
        home = _home_in_two(value, name)
        if home is not None:
            _rename(value, f"{ALIAS}.{home}" if home else ALIAS)


def _home_in_two(kind: type, module: str) -> str | None:
    """The module of MXNet 2.0 with a class; None without a counterpart.

    Parameters
    ----------
    kind : the class
    module : its module here, without ``gluonic.``
    """
    if not module.startswith(SECOND):
        home = home_of(module)
        return home if home is None else _MOVED_IN_TWO.get(home, home)
    # one of our modules may hold what several files of MXNet define: each named after a class, or as in 1.x
    ours = {module, module.rpartition(".")[0]}
    files = [row for row, parts in PARTS.items() if row.startswith(SECOND) and ours & {*parts}]
    by_last = {row.rpartition(".")[2]: row for row in reversed(files)}
    by_last |= {last.replace("_", "").lower(): row for last, row in by_last.items()}
    of_one = getattr(getattr(kind, "_of_one", None), "__module__", "").removeprefix(f"{PACKAGE}.")
    wanted = (home_of(of_one) or "").rpartition(".")[2] if of_one else kind.__name__.lower()
    home = by_last.get(wanted) or next((row for row in files if module in PARTS[row]), module)
    home = home.removeprefix(SECOND)
    return _MOVED_IN_TWO.get(home, home)


def _own_classes(module: ModuleType, name: str) -> list[type]:
    values = list(vars(module).values())
    return [*dict.fromkeys(value for value in values if _is_own_class(module, name, value))]


def _rename(kind: type, title: str) -> None:
    """Make a class report a module of MXNet; pickles keep the one that it is made in."""
    MADE_IN[kind] = kind.__module__
    kind.__module__ = title
    if not issubclass(kind, type):
        copyreg.pickle(kind, _reduced)


def _reduced(value: Any) -> Any:
    """The reduced value for pickle, with the class's name in gluonic, which is found in any installation."""
    noted = value.__reduce_ex__(4)
    if isinstance(noted, str):
        return noted
    function, arguments, *others = noted
    kind, rest = type(value), arguments
    if function is _NEW and arguments[0] is kind:
        is_new, rest = True, arguments[1:]
    elif function is kind:
        is_new = False
    else:
        return noted
    return restore, (MADE_IN[kind], kind.__qualname__, is_new, *rest), *others
