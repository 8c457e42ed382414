"""Resizing, sampling and regions of images."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gluonic.graph import Array
from gluonic.graph.ops.resampling import Averaging, resampling_matrix
from gluonic.onnx.errors import NotExportable, NotImportable
from gluonic.onnx.library import onnx_library
from gluonic.onnx.sizes import alike, all_fixed, is_open
from gluonic.onnx.table import family
from gluonic.onnx.use import output_shape, settings_of, shape_of, size_vector
from gluonic.onnx.writer import Value

images = family("images")


def resized(o: Any, n: Any, data: Value, size: Sequence[Any], **attributes: Any) -> Value:
    """Images of another height and width."""
    target = size_vector(n, (*shape_of(n, 0)[:2], *size))
    made: Value = o.Resize(data, None, None, target, **attributes)
    return made


@images.write("_contrib_BilinearResize2D")
def _(o: Any, n: Any) -> Any:
    mode = "align_corners" if n.align_corners else "pytorch_half_pixel"
    size = output_shape(n)[2:]
    return resized(o, n, n.data, size, mode="linear", coordinate_transformation_mode=mode)


@images.write("UpSampling")
def _(o: Any, n: Any) -> Any:
    if n.sample_type == "bilinear":
        kernel, pad = 2 * n.scale - n.scale % 2, n.scale // 2
        return o.ConvTranspose(
            *n.inputs, group=n.num_filter, kernel_shape=[kernel] * 2, strides=[n.scale] * 2, pads=[pad] * 4,
            output_padding=[n.scale - kernel + 2 * pad] * 2,
        )  # fmt: skip
    enlarged = []
    for index, value in enumerate(n.inputs):
        height, width = shape_of(n, index)[2:]
        new = output_shape(n)[2:]
        if not all_fixed((height, width, *new)) and index:
            raise NotExportable("several inputs whose sizes depend on the model's inputs")
        factors = (
            [n.scale] * 2
            if not index
            else [a // b for a, b in zip(new, (height, width), strict=True)]
        )
        scales = np.array([1, 1, *factors], np.float32)
        nearest = {
            "mode": "nearest",
            "coordinate_transformation_mode": "asymmetric",
            "nearest_mode": "floor",
        }
        enlarged.append(o.Resize(value, None, scales, **nearest))
    if len(enlarged) == 1:
        return enlarged[0]
    if n.multi_input_mode == "concat":
        return o.Concat(*enlarged, axis=1)
    total = enlarged[0]
    for each in enlarged[1:]:
        total = o.Add(total, each)
    return total


@images.write("_contrib_AdaptiveAvgPooling2D")
def _(o: Any, n: Any) -> Any:
    old, new = shape_of(n, 0)[2:], output_shape(n)[2:]
    if tuple(new) == (1, 1):
        return o.GlobalAveragePool(n.data)
    if not all_fixed(old):
        raise NotExportable("an image whose size depends on the inputs")
    if all(a % b == 0 for a, b in zip(old, new, strict=True)):
        kernel = [a // b for a, b in zip(old, new, strict=True)]
        return o.AveragePool(n.data, kernel_shape=kernel, strides=kernel)
    rows, columns = (
        resampling_matrix(Averaging(), a, b).astype(n.data.dtype)
        for a, b in zip(old, new, strict=True)
    )
    return o.MatMul(o.MatMul(rows, n.data), np.ascontiguousarray(columns.T))


@images.write("_contrib_ROIAlign")
def _(o: Any, n: Any) -> Any:
    if n.position_sensitive:
        raise NotExportable("position_sensitive")
    if n.aligned and o.opset < 16:
        raise NotExportable("aligned needs opset 16")
    batch = o.cast(o.squeeze(o.slice(n.rois, [1], [0], [1]), 1), np.int64)
    boxes = o.slice(n.rois, [1], [1], [5])
    attributes: dict[str, Any] = {
        "output_height": n.pooled_size[0],
        "output_width": n.pooled_size[1],
        "sampling_ratio": max(0, n.sample_ratio),
        "spatial_scale": n.spatial_scale,
        "mode": "avg",
    }
    if o.opset >= 16:
        mode = "half_pixel" if n.aligned else "output_half_pixel"
        attributes["coordinate_transformation_mode"] = mode
    return o.RoiAlign(n.data, boxes, batch, **attributes)


@images.write("ROIPooling")
def _(o: Any, n: Any) -> Any:
    return [
        o.MaxRoiPool(
            n.data, n.rois, pooled_shape=list(n.pooled_size), spatial_scale=n.spatial_scale
        )
    ]


def _sampled(o: Any, data: Any, grid: Any) -> Any:
    """Images at positions (batch, 2, rows, columns)."""
    if o.opset < 16:
        raise NotExportable("GridSample needs opset 16")
    mode = "bilinear" if o.opset < 20 else "linear"
    positions = o.Transpose(grid, perm=[0, 2, 3, 1])
    return o.GridSample(data, positions, mode=mode, padding_mode="zeros", align_corners=1)


@images.write("BilinearSampler")
def _(o: Any, n: Any) -> Any:
    return _sampled(o, n.data, n.grid)


def _affine_grid(o: Any, n: Any, matrices: Any, size: Sequence[int]) -> Any:
    rows, columns = (np.linspace(-1, 1, length, dtype=matrices.dtype) for length in size)
    x, y = np.meshgrid(columns, rows)
    targets = np.stack([x.ravel(), y.ravel(), np.ones(x.size, x.dtype)])
    product = o.MatMul(o.Reshape(matrices, [-1, 2, 3]), targets)
    return o.Reshape(product, [0, 2, *size])


@images.write("GridGenerator", "_affine_grid")
def _(o: Any, n: Any) -> Any:
    if settings_of(n).get("transform_type", "affine") != "affine":
        raise NotExportable("transform_type='warp'")
    return _affine_grid(o, n, n.data, n.target_shape)


@images.write("SpatialTransformer")
def _(o: Any, n: Any) -> Any:
    return _sampled(o, n.data, _affine_grid(o, n, n.loc, n.target_shape))


@images.write("_image_to_tensor")
def _(o: Any, n: Any) -> Any:
    rank = len(shape_of(n, 0))
    order = [2, 0, 1] if rank == 3 else [0, 3, 1, 2]
    return o.Div(o.cast(o.Transpose(n.data, perm=order), np.float32), 255.0)


@images.write("_image_normalize")
def _(o: Any, n: Any) -> Any:
    mean, std = (np.float32(numbers).reshape(-1, 1, 1) for numbers in (n.mean, n.std))
    return o.Div(o.Sub(n.data, mean), std)


@images.write("_contrib_DeformableConvolution", "_contrib_ModulatedDeformableConvolution")
def _(o: Any, n: Any) -> Any:
    if o.opset < 19:
        raise NotExportable("DeformConv needs opset 19")
    modulated = n._application.op.name == "_contrib_ModulatedDeformableConvolution"
    rank = len(n.kernel)
    return o.DeformConv(
        n.data,
        n.weight,
        n.offset,
        n.bias,
        n.mask if modulated else None,
        kernel_shape=list(n.kernel),
        strides=list(n.stride or (1,) * rank),
        dilations=list(n.dilate or (1,) * rank),
        pads=list(n.pad or (0,) * rank) * 2,
        group=n.num_group,
        offset_group=n.num_deformable_group,
    )


# ------------------------------------------------------------------------ reading

_NEAREST: dict[str, Callable[[Array], Array]] = {
    "round_prefer_floor": lambda x: np.ceil(x - 0.5),
    "round_prefer_ceil": lambda x: np.floor(x + 0.5),
    "floor": np.floor,
    "ceil": np.ceil,
}


def _positions(mode: str, new: int, old: int, scale: float, roi: tuple[float, float]) -> Array:
    """The positions of new pixels in the old image."""
    x = np.arange(new, dtype=np.float64)
    if mode == "align_corners":
        return x * 0 if new == 1 else x * (old - 1) / (new - 1)
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
        if n.attribute("exclude_outside", 0) or (stretch < 1 and kind != "nearest"):
            weight = np.where((source < 0) | (source >= old), 0.0, weight)
        np.add.at(matrix, (rows, np.clip(source, 0, old - 1)), weight)
    return matrix / matrix.sum(1, keepdims=True)


@images.read("Resize", "Upsample")
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
        assert scales is not None
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


@images.read("RoiAlign")
def _(F: Any, n: Any) -> Any:
    if n.attribute("mode", "avg") != "avg":
        raise NotImportable("mode='max'")
    mode = n.attribute(
        "coordinate_transformation_mode", "half_pixel" if n.opset >= 16 else "output_half_pixel"
    )
    batch = F.expand_dims(F.Cast(n[2], dtype=n.dtype().name), axis=1)
    size = (n.attribute("output_height", 1), n.attribute("output_width", 1))
    ratio = n.attribute("sampling_ratio", 0)
    return F._contrib_ROIAlign(
        n[0], F.Concat(batch, n[1], dim=1), pooled_size=size, spatial_scale=n.attribute("spatial_scale", 1.0),
        sample_ratio=ratio or -1, aligned=mode == "half_pixel",
    )  # fmt: skip


@images.read("MaxRoiPool")
def _(F: Any, n: Any) -> Any:
    size, scale = tuple(n.attribute("pooled_shape")), n.attribute("spatial_scale", 1.0)
    return F.ROIPooling(n[0], n[1], pooled_size=size, spatial_scale=scale)[0]


@images.read("GridSample")
def _(F: Any, n: Any) -> Any:
    mode, padding = n.attribute("mode", "linear"), n.attribute("padding_mode", "zeros")
    if mode not in ("bilinear", "linear") or padding != "zeros" or n.rank() != 4:
        raise NotImportable(f"mode={mode!r}, padding_mode={padding!r}")
    grid = F.transpose(n[1], axes=(0, 3, 1, 2))
    if not n.attribute("align_corners", 0):
        height, width = n.fixed_shape()[2:]
        factors = np.array([width / max(1, width - 1), height / max(1, height - 1)], n.dtype(1))
        grid = F.broadcast_mul(grid, n.constant(factors.reshape(1, 2, 1, 1)))
    return F.BilinearSampler(n[0], grid)
