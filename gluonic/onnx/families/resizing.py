"""ONNX's Resize: as a layer of MXNet's where there is one, else as products with matrices."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gluonic.graph import Array
from gluonic.onnx.errors import NotImportable
from gluonic.onnx.library import onnx_library
from gluonic.onnx.sizes import alike, is_open
from gluonic.onnx.table import family

resizing = family("ONNX's resizing")

_NEAREST: dict[str, Callable[[Array], Array]] = {
    "round_prefer_floor": lambda x: np.ceil(x - 0.5),
    "round_prefer_ceil": lambda x: np.floor(x + 0.5),
    "floor": np.floor,
    "ceil": np.ceil,
}


_LARGEST_MATRIX = 1 << 26
"""The most elements of a matrix that resizes an axis."""


def _positions(mode: str, new: int, old: int, scale: float, roi: tuple[float, float]) -> Array:
    """The positions of new pixels in the old image."""
    x = np.arange(new, dtype=np.float64)
    if mode == "align_corners":
        return x * 0 if new == 1 else x * (old - 1) / (scale * old - 1)
    if mode == "asymmetric":
        return x / scale
    if mode == "pytorch_half_pixel" and new == 1:
        return x * 0
    if mode in ("half_pixel", "pytorch_half_pixel"):
        return (x + 0.5) / scale - 0.5
    if mode == "half_pixel_symmetric":
        adjustment = new / (scale * old)
        return old / 2 * (1 - adjustment) + (x + 0.5) / scale - 0.5
    if mode == "tf_crop_and_resize":
        begin, end = roi
        if new == 1:
            return x * 0 + 0.5 * (begin + end) * (old - 1)
        return begin * (old - 1) + x * (end - begin) * (old - 1) / (new - 1)
    raise NotImportable(f"coordinate_transformation_mode={mode!r}")


def _cubic(distance: Array, a: float) -> Array:
    d = np.abs(distance)
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return np.where(d <= 1, near, np.where(d < 2, far, 0.0))


def resize_matrix(n: Any, old: int, new: int, scale: float, roi: tuple[float, float]) -> Array:
    """The weights of old pixels in new ones along an axis, (new, old), by ONNX's definition of Resize."""
    kind = n.attribute("mode", "nearest")
    if old * new > _LARGEST_MATRIX:
        raise NotImportable(f"a resizing from {old:,} to {new:,} pixels along an axis")
    at = _positions(
        n.attribute("coordinate_transformation_mode", "half_pixel"), new, old, scale, roi
    )
    matrix = np.zeros((new, old))
    rows = np.arange(new)
    if kind == "nearest":
        rule = _NEAREST[n.attribute("nearest_mode", "round_prefer_floor")]
        np.add.at(matrix, (rows, np.clip(rule(at), 0, old - 1).astype(int)), 1.0)
        return matrix
    stretch = min(scale, 1.0) if n.attribute("antialias", 0) else 1.0
    reach = (2 if kind == "cubic" else 1) / stretch
    first, count = np.floor(at - reach).astype(int), int(np.ceil(2 * reach)) + 2
    a = n.attribute("cubic_coeff_a", -0.75)
    for step in range(count):
        source = first + step
        distance = (source - at) * stretch
        weight = _cubic(distance, a) if kind == "cubic" else np.maximum(0, 1 - np.abs(distance))
        if n.attribute("exclude_outside", 0):
            weight = np.where((source < 0) | (source >= old), 0.0, weight)
        np.add.at(matrix, (rows, np.clip(source, 0, old - 1)), weight)
    scaled: Array = matrix / matrix.sum(1, keepdims=True)
    return scaled


@resizing.read("Resize", "Upsample")
def _(F: Any, n: Any) -> Any:
    shape = n.shape()
    axes = [axis % len(shape) for axis in n.attribute("axes") or range(len(shape))]
    scales, sizes, roi = _wanted_sizes(n)
    done = _as_layer(F, n, shape, axes, scales, sizes)
    if done is not None:
        return done
    shape = n.fixed_shape()
    data = n[0]
    if n.node.op_type == "Upsample":
        n.attributes = {
            **n.attributes,
            "coordinate_transformation_mode": _text("asymmetric"),
            "nearest_mode": _text("floor"),
        }
    factors, targets = _factors(n, [shape[axis] for axis in axes], scales, sizes)
    data = data if n.dtype().kind == "f" else F.Cast(data, dtype="float64")
    dtype = n.dtype() if n.dtype().kind == "f" else np.dtype(np.float64)
    inside = None
    for position, (axis, factor, target) in enumerate(zip(axes, factors, targets, strict=True)):
        bounds = (float(roi[position]), float(roi[len(axes) + position])) if roi else (0.0, 1.0)
        matrix = resize_matrix(n, shape[axis], target, factor, bounds).astype(dtype)
        if n.attribute("coordinate_transformation_mode") == "tf_crop_and_resize":
            at = _positions("tf_crop_and_resize", target, shape[axis], factor, bounds)
            line = ((at >= 0) & (at <= shape[axis] - 1)).reshape(
                [-1 if i == axis else 1 for i in range(len(shape))]
            )
            inside = line if inside is None else inside & line
        if target == shape[axis] and np.array_equal(matrix, np.eye(target, dtype=dtype)):
            continue
        order = [i for i in range(len(shape)) if i != axis]
        product = F.dot(
            F.transpose(data, axes=(*order, axis)), n.constant(np.ascontiguousarray(matrix.T))
        )
        back = list(range(len(shape) - 1))
        back.insert(axis, len(shape) - 1)
        data = F.transpose(product, axes=tuple(back))
    if inside is not None and not inside.all():
        outside = n.constant(
            np.full((1,) * len(shape), n.attribute("extrapolation_value", 0.0), dtype)
        )
        data = F._npi_where(n.constant(inside), data, outside)
    if n.dtype().kind != "f":
        data = F.Cast(F._npi_around(data), dtype=n.dtype().name)
    return F._copy(data) if data is n[0] else data


