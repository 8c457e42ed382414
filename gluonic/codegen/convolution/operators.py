"""Operators on images in blocks of channels, for graphs that the compiler rewrites; users never see them.

Each has a NumPy kernel, which defines what its machine code computes.
"""

import json
from math import prod
from typing import Any

import numpy as np

from gluonic.codegen.convolution.filters import Filters, blocks_of
from gluonic.codegen.convolution.phases import position_count
from gluonic.codegen.loops.inner_operators import inner_operator
from gluonic.codegen.loops.semantics import function_of
from gluonic.graph import REGISTRY, Application, Array
from gluonic.graph.attributes import Shape
from gluonic.graph.families import Expression
from gluonic.graph.ops.convolution_kernels import convolve
from gluonic.graph.ops.windows import windows_of
from gluonic.graph.scalar_math import M
from gluonic.graph.view import NodeView, complete

# -- layouts ------------------------------------------------------------------------------------


@inner_operator("_to_blocks")
def to_blocks(data: Array, *, lanes: int, groups: int = 1, padding: Shape = (0, 0, 0, 0)) -> Any:
    """Convert planes to blocks of channels (NCHWc), group by group, padded with zeros."""
    batch, channels, rows, columns = data.shape
    own = channels // groups
    blocks = blocks_of(own, lanes)
    top, left, bottom, right = padding
    shape = (batch, groups, blocks * lanes, rows + top + bottom, columns + left + right)
    result = np.zeros(shape, data.dtype)
    inside = result[:, :, :own, top : top + rows, left : left + columns]
    inside[...] = data.reshape(batch, groups, own, rows, columns)
    parts = result.reshape(batch, groups * blocks, lanes, *shape[3:])
    return np.ascontiguousarray(parts.transpose(0, 1, 3, 4, 2))


