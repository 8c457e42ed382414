"""Promotion of dtypes with Python numbers, the same with every version of NumPy.

NumPy 2 gives a Python number the dtype of the array or scalar that it is combined with. NumPy 1 does so only
for arrays with axes: without axes, ``float32 * 0.1`` is float64, and the result is rounded twice.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gluonic.graph.application import Application, Signature
    from gluonic.graph.operator import Array

WIDENS_SCALARS = (np.float32(1) * 1.0).dtype == np.float64


def widens(application: "Application", expected: "Signature") -> bool:
    """Whether NumPy 1 may compute an operator's results in a wider dtype, because they have no axes."""
    if application.op.calls_back or application.op.run_name is not None:
        return False
    return all(shape == () for shape in expected.shapes)


def with_axes(application: "Application", arrays: "Sequence[Array]") -> "Sequence[Array]":
    """Views of the inputs in which all have axes; the operator must also accept them without."""
    application.execute([a.copy() for a in arrays], None)
    return [a if a.ndim else a.reshape(1) for a in arrays]
