"""Transformations of random numbers, and those that map all numbers onto a set."""

import weakref
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from gluonic.graph.arithmetic import is_number
from gluonic.graph.errors import NotThereError, describe
from gluonic.mxnet2 import numpy as np
from gluonic.mxnet2 import numpy_extension as npx
from gluonic.mxnet2.gluon.hybrid import HybridBlockOfTwo as HybridBlock
from gluonic.mxnet2.gluon.probability.constraint import (
    Constraint,
    GreaterThan,
    GreaterThanEq,
    HalfOpenInterval,
    Interval,
    LessThan,
    LessThanEq,
    OpenInterval,
    Positive,
    UnitInterval,
)
from gluonic.mxnet2.gluon.probability.special import clipped, prob2logit, softplus, sum_right_most

__all__ = [
    "AbsTransform", "AffineTransform", "ComposeTransform", "ExpTransform", "PowerTransform", "SigmoidTransform",
    "SoftmaxTransform", "TransformBlock", "Transformation", "biject_to", "domain_map", "transform_to",
]  # fmt: skip


class Transformation:
    """A function of arrays, with an inverse and the determinant of its Jacobian.

    Attributes
    ----------
    bijective : whether there is just one argument for each value
    event_dim : how many of the last axes it combines
    """

    bijective: ClassVar[bool] = False
    event_dim: Any = 0
    _inverse: "weakref.ref[Transformation] | None" = None

    @property
    def sign(self) -> Any:
        """The sign of the determinant of the Jacobian."""
        raise self._lacks("the sign of its Jacobian")

    @property
    def inv(self) -> "Transformation":
        """The inverse."""
        made = None if self._inverse is None else self._inverse()
        if made is None:
            made = self._make_inverse()
            self._inverse = weakref.ref(made)
        return made

    def _make_inverse(self) -> "Transformation":
        return InverseTransformation(self)

    def __call__(self, x: Any) -> Any:
        """Transform an array."""
        return self._forward_compute(x)

    def inverted(self, y: Any) -> Any:
        """Return the argument of a value."""
        return self._inverse_compute(y)

    def _forward_compute(self, x: Any) -> Any:
        raise self._lacks("_forward_compute")

    def _inverse_compute(self, y: Any) -> Any:
        raise self._lacks("_inverse_compute")

    def log_det_jacobian(self, x: Any, y: Any) -> Any:
        """Return the logarithm of the determinant of the Jacobian, at an argument and its value."""
        raise self._lacks("log_det_jacobian")

    def _lacks(self, what: str) -> NotThereError:
        return NotThereError(describe(f"{what} is not known", where=type(self).__name__))


class InverseTransformation(Transformation):
    """The inverse of a transformation.

    Parameters
    ----------
    forward : the transformation
    """

    def __init__(self, forward: Transformation) -> None:
        self._forward = forward

    @property
    def inv(self) -> Transformation:
        """The transformation itself."""
        return self._forward

    @property
    def sign(self) -> Any:
        """The sign of the determinant of the Jacobian."""
        return self._forward.sign

    @property
    def event_dim(self) -> Any:
        """How many of the last axes it combines."""
        return self._forward.event_dim

    def _forward_compute(self, x: Any) -> Any:
        return self._forward.inverted(x)

    def _inverse_compute(self, y: Any) -> Any:
        return self._forward(y)

    def log_det_jacobian(self, x: Any, y: Any) -> Any:
        """Return the logarithm of the determinant of the Jacobian."""
        return -self._forward.log_det_jacobian(y, x)


class TransformBlock(Transformation, HybridBlock):
    """A transformation with parameters that are learned: a block."""


class ComposeTransform(Transformation):
    """Transformations one after the other.

    Parameters
    ----------
    parts : the transformations
    """

    def __init__(self, parts: Sequence[Transformation]) -> None:
        self._parts = list(parts)

    def _make_inverse(self) -> Transformation:
        made = ComposeTransform([part.inv for part in reversed(self._parts)])
        made._inverse = weakref.ref(self)
        return made

    def _forward_compute(self, x: Any) -> Any:
        for part in self._parts:
            x = part(x)
        return x

    def _inverse_compute(self, y: Any) -> Any:
        for part in reversed(self._parts):
            y = part.inverted(y)
        return y

    @property
    def sign(self) -> Any:
        """The sign of the determinant of the Jacobian."""
        product: Any = 1
        for part in self._parts:
            product = product * part.sign
        return product

    @property
    def event_dim(self) -> Any:
        """How many of the last axes it combines."""
        return max((part.event_dim for part in self._parts), default=0)

    def log_det_jacobian(self, x: Any, y: Any) -> Any:
        """Return the sum of those of the parts."""
        total: Any = np.zeros_like(x)
        for part in self._parts:
            value = part(x)
            part_of_it = part.log_det_jacobian(x, value)
            total = total + sum_right_most(part_of_it, self.event_dim - part.event_dim)
            x = value
        return total


