"""Rules in machine code on the rows that a gradient stores."""

from collections.abc import Callable, Sequence
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np

from gluonic import codegen
from gluonic.graph import Array
from gluonic.graph.storage.values import RowSparse

_DTYPES = (np.float32, np.float64)


def run_natively(
    rule: Callable[..., tuple[Any, ...]],
    numbers: SimpleNamespace,
    targets: Sequence[Array],
    gradient: RowSparse,
) -> bool:
    """Run a rule in place and return True; or do nothing, where there is no machine code.

    Parameters
    ----------
    rule, numbers : the rule, and the numbers it reads
    targets : the weight and the states, which are written to
    gradient : a row_sparse gradient with ascending, unique rows
    """
    weight, data = targets[0], gradient.data
    is_plain = isinstance(rule, FunctionType) and rule.__closure__ is None
    alike = all(
        x.shape == gradient.shape and x.dtype == data.dtype and x.flags.carray for x in targets
    )
    if not is_plain or not alike or weight.dtype not in _DTYPES or codegen.interpreting():
        return False
    if data.size:
        try:
            data = np.ascontiguousarray(data)
            codegen.update_rows(rule, vars(numbers), targets, gradient.indices, data)
        except codegen.NotLowered:
            return False
    return True
