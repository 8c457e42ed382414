"""The operators that functions of `mx.np` call on symbols."""

from collections.abc import Callable
from typing import Any

from gluonic.graph import REGISTRY
from gluonic.graph.errors import NotThereError
from gluonic.symbol.numpy_class import numpy_symbol
from gluonic.symbol.register import make_function
from gluonic.symbol.symbol import Symbol


class SymbolOperators:
    """``F.operator(symbols…, attribute=value)``, whose results are symbols of `mx.sym.np`."""

    is_symbolic = True
    context = None

    @property
    def kind(self) -> type:
        """The class of results."""
        found: type = numpy_symbol()
        return found

    def is_array(self, value: Any) -> bool:
        """Whether a value is a symbol."""
        return isinstance(value, Symbol)

    def with_arrays(self, name: str, x: Any, y: Any) -> Any:
        """Apply an operator without attributes to two symbols."""
        return getattr(self, name)(x, y)

    def with_number(self, name: str, x: Any, number: Any) -> Any:
        """Apply an operator to a symbol and a number, its attribute ``scalar``."""
        return getattr(self, name)(x, scalar=float(number))

    def array_of(self, values: Any, dtype: str) -> Any:
        """Raise an error: symbols hold no numbers."""
        raise NotThereError(
            "a list of numbers among symbols; self.params.get_constant has its place"
        )

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        made = make_function(REGISTRY[name], name)
        setattr(self, name, made)
        return made


SYMBOLIC = SymbolOperators()