class ExpTransform(Transformation):
    """The exponential."""

    bijective = True
    sign = 1

    def _forward_compute(self, x: Any) -> Any:
        return np.exp(x)

    def _inverse_compute(self, y: Any) -> Any:
        return np.log(y)

    def log_det_jacobian(self, x: Any, y: Any) -> Any:
        """Return `x`."""
        return x


class AffineTransform(Transformation):
    """``loc + scale * x``.

    Parameters
    ----------
    loc, scale : numbers or arrays
    event_dim : how many of the last axes are one event
    """

    bijective = True

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0) -> None:
        self._loc, self._scale, self.event_dim = loc, scale, event_dim

    @property
    def sign(self) -> Any:
        """The sign of `scale`."""
        return np.sign(self._scale)

    def _forward_compute(self, x: Any) -> Any:
        return self._loc + self._scale * x

    def _inverse_compute(self, y: Any) -> Any:
        return (y - self._loc) / self._scale

    def log_det_jacobian(self, x: Any, y: Any) -> Any:
        """Return the logarithm of the size of `scale`."""
        value = np.ones_like(x) * np.log(np.abs(self._scale))
        return sum_right_most(value, self.event_dim)


class PowerTransform(Transformation):
    """A power of positive numbers.

    Parameters
    ----------
    exponent : a number or an array
    """

    bijective = True
    sign = 1

    def __init__(self, exponent: Any) -> None:
        self._exponent = exponent

    def _forward_compute(self, x: Any) -> Any:
        return np.power(x, self._exponent)

    def _inverse_compute(self, y: Any) -> Any:
        return np.power(y, 1 / self._exponent)

    def log_det_jacobian(self, x: Any, y: Any) -> Any:
        """Return the logarithm of the derivative."""
        return np.log(np.abs(self._exponent * y / x))


class SigmoidTransform(Transformation):
    """The sigmoid, whose values are between 0 and 1."""

    bijective = True
    sign = 1

    def _forward_compute(self, x: Any) -> Any:
        return clipped(npx.sigmoid(x))

    def _inverse_compute(self, y: Any) -> Any:
        return prob2logit(y)

    def log_det_jacobian(self, x: Any, y: Any) -> Any:
        """Return the logarithm of the derivative."""
        return -softplus(-x) - softplus(x)


class SoftmaxTransform(Transformation):
    """The softmax along the last axis."""

    event_dim = 1

    def _forward_compute(self, x: Any) -> Any:
        return npx.softmax(x, axis=-1)

    def _inverse_compute(self, y: Any) -> Any:
        return np.log(y)


class AbsTransform(Transformation):
    """The absolute value; its inverse is the positive one of the two arguments."""

    def _forward_compute(self, x: Any) -> Any:
        return np.abs(x)

    def _inverse_compute(self, y: Any) -> Any:
        return y


Factory = Callable[[Any], Transformation]


class domain_map:
    """The transformations of all numbers onto sets."""

    def __init__(self) -> None:
        self._factories: dict[type[Constraint], Factory] = {}

    def register(self, constraint: Any, factory: Factory | None = None) -> Any:
        """Enter the function that makes the transformation onto a set.

        Parameters
        ----------
        constraint : the set, or its class
        factory : makes a transformation for a constraint; without it, this is a decorator
        """
        if factory is None:
            return lambda made: self.register(constraint, made)
        kind = type(constraint) if isinstance(constraint, Constraint) else constraint
        if not (isinstance(kind, type) and issubclass(kind, Constraint)):
            raise TypeError(
                f"domain_map.register: {constraint!r} is neither a constraint nor its class"
            )
        self._factories[kind] = factory
        return factory

    def __call__(self, constraint: Constraint) -> Transformation:
        """Return the transformation onto a set.

        Raises
        ------
        NotImplementedError
            if none is registered for its class
        """
        factory = self._factories.get(type(constraint))
        if factory is None:
            raise NotThereError(
                describe(
                    f"no transformation onto {type(constraint).__name__} is registered",
                    where="domain_map",
                    hint="biject_to.register(constraint, factory)",
                )
            )
        return factory(constraint)


biject_to = domain_map()
transform_to = domain_map()


def _onto_interval(constraint: Any) -> Transformation:
    low, high = constraint.bounds
    if is_number(low) and is_number(high) and (low, high) == (0, 1):
        return SigmoidTransform()
    return ComposeTransform([SigmoidTransform(), AffineTransform(low, high - low)])


def _above(constraint: Any) -> Transformation:
    return ComposeTransform([ExpTransform(), AffineTransform(constraint.bounds[0], 1)])


def _below(constraint: Any) -> Transformation:
    return ComposeTransform([ExpTransform(), AffineTransform(constraint.bounds[1], -1)])


_ONTO: list[tuple[Factory, tuple[Any, ...]]] = [
    (lambda constraint: ExpTransform(), (Positive,)),
    (_above, (GreaterThan, GreaterThanEq)),
    (_below, (LessThan, LessThanEq)),
    (_onto_interval, (Interval, HalfOpenInterval, OpenInterval, UnitInterval)),
]
for _factory, _kinds in _ONTO:
    for _kind in _kinds:
        biject_to.register(_kind, _factory)
        transform_to.register(_kind, _factory)
