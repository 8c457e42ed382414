"""Sums, products and concatenations of small integers; see `graph.quantized_numbers`. No gradients."""

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from gluonic.graph.operator import Array, operator
from gluonic.graph.ops.joining import concat
from gluonic.graph.ops.layer_rules import set_all
from gluonic.graph.ops.quantized_layers import OUTPUTS
from gluonic.graph.quantized_numbers import (
    FLOAT32,
    INT8,
    INT32,
    LEVELS,
    UINT8,
    pair,
    product_range,
    ratio,
    require_small,
    rounded,
    span,
)
from gluonic.graph.rules import same
from gluonic.graph.view import NodeView, run_on

_RANGES = ("lhs_min", "lhs_max", "rhs_min", "rhs_max", "min_output", "max_output")


def _calibrated(n: Any) -> bool:
    return n.min_calib_range is not None and n.max_calib_range is not None


def _shapes(n: NodeView) -> None:
    set_all(n, _RANGES, (1,))
    run_on(n, same, ("lhs", "rhs", "output"))


def _summed(lhs: Array, rhs: Array, dtype: np.dtype[Any], scales: list[Any]) -> Array:
    """The sum of two scaled arrays; of two dtypes, the uint8 array is first rounded to int8."""
    terms = [array.astype(np.float32) for array in (lhs, rhs)]
    if lhs.dtype != rhs.dtype and dtype != INT32:
        unsigned = 0 if lhs.dtype == UINT8 else 1
        terms[unsigned] = rounded(terms[unsigned] * scales[unsigned], INT8).astype(np.float32)
        scales[unsigned] = np.float32(1)
    return rounded(terms[0] * scales[0] + terms[1] * scales[1], dtype)


@operator("_contrib_quantized_elemwise_add", outputs=OUTPUTS, shape=_shapes)
def quantized_elemwise_add(
    lhs: Array,
    rhs: Array,
    lhs_min: Array,
    lhs_max: Array,
    rhs_min: Array,
    rhs_max: Array,
    *,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
) -> Any:
    """Add arrays of small integers.

    Parameters
    ----------
    lhs, rhs : arrays of int8 or uint8, of equal shapes
    lhs_min, lhs_max, rhs_min, rhs_max : float32 arrays of shape (1,), their ranges
    min_calib_range, max_calib_range : float, optional
        The range of the sum.

    Returns
    -------
    array, and its range: two float32 arrays of shape (1,)
        int32; if the range is given, uint8 for two arrays of uint8, else int8.
    """
    terms = (span(lhs_min, lhs_max), lhs.dtype), (span(rhs_min, rhs_max), rhs.dtype)
    # Multiply and divide in MXNet's order: the rounding of sums halfway between two levels depends on it.
    if min_calib_range is None or max_calib_range is None:
        dtype, whole = INT32, terms[0][0] + terms[1][0]
        low, high = -whole, whole
        scales = [size * LEVELS[dtype] * ratio(1, whole * LEVELS[own]) for size, own in terms]
    else:
        dtype = _sum_dtype(lhs.dtype, rhs.dtype)
        low, high = np.float32(min_calib_range), np.float32(max_calib_range)
        scales = [
            ratio(LEVELS[dtype], span(low, high)) / (LEVELS[own] / size) for size, own in terms
        ]
    return _summed(lhs, rhs, dtype, scales), *pair(low, high)


def _sum_dtype(lhs: np.dtype[Any], rhs: np.dtype[Any]) -> np.dtype[Any]:
    return UINT8 if lhs == rhs == UINT8 else INT8


@quantized_elemwise_add.infer_dtype
def _(n: NodeView) -> None:
    set_all(n, _RANGES, FLOAT32)
    require_small(n, "lhs", "rhs")
    n.output = _sum_dtype(n.lhs, n.rhs) if _calibrated(n) else INT32


quantized_elemwise_add.gradient()


