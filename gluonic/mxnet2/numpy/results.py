"""Results that NumPy computes, or that go into an array that is given."""

from typing import Any

import numpy as np

from gluonic.ndarray import NDArray
from gluonic.ndarray.numpy.creation import array


def written(result: Any, out: Any) -> Any:
    """A result, in the array that is given for it, if there is one."""
    if out is None:
        return result
    out[...] = result
    return out


def in_numpy(function: Any, *values: Any) -> Any:
    """What NumPy computes of arrays and numbers, as an array of `mx.np`; it has no gradient."""
    given = [x.asnumpy() if isinstance(x, NDArray) else x for x in values]
    device = next((x.context for x in values if isinstance(x, NDArray)), None)
    result = np.asarray(function(*given))
    return array(result, result.dtype, device)
