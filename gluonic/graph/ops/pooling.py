"""Pooling: maxima, sums, means and norms of windows."""

from typing import Any, Literal, NamedTuple

from gluonic.graph.attributes import Shape
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, operator
from gluonic.graph.ops.companions import companion
from gluonic.graph.ops.layer_rules import floating, wide
from gluonic.graph.ops.pooling_kernels import (
    POWERS,
    Pool,
    counted,
    gather_from_maxima,
    max_pool,
    scatter_to_maxima,
    spread,
    sum_pool,
)
from gluonic.graph.ops.windows import (
    Layout,
    back_shape,
    channels_back,
    channels_first,
    first_shape,
    is_channels_last,
    require_spatial_axes,
    windows_of,
)
from gluonic.graph.view import NodeView, PartialShape, complete, settings_of, title_of, written

Kind = Literal["max", "avg", "sum", "lp"]
Convention = Literal["valid", "full", "same"]


@operator("Pooling", "_npx_pooling", dtype=floating())
def pooling(
    data: Array,
    *,
    kernel: Shape = (),
    pool_type: Kind = "max",
    global_pool: bool = False,
    cudnn_off: bool = False,
    pooling_convention: Convention = "valid",
    stride: Shape = (),
    pad: Shape = (),
    p_value: int | None = None,
    count_include_pad: bool | None = None,
    layout: Layout | None = None,
) -> Any:
    """Reduce windows of the data, for each channel separately.

    Parameters
    ----------
    data : array of shape (batch, channels, spatial…), with 1, 2 or 3 spatial axes
        Floating-point.
    kernel : tuple of int
        The size of a window; not needed with `global_pool`.
    pool_type : {"max", "avg", "sum", "lp"}, default "max"
        Maximum, mean, sum, or ``(Σ xᵖ)^(1/p)``.
    global_pool : bool, default False
        Whether a single window covers all of the data; `kernel`, `stride`, `pad` are ignored.
    pooling_convention : {"valid", "full", "same"}, default "valid"
        The number of windows: those that fit; also a last one that is cut off at the far end, where
        data remains; or one per stride, without `pad`.
    stride : tuple of int, default all 1
        The distance between windows.
    pad : tuple of int, default all 0
        The padding at both ends of each axis: zeros, or for maxima the lowest number.
    p_value : int, optional
        The p of ``lp``: 1, 2 or 3.
    count_include_pad : bool, default True
        Whether a mean counts padding.
    layout : str, optional
        The order of the axes: ``NCHW`` (or NCW, NCDHW) by default, or ``NHWC`` (or NWC, NDHWC).
    cudnn_off
        Accepted and ignored.

    Returns
    -------
    array of shape (batch, channels, windows…)
        ``windows = (size + 2 pad - kernel) // stride + 1``, rounded up if ``full``
    """
    last = is_channels_last(layout)
    images = channels_first(wide(data), last)
    pool = pool_of(
        images.shape,
        "",
        kernel=kernel,
        global_pool=global_pool,
        pooling_convention=pooling_convention,
        stride=stride,
        pad=pad,
        layout=layout,
    ).complete()
    if pool_type == "max":
        return channels_back(max_pool(images, pool, data.dtype), last)
    power, root = POWERS[p_value or 1] if pool_type == "lp" else POWERS[1]
    output = root(sum_pool(power(images), pool))
    if pool_type == "avg":
        output = output / _divisor(images, pool, count_include_pad)
    return channels_back(output, last)


def _divisor(images: Array, pool: Pool, include_pad: bool | None) -> Array:
    return counted(images.shape[2:], pool, include_pad is not False).astype(images.dtype)


class PartialPool(NamedTuple):
    """A `Pool` of data whose shape may be partly unknown."""

    kernel: PartialShape
    stride: tuple[int, ...]
    pad: tuple[int, ...]
    counts: PartialShape

    def complete(self) -> Pool:
        """The `Pool`, once the shape is known."""
        return Pool(complete(self.kernel), self.stride, self.pad, complete(self.counts))


