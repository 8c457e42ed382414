"""Errors of NumPy's functions called on Symbols, with the function to call instead.

NumPy would treat a Symbol as a sequence, since its outputs can be iterated, and create an array of arrays.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gluonic.graph import REGISTRY
from gluonic.graph.errors import describe
from gluonic.symbol.unsupported import NotImplementedForSymbol

# Python's operators by the ufunc that NumPy's numbers call: ``np.float32(2) * symbol`` is np.multiply's.
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "true_divide": operator.truediv, "remainder": operator.mod, "power": operator.pow,
    "equal": operator.eq, "not_equal": operator.ne, "greater": operator.gt,
    "greater_equal": operator.ge, "less": operator.lt, "less_equal": operator.le,
}  # fmt: skip

# NumPy's functions whose operators have other names, apart from a prefix `broadcast_`.
_NAMES = {
    "absolute": "abs", "subtract": "broadcast_sub", "multiply": "broadcast_mul", "amax": "max", "amin": "min",
    "divide": "broadcast_div", "true_divide": "broadcast_div", "remainder": "broadcast_mod",
    "less": "broadcast_lesser", "less_equal": "broadcast_lesser_equal", "matmul": "linalg.gemm2",
    "concatenate": "concat", "hstack": "concat", "vstack": "concat", "dstack": "concat",
    "array_split": "split_v2", "hsplit": "split_v2", "vsplit": "split_v2", "ravel": "flatten",
    "copy": "identity", "take_along_axis": "pick", "std": "moments", "var": "moments",
    "isnan": "contrib.isnan", "isinf": "contrib.isinf", "isfinite": "contrib.isfinite",
}  # fmt: skip


class NumPyCallError(NotImplementedForSymbol, TypeError):
    """A function of NumPy's was called on a Symbol.

    Parameters
    ----------
    name : the function's name
    """

    def __init__(self, name: str) -> None:
        self.what = name
        found = _operator_like(name)
        meant = f"F.{found} does" if found else "it stands for a computation and holds no values"
        hint = (
            f"mx.sym.{found} outside of hybrid_forward"
            if found
            else "the operators of F, or mx.sym"
        )
        super(NotImplementedForSymbol, self).__init__(
            describe(f"np.{name} takes no Symbol; {meant}", hint=hint)
        )


def _operator_like(name: str) -> str:
    """The name in `F` of the operator that corresponds to NumPy's function; empty if there is none."""
    if name in _NAMES:
        return _NAMES[name]
    return next((n for n in (name, f"broadcast_{name}") if n in REGISTRY), "")


class NumPyCalls:
    """NumPy's protocols for calling its functions on a Symbol."""

    __slots__ = ()

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **settings: Any) -> Any:
        """Allow arithmetic of NumPy's numbers with a Symbol; raise an error for everything else."""
        combine = _OPERATORS.get(ufunc.__name__)
        if combine is None or method != "__call__" or settings:
            raise NumPyCallError(ufunc.__name__)
        left, right = inputs
        if isinstance(left, np.ndarray) and left.ndim:
            return combine(right, left)  # which raises the error for arrays
        return combine(left.item() if isinstance(left, (np.generic, np.ndarray)) else left, right)

    def __array_function__(
        self,
        function: Callable[..., Any],
        kinds: Sequence[type],
        inputs: Sequence[Any],
        settings: Mapping[str, Any],
    ) -> Any:
        """Call the method of that name like NumPy, ``np.sum(x, axis=1)``; otherwise raise an error."""
        name = function.__name__
        if inputs and isinstance(inputs[0], type(self)) and hasattr(type(self), name):
            return getattr(inputs[0], name)(*inputs[1:], **settings)
        raise NumPyCallError(name)

    def __array__(self, *settings: Any, **named: Any) -> Any:
        """Raise an error: a Symbol is not an array."""
        raise NumPyCallError("array")
