"""Update rules on arrays of a device: the rule read with operators as its functions."""

import math
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from gluonic.ndarray import arithmetic
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.copying import assign_array
from gluonic.ndarray.invoke import EAGER
from gluonic.ndarray.state import Flags


class _Functions:
    """``m`` of update rules, whose elements are arrays and whose numbers are Python's."""

    abs = staticmethod(EAGER.abs)
    sign = staticmethod(EAGER.sign)
    maximum = staticmethod(arithmetic.functions["maximum"])
    minimum = staticmethod(arithmetic.functions["minimum"])

    @staticmethod
    def sqrt(x: Any) -> Any:
        return EAGER.sqrt(x) if isinstance(x, NDArray) else math.sqrt(x)

    @staticmethod
    def times(number: float, x: NDArray) -> NDArray:
        return x * number

    @staticmethod
    def where(condition: NDArray, x: NDArray, y: NDArray) -> Any:
        return EAGER.where(condition, x, y)

    @staticmethod
    def mean(x: NDArray, **axes: Any) -> Any:
        return EAGER.mean(x, **axes)


def run_rule(
    rule: Callable[..., tuple[Any, ...]],
    numbers: SimpleNamespace,
    weight: NDArray,
    grad: NDArray,
    states: Sequence[NDArray],
) -> None:
    """Run a rule and write the new weight and states in place; float16 is computed in float32."""
    with Flags(False, None):
        arrays = [x.detach().as_nd_ndarray() for x in (weight, grad, *states)]
        if arrays[0].dtype == np.float16:
            arrays = [x.astype(np.float32) for x in arrays]
        results = rule(_Functions, numbers, *arrays)
        for target, value in zip((weight, *states)[::-1], results[::-1], strict=True):
            assign_array(target, value)  # the weight last: a state may be its old value