def _text(value: str) -> Any:
    return onnx_library().helper.make_attribute("text", value)


def _wanted_sizes(n: Any) -> tuple[list[float] | None, list[Any] | None, list[float] | None]:
    """The factors or the sizes, and the region."""
    if n.node.op_type == "Upsample":
        return (n.attribute("scales") if n.opset < 9 else n.numbers(1)), None, None
    if n.opset < 11:
        return n.numbers(1), None, None
    scales = n.numbers(2) if n.has(2) else None
    sizes = n.numbers(3) if n.has(3) else None
    return scales or None, sizes, (n.numbers(1) if n.has(1) else None) or None


def _factors(
    n: Any, old: Sequence[int], scales: list[float] | None, sizes: list[Any] | None
) -> tuple[list[float], list[int]]:
    """The factor and the new length of each axis."""
    if sizes is None:
        if scales is None:
            raise NotImportable("neither scales nor sizes")
        return list(scales), [
            int(np.floor(size * factor)) for size, factor in zip(old, scales, strict=True)
        ]
    policy = n.attribute("keep_aspect_ratio_policy", "stretch")
    factors = [new / size for new, size in zip(sizes, old, strict=True)]
    if policy != "stretch":
        factor = (min if policy == "not_larger" else max)(factors)
        return [factor] * len(old), [int(np.floor(size * factor + 0.5)) for size in old]
    return factors, [int(size) for size in sizes]


def _as_layer(
    F: Any, n: Any, shape: Any, axes: list[int], scales: list[float] | None, sizes: list[Any] | None
) -> Any:
    """A resizing of images that MXNet has a layer for; None otherwise."""
    if (
        len(shape) != 4
        or axes != [0, 1, 2, 3]
        or n.dtype().kind != "f"
        or n.attribute("antialias", 0)
    ):
        return None
    kind = n.attribute("mode", "nearest")
    where = n.attribute("coordinate_transformation_mode", "half_pixel")
    if n.node.op_type == "Upsample" or n.opset < 11:
        where = "asymmetric"
    if scales is not None and kind == "nearest" and where == "asymmetric":
        rule = n.attribute(
            "nearest_mode",
            "floor" if n.opset < 11 or n.node.op_type == "Upsample" else "round_prefer_floor",
        )
        factor = scales[2]
        if (
            scales[:2] == [1, 1]
            and scales[3] == factor
            and factor == int(factor)
            and rule == "floor"
        ):
            return F.UpSampling(n[0], scale=int(factor), sample_type="nearest")
    if kind == "linear" and where in ("align_corners", "half_pixel", "pytorch_half_pixel"):
        if any(map(is_open, shape)):
            return _scaled_linearly(F, n, shape, scales, sizes, where == "align_corners")
        if (
            sizes is None
            or any(map(is_open, sizes[2:]))
            or not all(map(alike, sizes[:2], shape[:2]))
        ):
            return None
        height, width = (int(size) for size in sizes[2:])
        if where == "half_pixel" and 1 in (height, width):
            return None
        aligned = where == "align_corners"
        return F._contrib_BilinearResize2D(n[0], height=height, width=width, align_corners=aligned)
    return None


def _scaled_linearly(
    F: Any, n: Any, shape: Any, scales: list[float] | None, sizes: list[Any] | None, aligned: bool
) -> Any:
    """Batches or images of open sizes, resized by whole factors; None if these are none."""
    factors: Sequence[float | None] = scales or [
        _whole_factor(*pair) for pair in zip(sizes or (), shape, strict=True)
    ]
    whole = [float(each) for each in factors if each is not None and each == int(each)]
    if len(whole) != len(shape) or whole[:2] != [1, 1]:
        return None
    height, width = whole[2:]
    return F._contrib_BilinearResize2D(
        n[0], scale_height=height, scale_width=width, align_corners=aligned
    )


def _whole_factor(new: Any, old: Any) -> int | None:
    """The whole number that an extent is multiplied by."""
    if not is_open(new) or not is_open(old):
        return (
            new // old if not is_open(new) and not is_open(old) and old and new % old == 0 else None
        )
    factor = new.terms[0][1] // old.terms[0][1]
    return factor if alike(new, old * factor) else None
