"""The operators that functions of `mx.np` call on arrays."""

from collections.abc import Callable
from typing import Any

from gluonic.graph import REGISTRY
from gluonic.ndarray.arithmetic import on_arrays, on_scalar
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.context import CPU, Context, current_context
from gluonic.ndarray.functions import make_function
from gluonic.ndarray.numpy.creation import array
from gluonic.ndarray.numpy_class import numpy_array
from gluonic.ndarray.placing import memory_is_shared


class ArrayOperators:
    """``F.operator(arrays…, attribute=value, out=None)``, whose results are arrays of `mx.np`."""

    is_symbolic = False

    @property
    def kind(self) -> type:
        """The class of results."""
        found: type = numpy_array()
        return found

    @property
    def context(self) -> Context | None:
        """The current context; None for the CPU, where operators make arrays by default."""
        context = current_context()
        return None if context is CPU else context

    def is_array(self, value: Any) -> bool:
        """Whether a value is an array, of `mx.np` or of `mx.nd`."""
        return isinstance(value, NDArray)

    with_arrays = staticmethod(on_arrays)
    """Apply an operator without attributes to two arrays."""

    def with_number(self, name: str, x: Any, number: Any) -> Any:
        """Apply an operator to an array and a number, its attribute ``scalar``."""
        return on_scalar(name, x, number)

    def array_of(self, values: Any, dtype: str) -> Any:
        """An array of numbers."""
        return array(values, dtype)

    def memory_is_shared(self, a: Any, b: Any) -> bool:
        """Whether two arrays share memory."""
        return memory_is_shared(a, b)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        made = make_function(REGISTRY[name], name)
        setattr(self, name, made)
        return made


EAGER = ArrayOperators()
