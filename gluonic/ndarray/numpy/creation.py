"""`mx.np.array`."""

from typing import Any

import numpy as np

from gluonic.graph.errors import CallError, describe
from gluonic.ndarray import creation
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.context import Context
from gluonic.ndarray.numpy.array import ndarray


def array(object: Any, dtype: Any = None, ctx: Context | None = None) -> ndarray:
    """Return a new array with the elements of an array-like object.

    Parameters
    ----------
    object : an array of `mx.np` or of NumPy, a number, or (nested) sequences of them
    dtype : the element type; by default that of `object`, and float32 if it has none
    ctx : the context; the current one by default

    Raises
    ------
    ValueError
        for an array of `mx.nd`: its `as_np_ndarray` shares the elements

    Examples
    --------
    >>> array([[1, 2], [3, 4]])
    array([[1., 2.],
           [3., 4.]])
    """
    if isinstance(object, NDArray) and not object.of_numpy:
        raise CallError(
            describe(
                "an array of mx.nd becomes one of mx.np without a copy",
                where="np.array",
                hint="x.as_np_ndarray()",
            )
        )
    if dtype is None:
        dtype = getattr(object, "dtype", np.float32)
    return creation.array(object, ctx, dtype).as_np_ndarray()  # type: ignore[no-any-return]
