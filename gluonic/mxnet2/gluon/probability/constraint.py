"""Constraints: sets of numbers that parameters and values of distributions must be in."""

from collections.abc import Callable
from typing import Any

from gluonic.mxnet2 import numpy as np
from gluonic.mxnet2.gluon.probability.special import constraint_check

__all__ = [
    "Boolean", "Cat", "Constraint", "GreaterThan", "GreaterThanEq", "HalfOpenInterval", "IntegerGreaterThan",
    "IntegerGreaterThanEq", "IntegerHalfOpenInterval", "IntegerInterval", "IntegerLessThan",
    "IntegerLessThanEq",
    "IntegerOpenInterval", "Interval", "LessThan", "LessThanEq", "LowerCholesky", "LowerTriangular",
    "NonNegative", "NonNegativeInteger", "OpenInterval", "Positive", "PositiveDefinite", "PositiveInteger",
    "Real",
    "Simplex", "Stack", "UnitInterval", "dependent_property", "is_dependent",
]  # fmt: skip


class Constraint:
    """A set of numbers."""

    def check(self, value: Any) -> Any:
        """Return a value that is in the set.

        Raises
        ------
        ValueError
            if it, or one of its elements, is not
        """
        message = f"Constraint violated: {value} should be {self.described()}"
        return constraint_check()(self.holds(value), message) * value

    def holds(self, value: Any) -> Any:
        """Whether a value is in the set: a truth value, or an array of them."""
        raise NotImplementedError

    def described(self) -> str:
        """What values must be, in words."""
        return type(self).__name__


class Dependent(Constraint):
    """A set that depends on the parameters of a distribution."""

    def check(self, value: Any) -> Any:
        """Raise: ask a distribution for its `support`."""
        raise ValueError("Cannot validate dependent constraint: it is one of a distribution's")


class DependentProperty(property, Dependent):
    """A property of distributions that is a `Dependent` of their class."""


dependent_property = DependentProperty


def is_dependent(constraint: Any) -> bool:
    """Whether a set depends on the parameters of a distribution."""
    return isinstance(constraint, Dependent)


class Real(Constraint):
    """All numbers, but NaN."""

    def holds(self, value: Any) -> Any:
        """Whether elements are numbers."""
        return value == value


class Boolean(Constraint):
    """0 and 1."""

    def holds(self, value: Any) -> Any:
        """Whether elements are 0 or 1."""
        return (value == 0) | (value == 1)


_BELOW: dict[str, Callable[[Any, Any], Any]] = {
    ">=": lambda value, bound: value >= bound,
    ">": lambda value, bound: value > bound,
    "<=": lambda value, bound: value <= bound,
    "<": lambda value, bound: value < bound,
}


class Bounded(Constraint):
    """Numbers between bounds, or above or below one; perhaps only the integers among them."""

    lower: str = ""
    upper: str = ""
    whole = False

    def __init__(self, *bounds: Any) -> None:
        given = iter(bounds)
        self._lower_bound = next(given) if self.lower else None
        self._upper_bound = next(given) if self.upper else None

    @property
    def bounds(self) -> tuple[Any, Any]:
        """The lower and the upper bound; None where there is none."""
        return self._lower_bound, self._upper_bound

    def holds(self, value: Any) -> Any:
        """Whether elements are between the bounds, and integers if they must be."""
        sides = ((self.lower, self._lower_bound), (self.upper, self._upper_bound))
        conditions = [_BELOW[sign](value, bound) for sign, bound in sides if sign]
        if self.whole:
            conditions.append(value % 1 == 0)
        result = conditions[0]
        for condition in conditions[1:]:
            result = result & condition
        return result

    def described(self) -> str:
        """The bounds."""
        sides = ((self.lower, self._lower_bound), (self.upper, self._upper_bound))
        bounds = " and ".join(f"{sign} {bound}" for sign, bound in sides if sign)
        return f"{'an integer ' if self.whole else ''}{bounds}"


def _bounded(name: str, lower: str, upper: str, *, whole: bool = False) -> Any:
    kind = "Integers" if whole else "Numbers"
    sides = " and ".join(
        f"{sign} {which} bound" for sign, which in ((lower, "a lower"), (upper, "an upper")) if sign
    )
    members = {"lower": lower, "upper": upper, "whole": whole, "__doc__": f"{kind} {sides}."}
    return type(name, (Bounded,), {**members, "__module__": __name__})


