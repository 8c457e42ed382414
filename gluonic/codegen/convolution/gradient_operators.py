"""Gradients of convolutions of images in blocks: operators of rewritten graphs, and their steps."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from gluonic.codegen.convolution.filter_gradient import emit_filter_gradient
from gluonic.codegen.convolution.filter_packing import (
    FilterForm,
    Taps,
    emit_pack_turned_filters,
    emit_unpack_filters,
)
from gluonic.codegen.convolution.filters import Filters
from gluonic.codegen.convolution.geometry import Geometry
from gluonic.codegen.convolution.gradient_form import (
    GradientForm,
    gradient_numbers,
    gradient_units,
    specialized_extents,
)
from gluonic.codegen.convolution.operators import (
    filters_of,
    packed_in_order,
    to_planes,
    unpacked_from_order,
)
from gluonic.codegen.convolution.phases import emit_interleave
from gluonic.codegen.convolution.steps import (
    BlockStep,
    FiltersStep,
    ImageStep,
    padding_rows,
    strides_of_blocks,
    strides_of_planes,
)
from gluonic.codegen.loops.costs import NANOSECONDS_A_PRODUCT
from gluonic.codegen.loops.inner_operators import inner_operator
from gluonic.codegen.lowerings.entry import lower
from gluonic.codegen.machine.target import host
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph import Array, Node
from gluonic.graph.attributes import Shape
from gluonic.graph.ops.convolution_kernels import convolve_weight
from gluonic.graph.ops.windows import windows_of
from gluonic.graph.view import NodeView, complete


@inner_operator("_pack_turned_filters")
def pack_turned_filters(
    weight: Array,
    *,
    channels: int,
    filters: int,
    groups: int,
    kernel: Shape,
    planar: bool,
    depthwise: bool,
    tile: int,
    lanes: int,
    whole: Shape,
    last: Shape,
    steps: Shape,
) -> Any:
    """Pack filters for the gradient: rotated, with input and output channels exchanged.

    `channels`, `filters` and `kernel` are those of the gradient. The given filters have the size `whole`; the
    result has their taps from `last` on, in steps of `steps` towards the first.
    """
    found = Filters(channels, filters, groups, kernel, depthwise=depthwise)
    down, across = (
        [end - step * i for i in range(size)]
        for end, step, size in zip(last, steps, kernel, strict=True)
    )
    turned = weight.reshape(groups, channels, filters, *whole)[..., down, :][..., across]
    return packed_in_order(turned.swapaxes(1, 2), found, tile, lanes)


@pack_turned_filters.infer_shape
def _packed(n: NodeView) -> None:
    n.output = (Filters(n.channels, n.filters, n.groups, n.kernel).packed_size(n.lanes),)


@inner_operator("_filter_gradient")
def filter_gradient(
    data: Array,
    grad: Array,
    *,
    channels: int,
    filters: int,
    groups: int,
    kernel: Shape,
    stride: Shape,
    dilate: Shape,
    planar: bool,
    depthwise: bool,
    lanes: int,
) -> Any:
    """The gradient of packed filters (tiles of one block) from padded images and the output's gradient."""
    found = Filters(channels, filters, groups, kernel, stride, dilate, planar, depthwise)
    parts = filters if depthwise else groups
    own = 1 if depthwise else groups
    images = data if planar else to_planes.kernel(data, channels=channels * parts, groups=own)
    gradients = to_planes.kernel(grad, channels=filters * groups, groups=groups)
    windows = windows_of(kernel, stride, (), dilate)
    shape = (filters * groups, channels, *kernel)
    return packed_in_order(
        convolve_weight(gradients, images, shape, windows, parts), found, 1, lanes
    )


filter_gradient.infer_shape(_packed)


@inner_operator("_unpack_filters")
def unpack_filters(
    packed: Array,
    *,
    channels: int,
    filters: int,
    groups: int,
    kernel: Shape,
    planar: bool,
    depthwise: bool,
    lanes: int,
) -> Any:
    """Unpack filters from tiles of one block."""
    found = Filters(channels, filters, groups, kernel, planar=planar, depthwise=depthwise)
    return unpacked_from_order(packed, found, 1, lanes)


