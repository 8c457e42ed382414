"""The compression of gradients before they are summed."""

from typing import Any

import numpy as np

from gluonic.ndarray.array import NDArray


class NoneCompressor:
    """Send gradients as they are."""

    @staticmethod
    def compress(tensor: NDArray) -> tuple[NDArray, Any]:
        """The array itself, and the data that `decompress` needs."""
        return tensor, None

    @staticmethod
    def decompress(tensor: NDArray, ctx: Any) -> NDArray:
        """The array itself."""
        return tensor


class FP16Compressor:
    """Send floating-point gradients as float16."""

    @staticmethod
    def compress(tensor: NDArray) -> tuple[NDArray, Any]:
        """The array as float16, if it is floating-point, and its dtype."""
        is_floating = np.issubdtype(tensor.dtype, np.floating)
        return (tensor.astype("float16", copy=False) if is_floating else tensor), tensor.dtype

    @staticmethod
    def decompress(tensor: NDArray, ctx: Any) -> NDArray:
        """The array in the dtype it had."""
        found: NDArray = tensor.astype(ctx, copy=False)
        return found


class Compression:
    """The ways to compress gradients.

    Attributes
    ----------
    none : no compression
    fp16 : as float16
    """

    none = NoneCompressor
    fp16 = FP16Compressor
