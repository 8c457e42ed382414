"""A sample use of an operator, from which the registry-wide tests derive everything they check."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Sample:
    """Inputs and attributes of one use of an operator.

    Attributes
    ----------
    inputs : arrays in float64, away from kinks and poles, so that central differences are
        meaningful
    attributes : the operator's attributes
    differentiable : the inputs (by position) whose gradients are to be checked; None means all
        floating ones
    dtypes : the dtypes the operator is to be tried with, besides that of `inputs`
    train : whether to run in training mode
    orders : how many times it can be differentiated
    """

    inputs: Sequence[npt.NDArray[Any]]
    attributes: dict[str, Any] = field(default_factory=dict)
    differentiable: tuple[int, ...] | None = None
    dtypes: tuple[str, ...] = ("float32",)
    train: bool = False
    orders: int = 2


def uniform(*shape: int, low: float = -1.0, high: float = 1.0, seed: int = 0) -> npt.NDArray[Any]:
    """Reproducible random numbers in float64."""
    return np.random.Generator(np.random.Philox(seed)).uniform(low, high, shape)
