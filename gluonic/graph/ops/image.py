"""Operators on images as files hold them, (height, width, channels), or batches of them."""

from typing import Any

import numpy as np

from gluonic.graph.adjoint import adjoint
from gluonic.graph.attributes import Shape
from gluonic.graph.axes import Extent, require_rank
from gluonic.graph.errors import InferenceError
from gluonic.graph.interpolation import KINDS, resample
from gluonic.graph.opencv import opencv, portably
from gluonic.graph.operator import Array, operator
from gluonic.graph.rules import like, output_dtype, same
from gluonic.graph.view import NodeView, PartialShape, peek, slots_of, title_of, written

Numbers = tuple[float, ...]


def _require_colours(extent: Extent, n: NodeView) -> None:
    if extent not in (1, 3, None):
        raise InferenceError(f"{title_of(n)}: an image has 1 or 3 channels, not {extent}")


@operator("_image_to_tensor", dtype=output_dtype("float32"))
def to_tensor(data: Array) -> Any:
    """Put the channels first and divide by 255.

    Parameters
    ----------
    data : (height, width, channels) or (batch, height, width, channels)

    Returns
    -------
    array
        (channels, height, width) or (batch, channels, height, width), float32
    """
    kind = np.result_type(data.dtype, np.float32)
    return np.moveaxis(data, -1, -3).astype(kind, order="C") / 255


@to_tensor.infer_shape
def _(n: NodeView) -> None:
    if (output := peek(n, "output")) is not None:
        n.data = (*output[:-3], *output[-2:], output[-3])
    require_rank(n.data, (3, 4), f"{title_of(n)}: data")
    *batch, height, width, channels = n.data
    n.output = (*batch, channels, height, width)


@adjoint(to_tensor, dtype=like("data"))
def _(grad: Array, data: Array) -> Any:
    """Put the channels of the gradient last again and divide by 255."""
    return np.moveaxis(grad, -3, -1) / grad.dtype.type(255)


@operator("_image_normalize")
def normalize(
    data: Array, *, mean: Numbers = (0.0, 0.0, 0.0, 0.0), std: Numbers = (1.0, 1.0, 1.0, 1.0)
) -> Any:
    """Subtract a mean from each channel and divide it by a standard deviation.

    Parameters
    ----------
    data : (channels, height, width) or (batch, channels, height, width)
    mean, std : one number, or one for each channel
    """
    shift, scale = (np.reshape(each, (-1, 1, 1)).astype(np.float32) for each in (mean, std))
    if data.dtype == np.float64:
        shift, scale = shift.astype(np.float64), scale.astype(np.float64)
    return (data - shift) / scale


@normalize.infer_shape
def _(n: NodeView) -> None:
    same(n)
    require_rank(n.data, (3, 4), f"{title_of(n)}: data")
    channels = n.data[-3]
    _require_colours(channels, n)
    for name in ("mean", "std"):
        count = len(getattr(n, name))
        if channels is not None and count not in (1, channels):
            raise InferenceError(
                f"{title_of(n)}: {name} has {count} numbers for {channels} channels"
            )


normalize.gradient(data=lambda F, n, g: F._image_normalize(g, mean=(0.0,), std=n.std))


@operator("_image_crop")
def crop(data: Array, *, x: int, y: int, width: int, height: int) -> Any:
    """Cut out a rectangle.

    Parameters
    ----------
    data : (height, width, channels) or (batch, height, width, channels)
    x, y : the left and the upper edge of the rectangle
    width, height : its size
    """
    return data[..., y : y + height, x : x + width, :]


@crop.infer_shape
def _(n: NodeView) -> None:
    require_rank(n.data, (3, 4), f"{title_of(n)}: data")
    *batch, height, width, channels = n.data
    _require_colours(channels, n)
    for start, length, extent in ((n.y, n.height, height), (n.x, n.width, width)):
        if min(length - 1, start) < 0 or (extent is not None and start + length > extent):
            raise InferenceError(
                f"{title_of(n)}: the rectangle of {n.width}x{n.height} at ({n.x}, {n.y}) does not lie"
                f" inside the image {written(n.data)}"
            )
    n.output = (*batch, n.height, n.width, channels)


@adjoint(crop)
def _(grad: Array, data: Array, *, x: int, y: int, width: int, height: int) -> Any:
    """Put the gradient where the rectangle was, zeros elsewhere."""
    result = np.zeros_like(data)
    result[..., y : y + height, x : x + width, :] = grad
    return result


def single_image(n: NodeView) -> None:
    """The shape rule: the output is like the input, one image of one or three channels."""
    same(n)
    require_rank(n.data, (3,), f"{title_of(n)}: data")
    _require_colours(n.data[2], n)


@operator("_image_flip_left_right", shape=single_image)
def flip_left_right(data: Array) -> Any:
    """Mirror an image, (height, width, channels), left to right."""
    return data[:, ::-1]


@operator("_image_flip_top_bottom", shape=single_image)
def flip_top_bottom(data: Array) -> Any:
    """Mirror an image, (height, width, channels), top to bottom."""
    return data[::-1]


flip_left_right.gradient(data=lambda F, n, g: F._image_flip_left_right(g))
flip_top_bottom.gradient(data=lambda F, n, g: F._image_flip_top_bottom(g))


_MOST_CHANNELS = 4  # of what all of OpenCV's ways of resizing take


