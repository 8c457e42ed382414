"""The text of arrays of `mx.np`: as in NumPy, except that float32 is omitted and int64 is printed."""

import numpy as np

from gluonic.graph import Array

_UNSAID = (np.dtype(np.float32), np.dtype(np.bool_))


def array_text(array: Array) -> str:
    r"""The text for ``repr``.

    Parameters
    ----------
    array : the elements

    Examples
    --------
    >>> array_text(np.array([[1, 2], [3, 4]], np.float32))
    'array([[1., 2.],\n       [3., 4.]])'
    >>> array_text(np.array(7)), array_text(np.zeros((0, 3), np.float32))
    ('array(7, dtype=int64)', 'array([], shape=(0, 3))')
    """
    ending = "" if array.dtype in _UNSAID else f", dtype={array.dtype}"
    if not array.size and array.ndim:
        shape = f", shape={array.shape}" if array.shape != (0,) else ""
        return f"array([]{shape}{ending})"
    return f"array({np.array2string(array, separator=', ', prefix='array(', suffix=')')}{ending})"
