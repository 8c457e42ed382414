"""The trust ratio of optimizers whose steps are relative to the norms of whole layers."""

import numpy as np

from gluonic.graph.operator import Array


def norm(array: Array) -> float:
    """The Euclidean norm of all elements; of float16, it is computed in float32."""
    wide = array.astype(np.float32) if array.dtype == np.float16 else array
    return float(np.linalg.norm(wide))


def trust_ratio(weight: float, direction: float, lower: float | None, upper: float | None) -> float:
    """The norm of a weight divided by that of its update's direction; 1 where either norm is 0.

    Parameters
    ----------
    weight, direction : the norms of both
    lower, upper : bounds on the norm of the weight; None for none
    """
    if lower is not None:
        weight = max(weight, lower)
    if upper is not None:
        weight = min(weight, upper)
    return weight / direction if weight and direction else 1.0
