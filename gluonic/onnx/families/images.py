"""Resizing, sampling and regions of images."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic.graph.ops.resampling import Averaging, resampling_matrix
from gluonic.onnx.errors import NotExportable, NotImportable
from gluonic.onnx.sizes import all_fixed
from gluonic.onnx.table import family
from gluonic.onnx.use import output_shape, settings_of, shape_of, size_vector
from gluonic.onnx.writer import OnnxValue

images = family("images")
images.leave_out(
    "beyond an image's edge MXNet counts otherwise than DeformConv",
    "_contrib_DeformableConvolution", "_contrib_ModulatedDeformableConvolution",
)  # fmt: skip


def resized(o: Any, n: Any, data: OnnxValue, size: Sequence[Any], **attributes: Any) -> OnnxValue:
    """Images of another height and width."""
    target = size_vector(n, (*shape_of(n, 0)[:2], *size))
    made: OnnxValue = o.Resize(data, None, None, target, **attributes)
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


# ------------------------------------------------------------------------ reading


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
        height, width = n.fixed_shape(first=2)
        factors = np.array([width / max(1, width - 1), height / max(1, height - 1)], n.dtype(1))
        grid = F.broadcast_mul(grid, n.constant(factors.reshape(1, 2, 1, 1)))
    return F.BilinearSampler(n[0], grid)