@to_blocks.infer_shape
def _(n: NodeView) -> None:
    batch, channels, rows, columns = complete(n.data)
    top, left, bottom, right = n.padding
    blocks = n.groups * blocks_of(channels // n.groups, n.lanes)
    n.output = (batch, blocks, rows + top + bottom, columns + left + right, n.lanes)


@inner_operator("_to_planes")
def to_planes(data: Array, *, channels: int, groups: int = 1) -> Any:
    """Undo `to_blocks`, without padding."""
    batch, _, rows, columns, _ = data.shape
    planes = data.transpose(0, 1, 4, 2, 3).reshape(batch, groups, -1, rows, columns)
    return planes[:, :, : channels // groups].reshape(batch, channels, rows, columns)


@to_planes.infer_shape
def _(n: NodeView) -> None:
    batch, _, rows, columns, _ = complete(n.data)
    n.output = (batch, n.channels, rows, columns)


@inner_operator("_pad_images")
def pad_images(data: Array, *, padding: Shape) -> Any:
    """Pad images with zeros, in planes or in blocks."""
    top, left, bottom, right = padding
    widths = [(0, 0), (0, 0), (top, bottom), (left, right), (0, 0)]
    return np.pad(data, widths[: data.ndim])


@pad_images.infer_shape
def _(n: NodeView) -> None:
    batch, channels, rows, columns, *block = complete(n.data)
    top, left, bottom, right = n.padding
    n.output = (batch, channels, rows + top + bottom, columns + left + right, *block)


@inner_operator("_subsample")
def subsample(data: Array, *, steps: Shape) -> Any:
    """Every step-th position of images in blocks."""
    return np.ascontiguousarray(data[:, :, :: steps[0], :: steps[1]])


@subsample.infer_shape
def _(n: NodeView) -> None:
    batch, blocks, rows, columns, lanes = complete(n.data)
    down, across = n.steps
    n.output = (batch, blocks, -(-rows // down), -(-columns // across), lanes)


@inner_operator("_to_channel_blocks")
def to_channel_blocks(data: Array, *, lanes: int, groups: int = 1) -> Any:
    """Pad a vector over channels to whole blocks, group by group."""
    parts = data.reshape(groups, -1)
    result = np.zeros((groups, blocks_of(parts.shape[1], lanes) * lanes), data.dtype)
    result[:, : parts.shape[1]] = parts
    return result.reshape(1, -1, 1, 1, lanes)


@to_channel_blocks.infer_shape
def _(n: NodeView) -> None:
    own = complete(n.data)[0] // n.groups
    n.output = (1, n.groups * blocks_of(own, n.lanes), 1, 1, n.lanes)


# -- filters ------------------------------------------------------------------------------------


def filters_of(n: Any) -> Filters:
    """The filters that attributes describe."""
    return Filters(
        n.channels, n.filters, n.groups, n.kernel, n.stride, n.dilate, n.planar, n.depthwise
    )


def packed_in_order(weight: Array, filters: Filters, tile: int, lanes: int) -> Array:
    """Pack filters in the order of access."""
    blocks = blocks_of(filters.filters, lanes)
    shape = (filters.groups, blocks * lanes, filters.channels, *filters.kernel)
    whole = np.zeros(shape, weight.dtype)
    whole[:, : filters.filters] = weight.reshape(
        filters.groups, filters.filters, filters.channels, *filters.kernel
    )
    block = filters.block(lanes)
    parts = [
        group[first : first + tile * lanes, start : start + block].transpose(2, 3, 1, 0).ravel()
        for group in whole
        for first in range(0, blocks * lanes, tile * lanes)
        for start in range(0, filters.channels, block)
    ]
    return np.concatenate(parts)


def unpacked_from_order(packed: Array, filters: Filters, tile: int, lanes: int) -> Array:
    """Undo `packed_in_order`."""
    shape = (filters.groups * filters.filters, filters.channels, *filters.kernel)
    order = packed_in_order(np.arange(1, prod(shape) + 1).reshape(shape), filters, tile, lanes)
    weight = np.zeros(prod(shape) + 1, packed.dtype)
    weight[order] = packed[: order.size]
    return weight[1:].reshape(shape)


@inner_operator("_pack_filters", absent=lambda n: () if n.scaled else ("scale",))
def pack_filters(
    weight: Array,
    scale: Array | None = None,
    *,
    channels: int,
    filters: int,
    groups: int,
    kernel: Shape,
    planar: bool,
    depthwise: bool,
    tile: int,
    lanes: int,
    scaled: bool,
    remembers: bool,
) -> Any:
    """Put filters into the order in which tiles of blocks read them; multiplied by `scale`.

    With `remembers` there is space for fingerprints after them.
    """
    found = Filters(channels, filters, groups, kernel, planar=planar, depthwise=depthwise)
    if scale is not None:
        weight = weight * scale.reshape(-1, 1, 1, 1)
    return np.pad(
        packed_in_order(weight, found, tile, lanes), (0, memory_of(found, lanes, remembers))
    )


def memory_of(filters: Filters, lanes: int, remembers: bool) -> int:
    """The number of elements that fingerprints take."""
    return 2 * filters.groups * blocks_of(filters.filters, lanes) if remembers else 0


@pack_filters.infer_shape
def _(n: NodeView) -> None:
    found = Filters(n.channels, n.filters, n.groups, n.kernel)
    n.output = (found.packed_size(n.lanes) + memory_of(found, n.lanes, n.remembers),)


# -- convolution --------------------------------------------------------------------------------


def absent_in_epilogue(n: Any) -> list[str]:
    """The operands of an epilogue that a use does not have."""
    has = {"shift": n.has_shift, "residual": n.has_residual}
    return [name for name, present in has.items() if not present]


def _absent(n: Any) -> list[str]:
    return [*absent_in_epilogue(n), *([] if any(n.apart) else ["spatial"])]


def attributes_of(activation: Application | None) -> dict[str, str]:
    """The attributes that name the element-wise operator applied last."""
    if activation is None:
        return {"activation": "", "activation_attributes": "{}"}
    settings = json.dumps(activation.settings)
    return {"activation": activation.op.name, "activation_attributes": settings}


def activation_of(activation: str, activation_attributes: str) -> Expression:
    """The element-wise operator that such attributes name, as a function of one element."""
    if not activation:
        return lambda m, element: element
    function = function_of(REGISTRY[activation].apply(json.loads(activation_attributes)))
    assert function is not None
    return function


def epilogue_of(activation: str, activation_attributes: str) -> Expression:
    """The function of a sum and of what is added to it, with the operator that such attributes name."""
    applied = activation_of(activation, activation_attributes)

    def expression(m: Any, total: Any, *others: Any) -> Any:
        for other in others:
            total = total + other
        return applied(m, total)

    return expression


@inner_operator("_convolve_blocks", absent=_absent)
def convolve_blocks(
    data: Array,
    packed: Array,
    shift: Array | None = None,
    residual: Array | None = None,
    spatial: Array | None = None,
    *,
    channels: int,
    filters: int,
    groups: int,
    kernel: Shape,
    stride: Shape,
    dilate: Shape,
    planar: bool,
    depthwise: bool,
    tile: int,
    lanes: int,
    has_shift: bool = False,
    has_residual: bool = False,
    activation: str = "",
    activation_attributes: str = "{}",
    first: Shape = (0, 0),
    remainder: Shape = (0, 0),
    apart: Shape = (),
) -> Any:
    """Convolve padded images; the output is in blocks: activation(sum + shift + residual).

    With `spatial`, the extents of other images (`spatial_extents`), windows begin at position `first`: one for
    each of their rows and columns with one remainder, which are `apart` from each other.
    """
    found = Filters(channels, filters, groups, kernel, stride, dilate, planar, depthwise)
    weight = unpacked_from_order(packed, found, tile, lanes)
    members = channels * (filters if depthwise else groups)
    images = (
        data
        if planar
        else to_planes.kernel(data, channels=members, groups=1 if depthwise else groups)
    )
    windows = windows_of(kernel, stride, (), dilate)
    if spatial is not None:
        images = images[:, :, first[0] :, first[1] :]
        counts = map(position_count, spatial.shape, remainder, apart)
        rows, columns = (
            (count - 1) * step + extent
            for count, step, extent in zip(counts, stride, windows.extents(), strict=True)
        )
        images = images[:, :, :rows, :columns]
    planes = convolve(images, weight, windows, filters if depthwise else groups)
    result = to_blocks.kernel(planes, lanes=lanes, groups=groups)
    others = [x for x in (shift, residual) if x is not None]
    return epilogue_of(activation, activation_attributes)(M, result, *others)


@convolve_blocks.infer_shape
def _(n: NodeView) -> None:
    batch, _, *spatial = complete(n.data)
    if n.apart:
        rows, columns = map(position_count, complete(n.spatial)[:2], n.remainder, n.apart)
    else:
        windows = windows_of(n.kernel, n.stride, (), n.dilate)
        rows, columns = windows.counts(tuple(spatial[:2]))
    n.output = (batch, n.groups * blocks_of(n.filters, n.lanes), rows, columns, n.lanes)