def window_count(
    size: int | None, kernel: int, stride: int, pad: int, convention: Convention
) -> int | None:
    """The number of windows along an axis."""
    if size is None:
        return None
    reach = size + 2 * pad
    if convention == "same":
        return -(-reach // stride)
    return (reach - kernel + (stride - 1 if convention == "full" else 0)) // stride + 1


def pool_of(
    shape: PartialShape,
    title: str,
    *,
    kernel: Shape,
    global_pool: bool,
    pooling_convention: Convention,
    stride: Shape,
    pad: Shape,
    layout: str | None,
) -> PartialPool:
    """Read the attributes; `shape` has the channels along axis 1."""
    spatial = shape[2:]
    rank = len(spatial)
    if global_pool:
        windows_of((1,) * rank, (), (), (), layout, title)
        return PartialPool(spatial, (1,) * rank, (0,) * rank, (1,) * rank)
    if pooling_convention == "same":
        if any(pad):
            raise InferenceError(f"{title}: pooling_convention='same' takes no pad, not {pad}")
        pad = ()
    windows = windows_of(kernel, stride, pad, (), layout, title)
    require_spatial_axes(shape, windows, title)
    counts = []
    for size, k, s, p in zip(spatial, kernel, windows.stride, windows.pad, strict=True):
        if size is not None and size + 2 * p < k:
            raise InferenceError(
                f"{title}: a window of kernel={kernel} is larger than data {written(shape)} "
                f"with pad={windows.pad}"
            )
        counts.append(window_count(size, k, s, p, pooling_convention))
    return PartialPool(kernel, windows.stride, windows.pad, tuple(counts))


_GEOMETRY = ("kernel", "global_pool", "pooling_convention", "stride", "pad", "layout")


@pooling.infer_shape
def _(n: NodeView) -> None:
    title, last = title_of(n), is_channels_last(n.layout)
    if n.pool_type == "lp" and n.p_value not in POWERS:
        raise InferenceError(f"{title}: pool_type='lp' needs p_value=1, 2 or 3, not {n.p_value}")
    data = first_shape(n.data, last)
    pool = pool_of(data, title, **{name: getattr(n, name) for name in _GEOMETRY})
    n.output = back_shape((*data[:2], *pool.counts), last)
    output = first_shape(n.output, last)
    n.data = back_shape((*output[:2], *data[2:]), last)


def _pool_in(images: Array, attributes: dict[str, Any]) -> Pool:
    return pool_of(images.shape, "", **{name: attributes[name] for name in _GEOMETRY}).complete()


def _spread(grad: Array, data: Array, **attributes: Any) -> Array:
    last = is_channels_last(attributes["layout"])
    images, gradients = channels_first(data, last), channels_first(wide(grad), last)
    pool = _pool_in(images, attributes)
    if attributes["pool_type"] == "avg":
        gradients = gradients / _divisor(images, pool, attributes["count_include_pad"]).astype(
            gradients.dtype
        )
    return channels_back(spread(gradients, images.shape[2:], pool), last)


def _at_maxima(kernel: Any) -> Any:
    def run(values: Array, data: Array, output: Array, **attributes: Any) -> Array:
        last = is_channels_last(attributes["layout"])
        arrays = [channels_first(array, last) for array in (values, data, output)]
        return channels_back(kernel(*arrays, _pool_in(arrays[1], attributes)), last)

    return run


backward_sum = companion(
    pooling,
    "_backward_Pooling_sum",
    ("grad", "data"),
    _spread,
    output_like="data",
    documentation="The gradient of Pooling by sums or means: each element gets that of its windows.",
)
backward_max = companion(
    pooling,
    "_backward_Pooling_max",
    ("grad", "data", "pooled"),
    _at_maxima(scatter_to_maxima),
    output_like="data",
    documentation="The gradient of Pooling by maxima: each window's goes to its first maximum.",
)
take_maxima = companion(
    pooling,
    "_take_maxima",
    ("values", "data", "pooled"),
    _at_maxima(gather_from_maxima),
    output_like="pooled",
    documentation="For each window of `data`, the value at its first maximum.",
)


def _gradient(F: Any, n: NodeView, g: Any) -> Any:
    settings = settings_of(n)
    if n.pool_type == "max":
        return F._backward_Pooling_max(g, n.data, n.output, **settings)
    if n.pool_type != "lp" or n.p_value == 1:
        return F._backward_Pooling_sum(g, n.data, **settings)
    power = n.p_value - 1
    at_zero = F._equal_scalar(n.output, scalar=0)
    norm = F.where(at_zero, F.ones_like(g), n.output)  # where it is zero, so is the data
    gradient = g / norm**power
    return F._backward_Pooling_sum(gradient, n.data, **settings) * n.data**power


pooling.gradient(data=_gradient)
backward_sum.gradient(grad=lambda F, n, g: F.Pooling(g, **_linear(n)))
backward_max.gradient(grad=lambda F, n, g: F._take_maxima(g, n.data, n.pooled, **settings_of(n)))
take_maxima.gradient(
    values=lambda F, n, g: F._backward_Pooling_max(g, n.data, n.pooled, **settings_of(n))
)


def _linear(n: NodeView) -> dict[str, Any]:
    """The attributes, with sums in place of norms."""
    kind = "avg" if n.pool_type == "avg" else "sum"
    return {**settings_of(n), "pool_type": kind}
