"""``nd.contrib``: operators outside the core, and loops."""

import math
from functools import partial
from typing import TYPE_CHECKING

from gluonic.graph import sampling
from gluonic.graph.namespaces import Functions
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.context import Context
from gluonic.ndarray.contrib_updates import (
    adamw_update,
    mp_adamw_update,
    multi_adamw_update,
    multi_lamb_update,
    multi_mp_adamw_update,
    multi_mp_lamb_update,
)
from gluonic.ndarray.control_flow import cond, foreach, while_loop
from gluonic.ndarray.functions import make_function
from gluonic.ndarray.random import functions as _samplers

_functions = Functions("contrib", globals(), make_function)
if TYPE_CHECKING:
    from gluonic.ndarray.typed.contrib import *
else:
    __getattr__ = _functions.find
__dir__ = _functions.names

if TYPE_CHECKING:  # at run time `__getattr__` makes it, with all operators
    __all__ = [
        "adamw_update",
        "cond",
        "foreach",
        "isfinite",
        "isinf",
        "isnan",
        "mp_adamw_update",
        "multi_adamw_update",
        "multi_lamb_update",
        "multi_mp_adamw_update",
        "multi_mp_lamb_update",
        "rand_zipfian",
        "while_loop",
    ]


def isinf(data: NDArray) -> NDArray:
    """Return 1 where an element is infinite and 0 elsewhere, in the dtype of `data`.

    Parameters
    ----------
    data : array of any shape and dtype
    """
    return data.abs() == math.inf  # type: ignore[no-any-return]


def isnan(data: NDArray) -> NDArray:
    """Return 1 where an element is not a number and 0 elsewhere, in the dtype of `data`.

    Parameters
    ----------
    data : array of any shape and dtype
    """
    return data != data  # type: ignore[no-any-return]


def isfinite(data: NDArray) -> NDArray:
    """Return 1 where an element is a finite number and 0 elsewhere, in the dtype of `data`.

    Parameters
    ----------
    data : array of any shape and dtype
    """
    return data.abs() < math.inf


def rand_zipfian(
    true_classes: NDArray, num_sampled: int, range_max: int, ctx: Context | None = None
) -> tuple[NDArray, NDArray, NDArray]:
    """Draw classes from an approximately Zipfian distribution: probabilities fall as ``1 / (class + 1)``.

    The probability is ``(log(class + 2) - log(class + 1)) / log(range_max + 1)``.

    Parameters
    ----------
    true_classes : classes whose expected counts are returned, shape (n,)
    num_sampled : number of draws
    range_max : the number of classes
    ctx : the context; the current one by default

    Returns
    -------
    samples : the classes drawn, int64
    expected_count_true : expected count of each of `true_classes`, float64
    expected_count_sample : expected count of each of `samples`, float64
    """
    uniform = partial(_samplers["uniform"], ctx=ctx)
    return sampling.rand_zipfian(uniform, true_classes, num_sampled, range_max)  # type: ignore[no-any-return]
