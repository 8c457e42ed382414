"""Python's operators on NDArrays, Symbols and graph entries: one table, three readers."""

import numbers
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

import numpy as np

# Python method: (on arrays of one shape, broadcasting, array with number, number with array)
OPERATORS: dict[str, tuple[str, str, str, str]] = {
    "add": ("elemwise_add", "broadcast_add", "_plus_scalar", "_plus_scalar"),
    "sub": ("elemwise_sub", "broadcast_sub", "_minus_scalar", "_rminus_scalar"),
    "mul": ("elemwise_mul", "broadcast_mul", "_mul_scalar", "_mul_scalar"),
    "truediv": ("elemwise_div", "broadcast_div", "_div_scalar", "_rdiv_scalar"),
    "mod": ("_mod", "broadcast_mod", "_mod_scalar", "_rmod_scalar"),
    "pow": ("_power", "broadcast_power", "_power_scalar", "_rpower_scalar"),
    "eq": ("_equal", "broadcast_equal", "_equal_scalar", "_equal_scalar"),
    "ne": ("_not_equal", "broadcast_not_equal", "_not_equal_scalar", "_not_equal_scalar"),
    "gt": ("_greater", "broadcast_greater", "_greater_scalar", "_lesser_scalar"),
    "ge": ("_greater_equal", "broadcast_greater_equal", "_greater_equal_scalar", "_lesser_equal_scalar"),
    "lt": ("_lesser", "broadcast_lesser", "_lesser_scalar", "_greater_scalar"),
    "le": ("_lesser_equal", "broadcast_lesser_equal", "_lesser_equal_scalar", "_greater_equal_scalar"),
}  # fmt: skip
_COMPARISONS = {"eq", "ne", "gt", "ge", "lt", "le"}


class Arithmetic:
    """Python's arithmetic and comparison operators, by means of the two methods below."""

    __slots__ = ()

    def _with_scalar(self, op: str, scalar: float) -> Self:
        """Apply the operator `op` with a number."""
        raise NotImplementedError

    def _with_other(self, same_shape: str, broadcasting: str, other: Any, reverse: bool) -> Self:
        """Apply the operator with another object of this kind, on the right or (`reverse`) on the left."""
        raise NotImplementedError

    def __neg__(self) -> Self:
        return self._with_scalar("_mul_scalar", -1.0)

    def __pos__(self) -> Self:
        return self

    if TYPE_CHECKING:  # made below from the table

        def __add__(self, other: Any) -> Self: ...
        def __radd__(self, other: Any) -> Self: ...
        def __sub__(self, other: Any) -> Self: ...
        def __rsub__(self, other: Any) -> Self: ...
        def __mul__(self, other: Any) -> Self: ...
        def __rmul__(self, other: Any) -> Self: ...
        def __truediv__(self, other: Any) -> Self: ...
        def __rtruediv__(self, other: Any) -> Self: ...
        def __mod__(self, other: Any) -> Self: ...
        def __rmod__(self, other: Any) -> Self: ...
        def __pow__(self, other: Any) -> Self: ...
        def __rpow__(self, other: Any) -> Self: ...
        def __gt__(self, other: Any) -> Self: ...
        def __ge__(self, other: Any) -> Self: ...
        def __lt__(self, other: Any) -> Self: ...
        def __le__(self, other: Any) -> Self: ...


def is_number(value: Any) -> bool:
    """Whether a value counts as a scalar operand."""
    return isinstance(value, (int, float, numbers.Real, np.number, np.bool_))


def _method(name: str, *, reverse: bool = False) -> Callable[[Any, Any], Any]:
    same_shape, broadcasting, forward_scalar, reverse_scalar = OPERATORS[name]
    scalar = reverse_scalar if reverse else forward_scalar

    def method(self: Any, other: Any) -> Any:
        if type(other) is not type(self) and is_number(other):
            return self._with_scalar(scalar, other)
        return self._with_other(same_shape, broadcasting, other, reverse)

    method.__name__ = f"__{'r' if reverse else ''}{name}__"
    return method


def _add_methods(kind: type) -> None:
    for name in OPERATORS:
        setattr(kind, f"__{name}__", _method(name))
        if name not in _COMPARISONS:
            setattr(kind, f"__r{name}__", _method(name, reverse=True))


_add_methods(Arithmetic)
Arithmetic.__hash__ = object.__hash__  # type: ignore[method-assign]
