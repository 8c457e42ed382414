"""Quantization of floating-point numbers to small integers, and back; see `graph.quantized_numbers`."""

from typing import Any, Literal

import numpy as np

from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, operator
from gluonic.graph.ops.layer_rules import both_ways, set_all
from gluonic.graph.quantized_numbers import (
    FLOAT32,
    INT8,
    INT32,
    LEVELS,
    UINT8,
    chosen,
    pair,
    ratio,
    require_small,
    rounded,
    span,
)
from gluonic.graph.singles import single
from gluonic.graph.view import NodeView, slots_of, title_of

OutType = Literal["auto", "int8", "uint8"]
_NUMBERED = ("output0", "output1", "output2")
_RANGES = ("min_range", "max_range", "output1", "output2", "scale", "shift")


def _shapes(n: NodeView) -> None:
    set_all(n, _RANGES, (1,))
    both_ways(n, "data", "output0" if "output0" in slots_of(n) else "output")


@operator("_contrib_quantize", outputs=_NUMBERED, shape=_shapes)
def quantize(
    data: Array,
    min_range: Array,
    max_range: Array,
    *,
    out_type: Literal["int8", "uint8"] = "uint8",
) -> Any:
    """Quantize numbers of a given range to small integers.

    Parameters
    ----------
    data : float32 array
    min_range, max_range : float32 arrays of shape (1,), the range of `data`
    out_type : {"uint8", "int8"}, default "uint8"
        The range of uint8 starts at zero, and lower numbers become 0; that of int8 is symmetric.

    Returns
    -------
    array of `out_type`, and its range: two float32 arrays of shape (1,)
    """
    dtype, size = np.dtype(out_type), span(min_range, max_range)
    numbers = rounded(data * ratio(np.iinfo(dtype).max, size), dtype)
    return numbers, *(pair(-size, size) if dtype == INT8 else pair(min_range, max_range))


@quantize.infer_dtype
def _(n: NodeView) -> None:
    set_all(n, ("data", *_RANGES), FLOAT32)
    n.output0 = np.dtype(n.out_type)


quantize.gradient()


@operator("_contrib_quantize_v2", outputs=_NUMBERED, shape=_shapes)
def quantize_v2(
    data: Array,
    *,
    out_type: OutType = "int8",
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
) -> Any:
    """Quantize numbers to small integers; their range is given or computed.

    Parameters
    ----------
    data : float32 array; or one of int8 or uint8, which is unchanged
    out_type : {"int8", "uint8", "auto"}, default "int8"
        As for `quantize`; ``auto`` is uint8 where `min_calib_range` is given and not negative.
    min_calib_range, max_calib_range : float, optional
        The range, to which numbers are clipped; by default that of the data.

    Returns
    -------
    array of `out_type`, and its range: two float32 arrays of shape (1,)
    """
    known = min_calib_range is not None and max_calib_range is not None
    dtype = chosen(out_type, min_calib_range, max_calib_range)
    if data.dtype != FLOAT32:
        levels = LEVELS[data.dtype]
        least = -levels if data.dtype == INT8 else 0
        return data.view(dtype), *pair(
            *((min_calib_range, max_calib_range) if known else (least, levels))
        )
    low, high = (min_calib_range, max_calib_range) if known else (data.min(), data.max())
    size = span(low, high)
    numbers = rounded(data * ratio(LEVELS[dtype], size), dtype)
    return numbers, *(pair(-size, size) if dtype == INT8 else pair(low, high))


@quantize_v2.infer_dtype
def _(n: NodeView) -> None:
    n.output0 = chosen(n.out_type, n.min_calib_range, n.max_calib_range)
    n.output1 = n.output2 = FLOAT32
    if n.data != FLOAT32:
        require_small(n, "data")


quantize_v2.gradient()


@operator("_contrib_quantize_asym", outputs=("output", "scale", "shift"), shape=_shapes)
def quantize_asym(
    data: Array, *, min_calib_range: float | None = None, max_calib_range: float | None = None
) -> Any:
    """Quantize numbers to uint8 so that the minimum of their range is 0 and the maximum 255.

    Parameters
    ----------
    data : float32 array
    min_calib_range, max_calib_range : float, optional
        The range; by default that of the data.

    Returns
    -------
    output : uint8 array, ``scale * data + shift``
    scale, shift : float32 arrays of shape (1,)
    """
    known = min_calib_range is not None and max_calib_range is not None
    low, high = (min_calib_range, max_calib_range) if known else (data.min(), data.max())
    scale = ratio(255, single(high) - single(low))
    shift = np.float32(255) - single(high) * scale
    return rounded(data * scale + shift, UINT8), *pair(scale, shift)


@quantize_asym.infer_dtype
def _(n: NodeView) -> None:
    n.data = n.scale = n.shift = FLOAT32
    n.output = UINT8


quantize_asym.gradient()


@operator("_contrib_dequantize", shape=_shapes)
def dequantize(
    data: Array, min_range: Array, max_range: Array, *, out_type: Literal["float32"] = "float32"
) -> Any:
    """Return the numbers that small integers represent.

    Parameters
    ----------
    data : array of int8 or uint8
    min_range, max_range : float32 arrays of shape (1,), the range of `data`
    out_type : {"float32"}
    """
    return data * (span(min_range, max_range) / LEVELS[data.dtype])


@dequantize.infer_dtype
def _(n: NodeView) -> None:
    n.min_range = n.max_range = n.output = FLOAT32
    require_small(n, "data")


dequantize.gradient()


@operator("_contrib_requantize", outputs=_NUMBERED, shape=_shapes)
def requantize(
    data: Array,
    min_range: Array,
    max_range: Array,
    *,
    out_type: OutType = "int8",
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
) -> Any:
    """Quantize 32-bit integers to small ones, for a range that is given or computed.

    Parameters
    ----------
    data : int32 array, as from quantized layers
    min_range, max_range : float32 arrays of shape (1,), the range of `data`
    out_type, min_calib_range, max_calib_range
        As for `quantize_v2`.

    Returns
    -------
    array of `out_type`, and its range: two float32 arrays of shape (1,)
    """
    known = min_calib_range is not None and max_calib_range is not None
    dtype = chosen(out_type, min_calib_range, max_calib_range)
    level = span(min_range, max_range) / LEVELS[INT32]
    size = span(min_calib_range, max_calib_range) if known else span(data.min(), data.max()) * level
    scale = level * ratio(np.iinfo(dtype).max, size)
    numbers = rounded(data.astype(np.float32) * scale, dtype)
    return numbers, *(pair(-size, size) if dtype == INT8 else pair(0, size))


@requantize.infer_dtype
def _(n: NodeView) -> None:
    n.min_range = n.max_range = n.output1 = n.output2 = FLOAT32
    n.output0 = chosen(n.out_type, n.min_calib_range, n.max_calib_range)
    if n.data != INT32:
        raise InferenceError(f"{title_of(n)}: data must be int32, not {n.data.name}")


requantize.gradient()
