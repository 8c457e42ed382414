"""Random numbers of parametrized distributions: the arithmetic of MXNet's samplers around their draws.

The parameters are arrays of one axis, with an element for each distribution; all distributions draw equally
many numbers. The precision of the parameters affects the numbers: arithmetic with parameters of 16 bits is
rounded to 16 bits after each operation.
"""

from math import prod
from typing import Any

import numpy as np

from gluonic.graph.attributes import Shape
from gluonic.graph.draws_of_a_run import F32, F64, gamma_table
from gluonic.graph.operator import Array
from gluonic.graph.random_source import Draws

F16 = np.dtype(np.float16)


def drawn_as(dtype: Any) -> Any:
    """The dtype in which MXNet draws numbers of a dtype: float16 has no draws of its own."""
    return F32 if dtype == F32 else F64


def uniform(random: Draws, shape: Shape, dtype: Any, low: Array, high: Array) -> Array:
    """Numbers uniform between `low` and `high`."""
    return _moved("uniform", random, shape, dtype, low, high - low)


def normal(random: Draws, shape: Shape, dtype: Any, mean: Array, deviation: Array) -> Array:
    """Normally distributed numbers."""
    return _moved("normal", random, shape, dtype, mean, deviation)


def _moved(
    name: str, random: Draws, shape: Shape, dtype: Any, offset: Array, scale: Array
) -> Array:
    """Standard numbers, times `scale`, plus `offset`."""
    kind, own = drawn_as(dtype), offset.dtype
    if len(offset) == 1 and (own == F32 or (own == F64 and kind == F64)):
        drawn = random.draw(name, shape, kind, offset[0].astype(F64), scale[0].astype(F64))
        return as_float(drawn, dtype)
    drawn = _rows(random.draw(name, shape, kind, 0.0, 1.0), offset)
    offset, scale = offset[:, None], scale[:, None]
    if own == F16:
        found: Array = offset + (drawn.astype(F32) * scale.astype(F32)).astype(F16)
    else:
        wide = np.promote_types(kind, own) if own.kind == "f" else kind
        found = as_float(offset.astype(wide) + scale.astype(wide) * drawn, dtype)
    return found.reshape(shape)


def as_float(drawn: Array, dtype: Any) -> Array:
    """Numbers drawn in float64; rounded to float32 first if they become float16, as in MXNet."""
    return drawn.astype(F32) if dtype == F16 else drawn


def _rows(drawn: Array, parameter: Array) -> Array:
    """The drawn numbers, a row for each distribution."""
    return drawn.reshape(len(parameter), drawn.size // max(len(parameter), 1))


def _share(shape: Shape, parameter: Array) -> int:
    """The number of draws of each distribution."""
    return max(prod(shape) // max(len(parameter), 1), 1)


def exponential(random: Draws, shape: Shape, dtype: Any, rate: Array) -> Array:
    """Exponentially distributed numbers."""
    kind = drawn_as(dtype)
    if rate.dtype != F16:
        drawn = random.draw("exponential", shape, kind, rate.astype(F64), _share(shape, rate))
        return as_float(drawn, dtype)
    drawn = random.draw("exponential", shape, kind, np.ones(1), max(prod(shape), 1))
    found: Array = _rows(drawn, rate).astype(F32) / rate[:, None].astype(F32)
    return found.astype(F16).reshape(shape)


def gamma(random: Draws, shape: Shape, dtype: Any, alpha: Array, beta: Array) -> Array:
    """Gamma distributed numbers of shape `alpha` and scale `beta`."""
    kind = F64 if dtype == F64 else F32
    table = gamma_table(alpha, beta, kind)
    return random.draw("gamma", shape, kind, table, _share(shape, alpha), _precision(alpha))


def _precision(parameter: Array) -> Any:
    """The dtype of products with a parameter."""
    return parameter.dtype if parameter.dtype.kind == "f" else F32


def poisson(random: Draws, shape: Shape, dtype: Any, mean: Array) -> Array:
    """Poisson distributed numbers."""
    return random.draw("poisson", shape, F32, mean.astype(F32), _share(shape, mean))


def negative_binomial(random: Draws, shape: Shape, dtype: Any, k: Array, p: Array) -> Array:
    """Poisson distributed numbers whose means are gamma distributed."""
    kind = _precision(k)
    p = p.astype(F32).astype(F64)
    scale = ((1.0 - p) / p).astype(F32)
    table = gamma_table(k.astype(F32).astype(kind), scale.astype(kind), F32)
    return random.draw("mixed", shape, F32, table, _share(shape, k), kind)


def generalized_negative_binomial(
    random: Draws, shape: Shape, dtype: Any, mean: Array, alpha: Array
) -> Array:
    """Likewise, with a given mean; where `alpha` is zero, Poisson distributed numbers."""
    with np.errstate(divide="ignore"):
        table = gamma_table(1 / alpha, alpha * mean, F32)
    mixed = alpha != 0
    table[~mixed] = 0
    table[~mixed, 3] = mean[~mixed].astype(F32)
    return random.draw("mixed", shape, F32, table, _share(shape, mean), _precision(mean))
