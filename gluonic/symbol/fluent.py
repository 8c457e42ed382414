"""Operators as methods of symbols: ``x.sum(axis=1)``, ``x.reshape(0, -1)``."""

from collections.abc import Callable
from typing import Any

from gluonic.graph import REGISTRY
from gluonic.graph.namespaces import FLUENT
from gluonic.symbol import op
from gluonic.symbol.functions import split_v2
from gluonic.symbol.symbol import Symbol

UNPACKED = {"reshape": "shape", "transpose": "axes"}
"""Methods that take the elements of a tuple as separate arguments, too: x.reshape(2, 3)."""


def _method(name: str) -> Callable[..., Symbol]:
    attribute = UNPACKED.get(name)

    def method(self: Symbol, *args: Any, **kwargs: Any) -> Symbol:
        kwargs.pop("inplace", None)
        if attribute is not None and args and all(isinstance(a, int) for a in args):
            kwargs[attribute], args = args, ()
        made = getattr(op, name)(self, *args, **kwargs)
        assert isinstance(made, Symbol)
        return made

    method.__name__ = name
    method.__doc__ = f"``x.{name}(…)`` is ``sym.{name}(x, …)``."
    return method


def _astype(self: Symbol, *args: Any, **kwargs: Any) -> Any:
    """``x.astype(dtype)`` is ``sym.cast(x, dtype)``."""
    return op.cast(self, *args, **kwargs)


def _split_v2(self: Symbol, *args: Any, **kwargs: Any) -> Any:
    """``x.split_v2(…)`` is ``sym.split_v2(x, …)``."""
    return split_v2(self, *args, **kwargs)


for _name in FLUENT:
    if _name in REGISTRY:
        setattr(Symbol, _name, _method(_name))
setattr(Symbol, "astype", _astype)  # noqa: B010 - the class has no such attribute for mypy
setattr(Symbol, "split_v2", _split_v2)  # noqa: B010