@unpack_filters.infer_shape
def _(n: NodeView) -> None:
    n.output = (n.filters * n.groups, n.channels, *n.kernel)


@inner_operator("_interleave_phases", count="num_args")
def interleave_phases(*phases: Array, num_args: int, steps: Shape, present: Shape) -> Any:
    """Interleave the phases of images in blocks: phase (i, j) has every step-th position from (i, j) on.

    Phases that are not `present` are zero. The last input is the images' `spatial_extents`.
    """
    batch, blocks, _, _, lanes = phases[0].shape
    result = np.zeros((batch, blocks, *phases[-1].shape[:2], lanes), phases[0].dtype)
    given = iter(phases)
    for (top, left), there in zip(np.ndindex(*steps), present, strict=True):
        if there:
            result[:, :, top :: steps[0], left :: steps[1]] = next(given)
    return result


@interleave_phases.infer_shape
def _(n: NodeView) -> None:
    batch, blocks, _, _, lanes = complete(n.phases[0])
    n.output = (batch, blocks, *complete(n.phases[-1])[:2], lanes)


class PackTurnedFiltersStep(FiltersStep):
    """Filters packed for the gradient."""

    def __init__(self, node: Node, facts: Facts) -> None:
        super().__init__(node, facts)
        n = self.n
        taps = Taps(n.whole, n.last, n.steps)
        form = FilterForm.of_packing(self.filters, n.lanes)
        self.code = emit_pack_turned_filters, form, n.kernel, taps


class UnpackFiltersStep(FiltersStep):
    """Unpacked filters."""

    def __init__(self, node: Node, facts: Facts) -> None:
        super().__init__(node, facts)
        self.code = emit_unpack_filters, FilterForm.of(self.filters, self.n.lanes)


class FilterGradientStep(BlockStep):
    """The gradient of packed filters."""

    def __init__(self, node: Node, facts: Facts) -> None:
        super().__init__(node, facts)
        self.filters = filters_of(self.n)
        self.code = emit_filter_gradient, facts.decide(self._form)

    def _form(self, facts: Facts) -> GradientForm:
        """The properties that the innermost loops depend on, including small extents of the output."""
        _, _, rows, columns, _ = self.shape(facts, 1)
        padded = padding_rows(self.node) != (0, 0)
        few = None if facts.sizes_vary else specialized_extents(rows, columns)
        return GradientForm.of(self.filters, host(), few, padded=padded)

    def numbers(self, facts: Facts) -> Sequence[int]:
        """Extents and strides."""
        data, grad = self.shape(facts, 0), self.shape(facts, 1)
        lie = strides_of_planes if self.filters.planar else strides_of_blocks
        geometry = Geometry(grad[0], grad[2], grad[3], lie(data), strides_of_blocks(grad))
        top, bottom = padding_rows(self.node)
        return gradient_numbers(self.filters, geometry, self.n.lanes, (top, data[2] - bottom))

    def units(self, facts: Facts) -> int:
        """One unit per few blocks of filters and one block of channels."""
        return gradient_units(self.filters, host())

    def nanoseconds(self, facts: Facts) -> float:
        """The time for memory and for products."""
        products = prod(self.shape(facts, 1)) * self.filters.depth
        return super().nanoseconds(facts) + products * NANOSECONDS_A_PRODUCT


class InterleavePhasesStep(ImageStep):
    """Phases interleaved."""

    counted = -1

    def __init__(self, node: Node, facts: Facts) -> None:
        super().__init__(node, facts)
        self.operands = (*node.inputs[:-1], node.entry())
        self.code = emit_interleave, self.n.steps, self.n.present

    def numbers(self, facts: Facts) -> Sequence[int]:
        """Rows and columns of the result."""
        return self.shape(facts, -1)[2:4]


lower(pack_turned_filters, step=PackTurnedFiltersStep)
lower(unpack_filters, step=UnpackFiltersStep)
lower(filter_gradient, step=FilterGradientStep)
lower(interleave_phases, step=InterleavePhasesStep)
