"""Rules in machine code on arrays that were gathered for one update."""

from collections.abc import Callable, Sequence
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np

from gluonic.codegen import interpreting
from gluonic.codegen.maths.functions import NotLowered
from gluonic.codegen.updates import BoundUpdate, update_kernel
from gluonic.graph import Array

_DTYPES = (np.float32, np.float64)


def run_natively(
    rule: Callable[..., tuple[Any, ...]], numbers: SimpleNamespace, arrays: Sequence[Array]
) -> bool:
    """Run a rule in place, and say so; or do nothing, where there is no machine code.

    Parameters
    ----------
    rule, numbers : the rule, and the numbers it reads
    arrays : the weight, its gradient and its states, contiguous; all but the gradient are written to
    """
    weight = arrays[0]
    is_plain = isinstance(rule, FunctionType) and rule.__closure__ is None
    alike = all(x.shape == weight.shape and x.dtype == weight.dtype for x in arrays)
    if (
        not is_plain
        or not alike
        or weight.dtype not in _DTYPES
        or not weight.size
        or interpreting()
    ):
        return False
    given = vars(numbers)
    names = tuple(name for name, x in given.items() if x is not None)
    absent = tuple(name for name, x in given.items() if x is None)
    try:
        kernel = update_kernel(rule, weight.dtype, len(arrays), names, absent)
    except NotLowered:
        return False
    BoundUpdate(kernel, [arrays])([[given[name] for name in names]])
    return True