@operator(
    "_contrib_quantized_elemwise_mul",
    outputs=lambda n: OUTPUTS[:1] if n.enable_float_output else OUTPUTS,
    shape=_shapes,
)
def quantized_elemwise_mul(
    lhs: Array,
    rhs: Array,
    lhs_min: Array,
    lhs_max: Array,
    rhs_min: Array,
    rhs_max: Array,
    *,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
    enable_float_output: bool = False,
) -> Any:
    """Multiply arrays of int8 element by element.

    Parameters
    ----------
    lhs, rhs : arrays of int8, of equal shapes
    lhs_min, lhs_max, rhs_min, rhs_max : float32 arrays of shape (1,), their ranges
    min_calib_range, max_calib_range : float, optional
        The range of the product.
    enable_float_output : bool, default False
        Whether to return the products themselves, in float32, without a range.

    Returns
    -------
    array, and its range: two float32 arrays of shape (1,)
        int32; int8 with truncated fractions if the range is given.
    """
    products = np.multiply(lhs, rhs, dtype=INT32)
    level = span(lhs_min, lhs_max) / LEVELS[INT8] * (span(rhs_min, rhs_max) / LEVELS[INT8])
    if enable_float_output:
        return products * level
    if min_calib_range is None or max_calib_range is None:
        return products, *product_range((lhs_min, lhs_max), (rhs_min, rhs_max))
    scale = level * ratio(LEVELS[INT8], span(min_calib_range, max_calib_range))
    output = rounded(np.trunc(products * scale), INT8)
    return output, *pair(min_calib_range, max_calib_range)


@quantized_elemwise_mul.infer_dtype
def _(n: NodeView) -> None:
    set_all(n, _RANGES, FLOAT32)
    n.lhs = n.rhs = INT8
    n.output = FLOAT32 if n.enable_float_output else INT8 if _calibrated(n) else INT32


quantized_elemwise_mul.gradient()


def _ends(count: int) -> list[str]:
    return [f"arg{i}_{end}" for i in range(count) for end in ("min", "max")]


def _joined_names(n: Any) -> list[str]:
    return [*(f"arg{i}" for i in range(n.num_args)), *_ends(n.num_args)]


@operator(
    "_contrib_quantized_concat",
    count="num_args",
    per_count=3,
    arguments=_joined_names,
    outputs=OUTPUTS,
)
def quantized_concat(*data: Array, num_args: int, dim: int = 1) -> Any:
    """Join arrays of small integers along an axis, with a range that contains all of theirs.

    Parameters
    ----------
    data : arrays of int8 or uint8, equal in shape except along `dim`; then the minimum and the maximum of
        the range of each, float32 arrays of shape (1,)
    num_args : number of arrays
    dim : the axis to join along

    Returns
    -------
    array, and its range: two float32 arrays of shape (1,)
        uint8 if all arrays are, else int8.
    """
    arrays, ends = data[:num_args], data[num_args:]
    low = reduce(np.minimum, (end[0] for end in ends[::2]), np.float32(0))
    high = reduce(np.maximum, (end[0] for end in ends[1::2]), np.float32(0))
    dtype = _joined_dtype([array.dtype for array in arrays])
    scale = ratio(LEVELS[dtype], span(low, high))
    parts = []
    for array, least, most in zip(arrays, ends[::2], ends[1::2], strict=True):
        own = ratio(LEVELS[array.dtype], span(least, most))
        is_same = (own == scale) | (own == 0)
        other = rounded(array * (scale / np.where(is_same, scale, own)), dtype)
        parts.append(np.where(is_same, array.astype(dtype), other))
    return np.concatenate(parts, axis=dim), *pair(low, high)


def _joined_dtype(dtypes: list[np.dtype[Any]]) -> np.dtype[Any]:
    return INT8 if INT8 in dtypes else UINT8


@quantized_concat.infer_shape
def _(n: NodeView) -> None:
    set_all(n, (*_ends(n.num_args), *OUTPUTS[1:]), (1,))
    names = [f"arg{i}" for i in range(n.num_args)]
    rule: Callable[[NodeView], None] | None = concat.shape
    assert rule is not None
    run_on(n, rule, (*names, "output"), {"arg": names})


@quantized_concat.infer_dtype
def _(n: NodeView) -> None:
    set_all(n, (*_ends(n.num_args), *OUTPUTS[1:]), FLOAT32)
    names = [f"arg{i}" for i in range(n.num_args)]
    require_small(n, *names)
    dtypes = [getattr(n, name) for name in names]
    n.output = _joined_dtype(dtypes)


quantized_concat.gradient()
