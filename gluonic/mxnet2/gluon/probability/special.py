"""Functions of numbers and of arrays that distributions need."""

from collections.abc import Callable
from typing import Any

import numpy
import scipy.special

from gluonic.graph.arithmetic import is_number
from gluonic.mxnet2 import numpy as np
from gluonic.mxnet2 import numpy_extension as npx
from gluonic.support.cached_property import cached_property

__all__ = [
    "cached_property", "constraint_check", "digamma", "erf", "erfinv", "gammaln", "logit2prob", "prob2logit",
    "sample_n_shape_converter", "sum_right_most",
]  # fmt: skip

SMALLEST = float(numpy.finfo("float32").eps)
"""How close probabilities come to 0 and to 1."""


def of_number_or_array(number: Callable[..., Any], array: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is one of SciPy for a number, and an operator for an array."""

    def compute(value: Any) -> Any:
        return float(number(value)) if is_number(value) else array(value)

    return compute


log_gamma = of_number_or_array(scipy.special.gammaln, npx.gammaln)
psi = of_number_or_array(scipy.special.digamma, npx.digamma)
error_function = of_number_or_array(scipy.special.erf, npx.erf)
inverse_error_function = of_number_or_array(scipy.special.erfinv, npx.erfinv)


def gammaln() -> Callable[[Any], Any]:
    """Return the logarithm of the gamma function, of a number or an array."""
    return log_gamma


def digamma() -> Callable[[Any], Any]:
    """Return the derivative of `gammaln`, of a number or an array."""
    return psi


def erf() -> Callable[[Any], Any]:
    """Return the error function, of a number or an array."""
    return error_function


def erfinv() -> Callable[[Any], Any]:
    """Return the inverse of the error function, of a number or an array."""
    return inverse_error_function


def constraint_check() -> Callable[[Any, str], Any]:
    """Return the function that raises an error unless a condition holds, and else returns 1."""

    def check(condition: Any, err_msg: str) -> Any:
        if isinstance(condition, (bool, numpy.bool_)):
            if not condition:
                raise ValueError(err_msg)
            return 1.0
        return npx.constraint_check(condition, err_msg)

    return check


def clipped(probability: Any) -> Any:
    """Probabilities that are neither 0 nor 1."""
    if is_number(probability):
        return min(max(probability, SMALLEST), 1 - SMALLEST)
    return np.clip(probability, SMALLEST, 1 - SMALLEST)


def prob2logit(prob: Any, binary: bool = True) -> Any:
    """Return the logits of probabilities: ``log(p / (1 - p))``, or ``log(p)`` unless `binary`."""
    inside = clipped(prob)
    return np.log(inside) - np.log1p(-inside) if binary else np.log(inside)


def logit2prob(logit: Any, binary: bool = True) -> Any:
    """Return the probabilities of logits; unless `binary`, they sum to 1 along the last axis."""
    if is_number(logit):
        return float(scipy.special.expit(logit))
    return npx.sigmoid(logit) if binary else npx.softmax(logit, axis=-1)


def sum_right_most(x: Any, ndim: int) -> Any:
    """Return the sums over the last axes, as many as `ndim` says."""
    return x if ndim == 0 else np.sum(x, axis=tuple(range(-ndim, 0)))


def sample_n_shape_converter(size: Any) -> Any:
    """Return a shape of samples as one before the axes of the parameters, which -2 stands for."""
    if size is None or size == ():
        return None
    return (-2, size) if isinstance(size, int) else (-2, *size)


def softplus(x: Any) -> Any:
    """``log(1 + exp(x))``, without overflow."""
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def where(condition: Any, value: Any, otherwise: float) -> Any:
    """Numbers or elements where a condition holds, and another number elsewhere."""
    if isinstance(condition, (bool, numpy.bool_)):
        return value if condition else otherwise
    like = value if hasattr(value, "shape") and value.shape else np.zeros(condition.shape) + value
    return np.where(condition, like, np.full_like(like, otherwise))
