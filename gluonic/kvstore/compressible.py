"""Which gradients can be compressed."""

from typing import Any

import numpy as np

from gluonic.graph.errors import MXNetError, describe
from gluonic.ndarray.array import NDArray


def check_compressible(key: Any, array: NDArray) -> None:
    """Make sure that an array can be compressed.

    Raises
    ------
    MXNetError
        if it is not a dense one of float32
    """
    if array.dtype == np.float32 and array.stype == "default":
        return
    raise MXNetError(
        describe(
            f"gradients of float32 are compressed, and that of {key!r} is {array.stype} "
            f"{np.dtype(array.dtype)}",
            where="kvstore.push",
            hint="no set_gradient_compression",
        )
    )
