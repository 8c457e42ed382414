"""Windows that slide over images: the shared part of convolution and pooling."""

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array
from gluonic.graph.view import PartialShape, written

Layout = Literal["NCW", "NCHW", "NCDHW", "NWC", "NHWC", "NDHWC"]
Tuning = Literal["off", "limited_workspace", "fastest"]


class Windows(NamedTuple):
    """The geometry of sliding windows.

    Attributes
    ----------
    kernel : number of taps along each axis
    stride : distance between windows
    dilate : distance between taps
    pad : padding at both ends of each axis
    channels_last : whether the channels come after the spatial axes
    """

    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    dilate: tuple[int, ...]
    pad: tuple[int, ...]
    channels_last: bool

    def extents(self) -> tuple[int, ...]:
        """The extent of a window along each axis."""
        return tuple(1 + (k - 1) * d for k, d in zip(self.kernel, self.dilate, strict=True))

    def counts(self, spatial: tuple[int, ...]) -> tuple[int, ...]:
        """The number of windows along each axis."""
        return tuple(
            (size + 2 * pad - extent) // stride + 1
            for size, pad, extent, stride in zip(
                spatial, self.pad, self.extents(), self.stride, strict=True
            )
        )

    def taps(self, counts: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
        """Each tap of a window, and the slices that take this tap from all windows."""
        for tap in np.ndindex(*self.kernel):
            yield (
                tap,
                tuple(
                    slice(i * d, i * d + s * (count - 1) + 1, s)
                    for i, d, s, count in zip(tap, self.dilate, self.stride, counts, strict=True)
                ),
            )


def is_channels_last(layout: str | None) -> bool:
    """Whether a layout has the channels after the spatial axes."""
    return layout is not None and layout[-1] == "C"


def windows_of(
    kernel: tuple[int, ...],
    stride: tuple[int, ...],
    pad: tuple[int, ...],
    dilate: tuple[int, ...] = (),
    layout: str | None = None,
    title: str = "",
) -> Windows:
    """The windows that attributes describe; empty attributes mean ones, empty padding zeros.

    Raises
    ------
    InferenceError
        if the attributes differ in their number of dimensions, or are out of range
    """
    rank = len(kernel)
    if rank not in (1, 2, 3):
        raise InferenceError(f"{title}: kernel={kernel} must have 1, 2 or 3 dimensions")
    if layout is not None and len(layout) != rank + 2:
        raise InferenceError(f"{title}: layout {layout} does not match kernel={kernel}")
    found = Windows(
        kernel,
        stride or (1,) * rank,
        dilate or (1,) * rank,
        pad or (0,) * rank,
        is_channels_last(layout),
    )
    for name, least in (("kernel", 1), ("stride", 1), ("dilate", 1), ("pad", 0)):
        value = getattr(found, name)
        if len(value) != rank or min(value) < least:
            raise InferenceError(
                f"{title}: {name}={value} must be {rank} numbers, none below {least}, "
                f"to match kernel={kernel}"
            )
    return found


def channels_first(array: Array, channels_last: bool) -> Array:
    """The array with the channels along axis 1."""
    return np.moveaxis(array, -1, 1) if channels_last else array


def channels_back(array: Array, channels_last: bool) -> Array:
    """The inverse of `channels_first`."""
    return np.moveaxis(array, 1, -1) if channels_last else array


def first_shape(shape: PartialShape, channels_last: bool) -> PartialShape:
    """The shape that `channels_first` gives an array."""
    return (shape[0], shape[-1], *shape[1:-1]) if channels_last else shape


def back_shape(shape: PartialShape, channels_last: bool) -> PartialShape:
    """The inverse of `first_shape`."""
    return (shape[0], *shape[2:], shape[1]) if channels_last else shape


def require_spatial_axes(shape: PartialShape, windows: Windows, title: str) -> None:
    """Refuse data whose number of dimensions does not match the windows."""
    if len(shape) != len(windows.kernel) + 2:
        raise InferenceError(
            f"{title}: data is {written(shape)}, but kernel={windows.kernel} needs "
            f"{len(windows.kernel) + 2} dimensions: (batch, channels, spatial…)"
        )


def padded(array: Array, before: tuple[int, ...], after: tuple[int, ...], fill: Any = 0) -> Array:
    """The array (batch, channels, spatial…), padded at both ends."""
    if not any(before) and not any(after):
        return array
    sizes = [b + size + a for b, size, a in zip(before, array.shape[2:], after, strict=True)]
    result = np.full((*array.shape[:2], *sizes), fill, array.dtype)
    result[inner(array.shape[2:], before)] = array
    return result


def inner(spatial: tuple[int, ...], before: tuple[int, ...]) -> tuple[slice, ...]:
    """The index of the original array in a padded one."""
    return (
        slice(None),
        slice(None),
        *(slice(b, b + size) for b, size in zip(before, spatial, strict=True)),
    )


def window_view(array: Array, windows: Windows, counts: tuple[int, ...]) -> Array:
    """All windows as one array (batch, channels, kernel…, windows…), without a copy."""
    steps = array.strides[2:]
    return as_strided(
        array,
        (*array.shape[:2], *windows.kernel, *counts),
        (
            *array.strides[:2],
            *(step * d for step, d in zip(steps, windows.dilate, strict=True)),
            *(step * s for step, s in zip(steps, windows.stride, strict=True)),
        ),
        writeable=False,
    )