def _resampled(images: Array, size: tuple[int, int], kind: int) -> Any:
    """Resample images, (..., height, width, channels); OpenCV is many times as fast, where it is installed."""
    cv2 = opencv()
    if cv2 is None or images.size == 0 or images.shape[-1] > _MOST_CHANNELS:
        return np.moveaxis(resample(np.moveaxis(images, -1, -3), size, kind), -3, -1)
    if images.ndim == 3:
        return portably(cv2.resize, images, size[::-1], interpolation=kind)
    return np.stack(
        [portably(cv2.resize, image, size[::-1], interpolation=kind) for image in images]
    )


@operator("_image_resize")
def resize(data: Array, *, size: Shape = (), keep_ratio: bool = False, interp: int = 1) -> Any:
    """Resize images.

    Parameters
    ----------
    data : (height, width, channels) or (batch, height, width, channels), uint8 or floating
    size : (width, height), or one number for both
    keep_ratio : with one number, give the shorter side that length and keep the aspect ratio
    interp : 0 takes the nearest pixel, 1 interpolates linearly, 2 cubically, 3 averages areas, 4
        applies Lanczos's window
    """
    height, width = data.shape[-3:-1]
    new = _new_size(height, width, size, keep_ratio)
    assert new is not None
    return _resampled(data, new, interp)


def _new_size(
    height: Extent, width: Extent, size: Shape, keep_ratio: bool
) -> tuple[int, int] | None:
    """Find the new height and width, None as long as they depend on unknown ones."""
    if len(size) == 2:
        return size[1], size[0]
    if not keep_ratio:
        return size[0], size[0]
    if height is None or width is None:
        return None
    if height > width:
        return height * size[0] // width, size[0]
    return size[0], width * size[0] // height


def _check_resizing(n: NodeView, size: Shape, kind: int) -> None:
    if len(size) not in (1, 2) or min(size) < 1:
        raise InferenceError(f"{title_of(n)}: size {size} must be one or two positive numbers")
    if kind not in KINDS:
        raise InferenceError(f"{title_of(n)}: interp is {kind} but must be one of {KINDS}")


@resize.infer_shape
def _(n: NodeView) -> None:
    _check_resizing(n, n.size, n.interp)
    require_rank(n.data, (3, 4), f"{title_of(n)}: data")
    *batch, height, width, channels = n.data
    new = _new_size(height, width, n.size, n.keep_ratio)
    n.output = (*batch, *(new or (None, None)), channels)


def resizable(n: NodeView) -> None:
    """Give the output the dtype of the input, which must be uint8, float32 or float64."""
    same(n)
    dtype = next(iter(slots_of(n).values()))
    if dtype is not None and dtype not in (np.uint8, np.float32, np.float64):
        raise InferenceError(f"{title_of(n)}: images of dtype {dtype.name} cannot be resized")


resize.infer_dtype(resizable)


@operator("_cvimresize", dtype=resizable)
def imresize(src: Array, *, w: int, h: int, interp: int = 1) -> Any:
    """Resize one image, (height, width, channels), to height `h` and width `w` as `_image_resize`."""
    return _resampled(src, (h, w), interp)


@imresize.infer_shape
def _(n: NodeView) -> None:
    _check_resizing(n, (n.w, n.h), n.interp)
    require_rank(n.src, (3,), f"{title_of(n)}: src")
    n.output = (n.h, n.w, n.src[2])


_BORDERS: dict[int, Any] = {0: "constant", 1: "edge", 2: "symmetric", 3: "wrap", 4: "reflect"}
_ISOLATED = (
    16  # OpenCV's flag for parts of larger images: not to look beyond them, which no operator does
)


@operator("_cvcopyMakeBorder")
def copy_make_border(
    src: Array,
    *,
    top: int,
    bot: int,
    left: int,
    right: int,
    type: int = 0,
    value: float = 0.0,
    values: Numbers = (),
) -> Any:
    """Add a border to an image, (height, width, channels).

    Parameters
    ----------
    src : the image
    top, bot, left, right : width of the border, in pixels
    type : 0 for one colour, 1 repeats the outermost pixels, 2 mirrors the image, 3 starts it again, 4
        mirrors it without repeating the outermost pixels; 16 more than that means the same
    value, values : with type 0, the fill value, or one for each channel
    """
    height, width, channels = src.shape
    if kind := type & ~_ISOLATED:
        return np.pad(src, ((top, bot), (left, right), (0, 0)), _BORDERS[kind])
    result = np.empty_like(src, shape=(top + height + bot, left + width + right, channels))
    result[:] = np.asarray(values[:channels] or value).astype(src.dtype)
    result[top : top + height, left : left + width] = src
    return result


@copy_make_border.infer_shape
def _(n: NodeView) -> None:
    require_rank(n.src, (3,), f"{title_of(n)}: src")
    if n.type & ~_ISOLATED not in _BORDERS or min(n.top, n.bot, n.left, n.right) < 0:
        raise InferenceError(
            f"{title_of(n)}: there is no border of type {n.type}, nor one of negative width"
        )
    height, width, channels = n.src
    if channels is not None and 0 < len(n.values) < channels:
        raise InferenceError(
            f"{title_of(n)}: values {n.values} are too few for {channels} channels"
        )
    size: PartialShape = (
        None if height is None else height + n.top + n.bot,
        None if width is None else width + n.left + n.right,
    )
    n.output = (*size, channels)