Interval = _bounded("Interval", ">=", "<=")
OpenInterval = _bounded("OpenInterval", ">", "<")
HalfOpenInterval = _bounded("HalfOpenInterval", ">=", "<")
IntegerInterval = _bounded("IntegerInterval", ">=", "<=", whole=True)
IntegerOpenInterval = _bounded("IntegerOpenInterval", ">", "<", whole=True)
IntegerHalfOpenInterval = _bounded("IntegerHalfOpenInterval", ">=", "<", whole=True)
GreaterThan = _bounded("GreaterThan", ">", "")
GreaterThanEq = _bounded("GreaterThanEq", ">=", "")
LessThan = _bounded("LessThan", "", "<")
LessThanEq = _bounded("LessThanEq", "", "<=")
IntegerGreaterThan = _bounded("IntegerGreaterThan", ">", "", whole=True)
IntegerGreaterThanEq = _bounded("IntegerGreaterThanEq", ">=", "", whole=True)
IntegerLessThan = _bounded("IntegerLessThan", "", "<", whole=True)
IntegerLessThanEq = _bounded("IntegerLessThanEq", "", "<=", whole=True)


def _with_bounds(name: str, kind: Any, *bounds: float) -> Any:
    """The class of a set whose bounds are fixed."""

    def __init__(self: Any) -> None:
        kind.__init__(self, *bounds)

    members = {"__init__": __init__, "__doc__": f"`{kind.__name__}` of {bounds}."}
    return type(name, (kind,), {**members, "__module__": __name__})


UnitInterval = _with_bounds("UnitInterval", Interval, 0, 1)
Positive = _with_bounds("Positive", GreaterThan, 0)
NonNegative = _with_bounds("NonNegative", GreaterThanEq, 0)
PositiveInteger = _with_bounds("PositiveInteger", IntegerGreaterThan, 0)
NonNegativeInteger = _with_bounds("NonNegativeInteger", IntegerGreaterThanEq, 0)


class Simplex(Constraint):
    """Numbers along the last axis that are not negative and sum to 1."""

    def holds(self, value: Any) -> Any:
        """Whether the sums along the last axis are 1."""
        near = np.abs(np.sum(value, axis=-1, keepdims=True) - 1) < 1e-6
        return np.all(value >= 0, axis=-1, keepdims=True) & near


class LowerTriangular(Constraint):
    """Matrices of the last two axes whose elements above the main diagonal are 0."""

    def holds(self, value: Any) -> Any:
        """Whether there are zeros above the main diagonal."""
        return np.tril(value) == value


class LowerCholesky(Constraint):
    """Matrices that are `LowerTriangular`, with positive elements on the main diagonal."""

    def holds(self, value: Any) -> Any:
        """Whether it is a factor of a positive definite matrix."""
        rows = np.all(np.tril(value) == value, axis=-1)
        return np.expand_dims(rows & (np.diagonal(value, axis1=-2, axis2=-1) > 0), -1)


class PositiveDefinite(Constraint):
    """Symmetric matrices of the last two axes with positive eigenvalues."""

    def holds(self, value: Any) -> Any:
        """Whether matrices are symmetric, and their eigenvalues positive."""
        transposed = np.swapaxes(value, -1, -2)
        symmetric = np.all(np.abs(value - transposed) < 1e-5, axis=-1)
        return np.expand_dims(symmetric & (np.linalg.eigvalsh(value) > 0), -1)


class Parts(Constraint):
    """A constraint for each part of an array.

    Parameters
    ----------
    constraint_seq : the constraints
    axis : the axis along which parts follow each other
    """

    def __init__(self, constraint_seq: Any, axis: int = 0) -> None:
        self._constraints, self._axis = list(constraint_seq), axis
        if not all(isinstance(one, Constraint) for one in self._constraints):
            raise TypeError(f"{type(self).__name__}: a list of constraints is needed")


class Cat(Parts):
    """A constraint for each slice of an array.

    Parameters
    ----------
    constraint_seq : the constraints
    axis : the axis along which the slices follow each other
    lengths : the lengths of the slices, 1 by default
    """

    def __init__(self, constraint_seq: Any, axis: int = 0, lengths: Any = None) -> None:
        super().__init__(constraint_seq, axis)
        self._lengths = [1] * len(self._constraints) if lengths is None else list(lengths)

    def check(self, value: Any) -> Any:
        """Return an array each of whose slices is in its set."""
        ends = [sum(self._lengths[: i + 1]) for i in range(len(self._lengths))]
        slices = np.split(value, ends[:-1], self._axis)
        checked = [c.check(part) for c, part in zip(self._constraints, slices, strict=True)]
        return np.concatenate(checked, self._axis)


class Stack(Parts):
    """A constraint for each element along an axis."""

    def check(self, value: Any) -> Any:
        """Return an array each of whose elements along the axis is in its set."""
        parts = np.split(value, value.shape[self._axis], self._axis)
        checked = [
            c.check(np.squeeze(part, self._axis))
            for c, part in zip(self._constraints, parts, strict=True)
        ]
        return np.stack(checked, self._axis)
