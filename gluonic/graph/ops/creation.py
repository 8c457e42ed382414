"""Arrays made from attributes alone, or from the shape of another array."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gluonic.graph.attributes import Count, DType, Shape
from gluonic.graph.axes import axis_of, product
from gluonic.graph.dtypes import CODES, DEFAULT
from gluonic.graph.errors import AttributeValueError, NotThereError
from gluonic.graph.open_shapes import stated_shape
from gluonic.graph.operator import Array, Operator, operator
from gluonic.graph.rules import fixed_by, like, output_dtype
from gluonic.graph.view import NodeView, title_of

FLOAT32 = DType(DEFAULT)
INT64 = np.dtype(np.int64)


def _constant(name: str, fill: Callable[..., Array], what: str) -> Operator:
    def kernel(*, shape: Shape = (), ctx: str = "", dtype: DType = FLOAT32) -> Array:
        return fill(shape, dtype)

    kernel.__doc__ = f"An array of {what} of the given shape and dtype."
    op = operator(name, shape=stated_shape, dtype=fixed_by("dtype"))(kernel)
    op.gradient()
    return op


_constant("_zeros", np.zeros, "zeros")
_constant("_ones", np.ones, "ones")


@operator("_full", shape=stated_shape, dtype=fixed_by("dtype"))
def full(*, shape: Shape = (), ctx: str = "", dtype: DType = FLOAT32, value: float) -> Array:
    """An array of the given shape and dtype, every element `value`."""
    return np.full(shape, np.float64(value)).astype(dtype)


@operator("_zeros_without_dtype", shape=stated_shape)
def zeros_without_dtype(*, shape: Shape = (), ctx: str = "", dtype: int = -1) -> Array:
    """An array of zeros; `dtype` is MXNet's number of a dtype, or -1 for float32."""
    return np.zeros(shape, CODES.get(dtype, DEFAULT))


@zeros_without_dtype.infer_dtype
def _(n: NodeView) -> None:
    n.output = CODES.get(n.dtype, DEFAULT)


@operator("_eye", dtype=fixed_by("dtype"))
def eye(*, N: int, M: int = 0, k: int = 0, ctx: str = "", dtype: DType = FLOAT32) -> Array:
    """A matrix of zeros, with ones on a diagonal.

    Parameters
    ----------
    N : the number of rows
    M : the number of columns; 0 means as many as rows
    k : the diagonal: 0 is the main one, positive ones are above it
    """
    return np.eye(N, M or None, k, dtype)


@eye.infer_shape
def _(n: Any) -> None:
    n.output = (n.N, n.M or n.N)


def _ramp(start: float, step: float, count: int, repeat: int, dtype: np.dtype[Any]) -> Array:
    """``start``, ``start + step``, …, each `repeat` times; integers count in whole steps."""
    if dtype.kind != "f":
        start, step = math.trunc(start), math.trunc(step)
    return start + np.arange(count) // repeat * step


def _length(start: float, stop: float | None, step: float, repeat: int, title: str) -> int:
    """The number of elements in a range."""
    if step == 0 or repeat < 1:
        raise AttributeValueError(f"{title}: step={step} and repeat={repeat} must not be 0")
    begin, end = (0.0, start) if stop is None else (start, stop)
    if (end - begin) / step < 0:
        raise AttributeValueError(f"{title}: from {begin} one does not come to {end} by {step}")
    return math.ceil((end - begin) / step) * repeat


@operator("_arange", dtype=fixed_by("dtype"))
def arange(
    *,
    start: float,
    stop: float | None = None,
    step: float = 1.0,
    repeat: int = 1,
    infer_range: bool = False,
    ctx: str = "",
    dtype: DType = FLOAT32,
) -> Array:
    """Evenly spaced numbers from `start` (included) to `stop` (excluded).

    Parameters
    ----------
    start, stop : the range; if only one is given, it is the end, and the range starts at 0
    step : the distance of consecutive numbers
    repeat : number of repetitions of each element

    Returns
    -------
    output : of shape (ceil((stop - start) / step) * repeat,)
    """
    count = _length(start, stop, step, repeat, "_arange")
    return _ramp(0.0 if stop is None else start, step, count, repeat, np.dtype(dtype))


@arange.infer_shape
def _(n: Any) -> None:
    if n.infer_range and n.stop is None:
        raise NotThereError("_arange: infer_range=True without stop=")
    n.output = (_length(n.start, n.stop, n.step, n.repeat, title_of(n)),)


@operator("_linspace", dtype=fixed_by("dtype"))
def linspace(
    *,
    start: float,
    stop: float,
    num: Count,
    endpoint: bool = True,
    ctx: str = "",
    dtype: DType = FLOAT32,
) -> Array:
    """`num` evenly spaced numbers from `start` to `stop`, which is the last one if `endpoint`."""
    return np.linspace(start, stop, num, endpoint)


@linspace.infer_shape
def _(n: Any) -> None:
    n.output = (n.num,)


@operator("_contrib_arange_like", "_npx_arange_like", dtype=like("data"))
def arange_like(
    data: Array,
    *,
    start: float = 0.0,
    step: float = 1.0,
    repeat: int = 1,
    ctx: str = "",
    axis: int | None = None,
) -> Array:
    """Evenly spaced numbers, as many as `data` has elements, or as the length of one of its axes.

    Parameters
    ----------
    data : any array; only its shape and dtype matter
    start, step : the first number and the distance of consecutive numbers
    repeat : number of repetitions of each element
    axis : the output has the length of this axis; without it, the shape of `data`
    """
    shape = data.shape if axis is None else (data.shape[axis],)
    return _ramp(start, step, math.prod(shape), repeat, data.dtype).reshape(shape)


@arange_like.infer_shape
def _(n: Any) -> None:
    n.output = n.data if n.axis is None else (n.data[axis_of(n.axis, len(n.data), title_of(n))],)


@operator("shape_array", dtype=output_dtype(INT64))
def shape_array(data: Array) -> Array:
    """The shape of `data` as an int64 array."""
    return np.array(data.shape, INT64)


@shape_array.infer_shape
def _(n: Any) -> None:
    n.output = (len(n.data),)


@operator("size_array", dtype=output_dtype(INT64))
def size_array(data: Array) -> Array:
    """The number of elements of `data` as an int64 array of shape (1,)."""
    return np.array([product(data.shape)], INT64)


@size_array.infer_shape
def _(n: Any) -> None:
    n.output = (1,)


for _op in (full, zeros_without_dtype, eye, arange, linspace, arange_like, shape_array, size_array):
    _op.gradient()
