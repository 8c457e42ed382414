"""im2col and col2im: windows of images as columns of matrices, and sums of such columns."""

from math import prod
from typing import Any

import numpy as np

from gluonic.graph.adjoint import adjoint
from gluonic.graph.attributes import Extents, Shape
from gluonic.graph.axes import divided, product, require_rank, scaled
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, operator
from gluonic.graph.ops.convolution import windows_along
from gluonic.graph.ops.layer_rules import wide
from gluonic.graph.ops.windows import (
    Windows,
    inner,
    padded,
    require_spatial_axes,
    window_view,
    windows_of,
)
from gluonic.graph.view import NodeView, title_of, written


def _fold(columns: Array, spatial: tuple[int, ...], windows: Windows) -> Array:
    """Add columns to an image at the positions of their windows."""
    numbers = wide(columns)
    counts = windows.counts(spatial)
    parts = numbers.reshape(len(columns), -1, *windows.kernel, *counts)
    sizes = [size + 2 * pad for size, pad in zip(spatial, windows.pad, strict=True)]
    image = np.zeros((*parts.shape[:2], *sizes), numbers.dtype)
    each: Any = (slice(None), slice(None))
    for tap, where in windows.taps(counts):
        image[(*each, *where)] += parts[(*each, *tap)]
    return image[inner(spatial, windows.pad)]


@operator("im2col")
def im2col(
    data: Array, *, kernel: Extents, stride: Extents = (), dilate: Extents = (), pad: Shape = ()
) -> Any:
    """Copy each window into a column.

    Parameters
    ----------
    data : (batch, channels, spatial...)
    kernel, stride, dilate, pad : the windows, as for Convolution

    Returns
    -------
    array
        (batch, channels · taps, windows)
    """
    windows = windows_of(kernel, stride, pad, dilate)
    images = padded(data, windows.pad, windows.pad)
    counts = windows.counts(data.shape[2:])
    rows = data.shape[1] * prod(kernel)
    return window_view(images, windows, counts).reshape(len(data), rows, prod(counts))


@im2col.infer_shape
def _(n: NodeView) -> None:
    windows = windows_of(n.kernel, n.stride, n.pad, n.dilate, title=title_of(n))
    require_spatial_axes(n.data, windows, title_of(n))
    counts = windows_along(n.data, windows, title_of(n))
    n.output = (n.data[0], scaled(n.data[1], prod(n.kernel)), product(counts))
    channels = divided(n.output[1], prod(n.kernel), f"{title_of(n)}: the number of rows")
    n.data = (n.output[0], channels, *[None] * len(n.kernel))


@adjoint(im2col)
def _(grad: Array, data: Array, *, kernel: Shape, stride: Shape, dilate: Shape, pad: Shape) -> Any:
    """Add the gradients at the positions of the windows."""
    return _fold(grad, data.shape[2:], windows_of(kernel, stride, pad, dilate))


@operator("col2im")
def col2im(
    data: Array,
    *,
    output_size: Shape,
    kernel: Extents,
    stride: Extents = (),
    dilate: Extents = (),
    pad: Shape = (),
) -> Any:
    """Add columns at the positions of their windows; the transpose of `im2col`.

    Parameters
    ----------
    data : (batch, channels · taps, windows)
    output_size : the spatial shape of the images
    kernel, stride, dilate, pad : the windows, as for Convolution

    Returns
    -------
    array
        (batch, channels, *output_size)
    """
    return _fold(data, output_size, windows_of(kernel, stride, pad, dilate))


@col2im.infer_shape
def _(n: NodeView) -> None:
    windows = windows_of(n.kernel, n.stride, n.pad, n.dilate, title=title_of(n))
    require_rank(n.data, (3,), f"{title_of(n)}: data")
    channels = divided(n.data[1], prod(n.kernel), f"{title_of(n)}: the number of rows")
    n.output = (n.data[0], channels, *n.output_size)
    require_spatial_axes(n.output, windows, title_of(n))
    count = prod(windows.counts(n.output_size))
    if n.data[2] not in (count, None):
        raise InferenceError(
            f"{title_of(n)}: data is {written(n.data)}, but output_size={n.output_size} has {count}"
            f" windows"
        )
    n.data = (n.output[0], scaled(n.output[1], prod(n.kernel)), count)


def _windows(n: NodeView) -> dict[str, Shape]:
    return {name: getattr(n, name) for name in ("kernel", "stride", "dilate", "pad")}


col2im.gradient(data=lambda F, n, g: F.im2col(g, **_windows(n)))
