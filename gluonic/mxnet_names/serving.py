"""If gluonic is served as mxnet, modules and classes report MXNet's names; pickles have gluonic's."""

import copyreg
import sys
from types import ModuleType
from typing import Any

from gluonic.mxnet_names.lookup import full
from gluonic.mxnet_names.modules import home_of
from gluonic.pickling import restore

ALIAS = "mxnet"
# the function in `object.__reduce_ex__` for an object whose state is restored later
_NEW: Any = vars(copyreg)["__newobj__"]
MADE_IN: dict[type, str] = {}


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
    for value in list(vars(module).values()):
        if _is_own_class(module, name, value):
            MADE_IN[value] = value.__module__
            value.__module__ = title
            if not issubclass(value, type):
                copyreg.pickle(value, _reduced)
    if home == name:
        module.__name__ = title
        sys.modules[title] = module


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
