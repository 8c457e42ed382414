"""The trust ratio of optimizers whose steps are relative to the norms of whole layers."""

from typing import Any

import numpy as np

from gluonic.graph.dtypes import is_half_width
from gluonic.graph.operator import Array


def norm(array: Array) -> float:
    """The Euclidean norm of all elements; of 16 bits, it is computed in float32."""
    wide = array.astype(np.float32) if is_half_width(array.dtype) else array
    return float(np.linalg.norm(wide))


def trust_ratio(
    m: Any, weight: Any, direction: Any, lower: float | None, upper: float | None
) -> Any:
    """The norm of a weight divided by that of its update's direction; 1 where either norm is 0.

    Parameters
    ----------
    m : what computes: `scalar_math.M`, or the recorder of a program
    weight, direction : the norms of both
    lower, upper : bounds on the norm of the weight; None for none
    """
    if lower is not None:
        weight = m.maximum(weight, lower)
    if upper is not None:
        weight = m.minimum(weight, upper)
    usual = m.not_equal(weight, 0) & m.not_equal(direction, 0)
    return m.where(usual, weight / m.where(usual, direction, 1.0), 1.0)
