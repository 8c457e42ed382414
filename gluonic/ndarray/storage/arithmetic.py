"""`nd.sparse.add` and the like: element by element for arrays of one shape, with broadcasting for others."""

from collections.abc import Callable
from typing import Any

from gluonic.graph.arithmetic import OPERATORS, is_number
from gluonic.ndarray import arithmetic
from gluonic.ndarray.arithmetic import on_arrays, on_scalar
from gluonic.ndarray.array import NDArray

_ROWS = {
    "add": ("elemwise_add", "add", "the sum"),
    "sub": ("elemwise_sub", "subtract", "the difference"),
    "mul": ("elemwise_mul", "multiply", "the product"),
    "truediv": ("elemwise_div", "divide", "the quotient"),
}


def _function(name: str, elementwise: str, public: str, words: str) -> Callable[[Any, Any], Any]:
    _, broadcasting, scalar, _ = OPERATORS[name]

    def apply(lhs: Any, rhs: Any) -> Any:
        if isinstance(lhs, NDArray) and isinstance(rhs, NDArray):
            chosen = elementwise if lhs.shape == rhs.shape else broadcasting
            return on_arrays(chosen, lhs, rhs)
        if isinstance(lhs, NDArray) and is_number(rhs):
            return on_scalar(scalar, lhs, rhs)
        return getattr(arithmetic, public)(lhs, rhs)

    apply.__name__ = apply.__qualname__ = public
    apply.__doc__ = (
        f"Return {words} of two arrays of any storage type, broadcast together, or of an array and a "
        "number.\n\nParameters\n----------\nlhs, rhs : NDArrays of one dtype, or numbers\n\n"
        "Returns\n-------\nNDArray\n    sparse if the operator is zero where both operands are\n"
    )
    return apply


_MADE = {name: _function(name, *row) for name, row in _ROWS.items()}
functions = {row[1]: _MADE[name] for name, row in _ROWS.items()}
FUNCTIONS = {name: _MADE[name] for name in ("add", "sub", "mul")}
"""Those that are Python's operators of sparse arrays; a quotient broadcasts always, as MXNet's."""
