"""The data of an operator made by `customop`: a function and its derivatives, with a name for graphs."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from gluonic.graph.errors import MXNetError, describe, nearest
from gluonic.minpy.template import Argnum
from gluonic.support.own_code import module_of

Gradient: TypeAlias = Callable[..., Callable[[Any], Any]]


class Definition:
    """A Python function as an operator.

    Parameters
    ----------
    function : the function
    kind : the arrays it computes with: ``"numpy"`` or ``"mxnet"``
    outputs : number of results in graphs; eagerly, it may return a tuple of any length

    Attributes
    ----------
    gradients : by argument (position or keyword), the function that makes its gradient, and, if this computes
        several gradients at once, their positions
    """

    def __init__(self, function: Callable[..., Any], kind: str, outputs: int) -> None:
        self.function, self.kind, self.outputs = function, kind, outputs
        self.gradients: dict[Argnum, tuple[Gradient, tuple[int, ...] | None]] = {}
        self.__name__: str = getattr(function, "__name__", "function")

    @property
    def title(self) -> str:
        """Its module and name."""
        name = getattr(self.function, "__qualname__", self.__name__)
        return f"{module_of(self.function)}.{name}".lstrip(".")

    def without_name(self, keywords: Mapping[str, Any]) -> dict[str, Any]:
        """Drop ``name=``, the name of the node in a graph, unless the function has such an argument."""
        code = getattr(self.function, "__code__", None)
        arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount] if code else ()
        return {k: v for k, v in keywords.items() if k != "name" or k in arguments}


by_key: dict[str, Definition] = {}


def enter(definition: Definition) -> str:
    """Register an operator under its name in graphs: module and name, numbered if taken."""
    key, number = definition.title, 1
    while by_key.setdefault(key, definition) is not definition:
        number += 1
        key = f"{definition.title}#{number}"
    return key


def find(key: str) -> Definition:
    """Return the operator of a name in graphs.

    Raises
    ------
    MXNetError
        if it has not been defined
    """
    found = by_key.get(key) or by_key.get(key.partition("#")[0])
    if found is None:
        raise MXNetError(
            describe(
                f"there is no operator {key!r}{nearest(key, by_key)}",
                where="customop",
                facts=[f"known: {', '.join(by_key) or 'none'}"],
                hint="import the module that defines it before the graph is loaded",
            )
        )
    return found
