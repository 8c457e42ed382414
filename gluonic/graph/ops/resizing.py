"""Resizing of images by linear maps along their height and their width."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from gluonic.graph.attributes import Shape
from gluonic.graph.axes import require_rank
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, Operator, operator
from gluonic.graph.ops.companions import companion
from gluonic.graph.ops.layer_rules import floating, wide
from gluonic.graph.ops.resampling import Averaging, Interpolation, Resampling, resampling_matrix
from gluonic.graph.rules import like
from gluonic.graph.view import NodeView, PartialShape, settings_of, title_of

ResizeMode = Literal[
    "size", "odd_scale", "like", "to_even_down", "to_even_up", "to_odd_down", "to_odd_up"
]


def _map(images: Array, height: Array, width: Array) -> Array:
    """Apply a matrix along the height and one along the width."""
    numbers = wide(images)
    result: Array = height.astype(numbers.dtype) @ numbers @ width.astype(numbers.dtype).T
    return result


def resized(images: Array, size: tuple[int, ...], resampling: Resampling) -> Array:
    """Resample images to a new height and width."""
    sizes = zip(images.shape[2:], size, strict=True)
    return _map(images, *(resampling_matrix(resampling, a, b) for a, b in sizes))


def resized_back(grad: Array, size: tuple[int, ...], resampling: Resampling) -> Array:
    """The gradient of `resized` for images of the given height and width."""
    sizes = zip(size, grad.shape[2:], strict=True)
    return _map(grad, *(resampling_matrix(resampling, a, b).T for a, b in sizes))


@operator("_contrib_BilinearResize2D", absent=lambda n: () if n.mode == "like" else ("like",))
def bilinear_resize(
    data: Array,
    like: Array | None = None,
    *,
    height: int = 1,
    width: int = 1,
    scale_height: float | None = None,
    scale_width: float | None = None,
    mode: ResizeMode = "size",
    align_corners: bool = True,
) -> Any:
    """Resize images, interpolating linearly between pixels of the input.

    Parameters
    ----------
    data : array of shape (batch, channels, height, width)
        Floating-point.
    like : array of shape (…, …, height, width), optional
        The array with the new size, for ``mode="like"``.
    height, width : int, default 1
        The new size, with ``mode="size"``.
    scale_height, scale_width : float, optional
        With ``mode="size"``, factors from the old size to the new one. With ``mode="odd_scale"``, the
        new size is ``(size - 1) * scale + 1`` where the old one is odd.
    mode : str, default "size"
        The rule for the new size; ``to_even_down`` and the like change a size by at most one.
    align_corners : bool, default True
        Whether the centres of the corner pixels of input and output coincide, or their outer corners.
    """
    shape = like.shape if like is not None else data.shape
    new_size = _new_size(shape, mode, (height, width), (scale_height, scale_width), "")
    return resized(data, new_size, Interpolation(align_corners))  # type: ignore[arg-type]


def _scaled(size: int, scale: float) -> int:
    return size * int(scale) if scale == int(scale) else int(np.float32(scale) * size)


def _odd_scaled(size: int, scale: float) -> int:
    return (
        int(np.float32(scale) * size) if size % 2 == 0 else int(np.float32(scale) * (size - 1)) + 1
    )


_NEAREST: dict[str, Callable[[int], int]] = {
    "like": lambda size: size,
    "to_even_down": lambda size: size - size % 2,
    "to_even_up": lambda size: size + size % 2,
    "to_odd_down": lambda size: size - 1 + size % 2,
    "to_odd_up": lambda size: size + 1 - size % 2,
}


def _new_size(
    shape: PartialShape,
    mode: str,
    sizes: tuple[int, int],
    scales: tuple[float | None, float | None],
    title: str,
) -> tuple[int | None, ...]:
    """The new height and width; `shape` is that of the array that determines them."""
    if mode == "size" and scales[0] is None:
        return sizes
    if mode in _NEAREST:
        return tuple(None if size is None else _NEAREST[mode](size) for size in shape[2:])
    if None in scales:
        raise InferenceError(f"{title}: mode={mode!r} needs scale_height= and scale_width=")
    scaled = _odd_scaled if mode == "odd_scale" else _scaled
    return tuple(
        None if size is None else scaled(size, scale)  # type: ignore[arg-type]
        for size, scale in zip(shape[2:], scales, strict=True)
    )


@bilinear_resize.infer_shape
def _(n: NodeView) -> None:
    require_rank(n.data, (4,), f"{title_of(n)}: data")
    source = n.data
    if n.mode == "like":
        source = n.like
        require_rank(source, (4,), f"{title_of(n)}: like")
    new_size = _new_size(
        source, n.mode, (n.height, n.width), (n.scale_height, n.scale_width), title_of(n)
    )
    if any(size is not None and size < 1 for size in new_size):
        raise InferenceError(f"{title_of(n)}: the new size is {new_size}")
    _same_channels(n, new_size)


def _same_channels(n: NodeView, size: tuple[int | None, ...]) -> None:
    n.output = (*n.data[:2], *size)
    n.data = (*n.output[:2], None, None)


bilinear_resize.infer_dtype(floating(like("data")))


@operator("_contrib_AdaptiveAvgPooling2D", dtype=floating())
def adaptive_average_pooling(data: Array, *, output_size: Shape = ()) -> Any:
    """Divide images into parts, and return their means.

    Parameters
    ----------
    data : array of shape (batch, channels, height, width)
        Floating-point.
    output_size : int or tuple of two int, default 1
        The height and width of the output. Parts overlap if they do not divide the image evenly.
    """
    return resized(data, _parts(output_size), Averaging())


def _parts(output_size: Shape) -> tuple[int, ...]:
    return output_size if len(output_size) == 2 else (output_size or (1,)) * 2


@adaptive_average_pooling.infer_shape
def _(n: NodeView) -> None:
    require_rank(n.data, (4,), f"{title_of(n)}: data")
    if len(n.output_size) > 2 or any(size < 1 for size in n.output_size):
        raise InferenceError(
            f"{title_of(n)}: output_size={n.output_size} must be a height and width"
        )
    _same_channels(n, _parts(n.output_size))


def _declare(op: Operator, resampling: Callable[[dict[str, Any]], Resampling]) -> Operator:
    def kernel(grad: Array, data: Array, **attributes: Any) -> Array:
        return resized_back(grad, data.shape[2:], resampling(attributes))

    return companion(
        op,
        f"_backward{op.name}",
        ("grad", "data"),
        kernel,
        output_like="data",
        documentation=f"The gradient of {op.name}.",
    )


backward_resize = _declare(bilinear_resize, lambda a: Interpolation(a["align_corners"]))
bilinear_resize.gradient(
    data=lambda F, n, g: F._backward_contrib_BilinearResize2D(g, n.data, **settings_of(n))
)
backward_resize.gradient(
    grad=lambda F, n, g: F._contrib_BilinearResize2D(
        g, n.grad, mode="like", align_corners=n.align_corners
    )
)
backward_pooling = _declare(adaptive_average_pooling, lambda a: Averaging())
adaptive_average_pooling.gradient(
    data=lambda F, n, g: F._backward_contrib_AdaptiveAvgPooling2D(g, n.data, **settings_of(n))
)
backward_pooling.gradient(
    grad=lambda F, n, g: F._contrib_AdaptiveAvgPooling2D(g, output_size=n.output_size)
)
