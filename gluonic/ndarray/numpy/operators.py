"""The operators that functions of `mx.np` call on arrays."""

from collections.abc import Callable
from typing import Any

from gluonic.graph import REGISTRY
from gluonic.graph.numpy_face import numpy_array
from gluonic.ndarray.functions import make_function


class ArrayOperators:
    """``F.operator(arrays…, attribute=value, out=None)``, whose results are arrays of `mx.np`."""

    is_symbolic = False

    @property
    def kind(self) -> type:
        """The class of results."""
        found: type = numpy_array()
        return found

    def is_array(self, value: Any) -> bool:
        """Whether a value is an array of `mx.np`."""
        return isinstance(value, numpy_array())

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        made = make_function(REGISTRY[name], name)
        setattr(self, name, made)
        return made


EAGER = ArrayOperators()
