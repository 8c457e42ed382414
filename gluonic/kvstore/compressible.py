"""Which gradients can be compressed."""

from typing import Any

import numpy as np

from gluonic.graph.errors import MXNetError, describe
from gluonic.ndarray.array import NDArray


def check_compressible(key: Any, array: NDArray) -> None:
    """Raise an error if an array cannot be compressed.

    Raises
    ------
    MXNetError
        if it is not a dense float32 array
    """
    if array.dtype == np.float32 and array.stype == "default":
        return
    raise MXNetError(
        describe(
            f"only float32 gradients can be compressed, and that of {key!r} is {array.stype} "
            f"{np.dtype(array.dtype)}",
            where="kvstore.push",
            hint="no set_gradient_compression",
        )
    )
