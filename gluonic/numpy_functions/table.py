"""The table of functions over `F`, and how they are bound to the operators of arrays or of symbols."""

import importlib
import inspect
import pkgutil
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Protocol, TypeVar

from gluonic.graph import REGISTRY
from gluonic.numpy_functions.documentation import with_parameters

_Function = TypeVar("_Function", bound=Callable[..., Any])
_TABLES: dict[str, dict[str, Callable[..., Any]]] = defaultdict(dict)


class Operators(Protocol):
    """The operators that functions call, ``F._npi_add(x1, x2, out=None)``, and questions about arrays.

    Attributes
    ----------
    is_symbolic : whether arrays are symbols, of which neither shapes nor values are known
    kind : the class of the arrays or symbols of `mx.np`
    """

    is_symbolic: bool

    @property
    def context(self) -> Any:
        """Where operators without inputs make arrays by default; None for the CPU, and for symbols."""
        ...

    @property
    def kind(self) -> type:
        """The class of results."""
        ...

    def is_array(self, value: Any) -> bool:
        """Whether a value is an array, or a symbol."""
        ...

    def with_arrays(self, name: str, x: Any, y: Any) -> Any:
        """Apply an operator without attributes to two arrays."""
        ...

    def with_number(self, name: str, x: Any, number: Any) -> Any:
        """Apply an operator to an array and a number, its attribute ``scalar``."""
        ...

    def array_of(self, values: Any, dtype: str) -> Any:
        """An array of numbers given as a list."""
        ...

    def __getattr__(self, name: str) -> Callable[..., Any]: ...


def function(room: str = "np", *names: str) -> Callable[[_Function], _Function]:
    """Register a function in the table (a decorator).

    Parameters
    ----------
    room : its namespace, such as ``"np.linalg"``
    names : further names; its own has no leading underscore
    """

    def enter(made: _Function) -> _Function:
        for name in (made.__name__.rstrip("_"), *names):
            _TABLES[room][name] = made
        return made

    return enter


def add(name: str, made: Callable[..., Any], room: str = "np") -> None:
    """Register a function generated from a table."""
    made.__name__ = made.__qualname__ = name
    _TABLES[room][name] = made


@cache
def _read() -> None:
    """Import the modules that fill the tables."""
    package = importlib.import_module("gluonic.numpy_functions")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")


def bound(room: str, F: Operators, module: str) -> dict[str, Callable[..., Any]]:
    """The functions of a namespace over certain operators.

    Parameters
    ----------
    room : as in `function`
    F : the operators
    module : the module that they will belong to
    """
    _read()
    found = {name: _named(getattr(F, op), name, module) for name, op in _operators(room).items()}
    return found | {name: _bound(made, name, F, module) for name, made in _TABLES[room].items()}


def callable_as_operators(
    functions: Mapping[str, Callable[..., Any]], prefix: str, F: Operators
) -> dict[str, Callable[..., Any]]:
    """Those functions that MXNet has as operators in `nd` and `sym`, which take its keywords as well.

    ``sym.np.sum(x, name="total")``, ``nd.np.roll(data=x, shift=1)``: where a keyword is not the function's, the
    operator is called.

    Parameters
    ----------
    functions : by name, as `bound` makes them
    prefix : the prefix of the operators' names
    F : the operators
    """
    return {
        name: _called_either_way(function, getattr(F, f"{prefix}{name}"))
        for name, function in functions.items()
        if f"{prefix}{name}" in REGISTRY and not _takes_all_keywords(function)
    }


def _takes_all_keywords(function: Callable[..., Any]) -> bool:
    parameters = inspect.signature(function).parameters.values()
    return any(p.kind is p.VAR_KEYWORD for p in parameters)


def _called_either_way(
    function: Callable[..., Any], operator: Callable[..., Any]
) -> Callable[..., Any]:
    own = frozenset(inspect.signature(function).parameters)

    def made(*arguments: Any, **keywords: Any) -> Any:
        chosen = function if keywords.keys() <= own else operator
        return chosen(*arguments, **keywords)

    made.__signature__ = inspect.signature(operator)  # type: ignore[attr-defined]
    made.__doc__ = function.__doc__
    return _named(made, function.__name__, function.__module__)


def _operators(room: str) -> dict[str, str]:
    """The operators that a namespace has as they are."""
    extension = importlib.import_module("gluonic.numpy_functions.extension")
    found: dict[str, str] = extension.operators_of(room)
    return found


def _named(made: Any, name: str, module: str) -> Callable[..., Any]:
    made.__name__ = made.__qualname__ = name
    made.__module__ = module
    found: Callable[..., Any] = made
    return found


def _bound(
    function: Callable[..., Any], name: str, F: Operators, module: str
) -> Callable[..., Any]:
    make = getattr(function, "bind", None)
    made: Any
    if make is not None:
        made = make(F)
    else:

        def made(*arguments: Any, **keywords: Any) -> Any:
            return function(F, *arguments, **keywords)

    signature = inspect.signature(function)
    own = signature.replace(parameters=[*signature.parameters.values()][1:])
    made.__signature__ = own
    made.__name__ = made.__qualname__ = name
    made.__doc__, made.__module__ = with_parameters(function.__doc__, own), module
    found: Callable[..., Any] = made
    return found
