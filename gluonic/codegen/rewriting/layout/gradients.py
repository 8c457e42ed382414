"""Rules of the pass that puts images into blocks of channels: the gradients of convolutions."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np

from gluonic.codegen.convolution.filter_packing import Taps
from gluonic.codegen.convolution.filters import Filters
from gluonic.codegen.convolution.gradient_operators import (
    filter_gradient,
    interleave_phases,
    unpack_filters,
)
from gluonic.codegen.convolution.phases import Phase, padding_of, phases_of, position_count
from gluonic.codegen.convolution.tiling import tiling_of
from gluonic.codegen.loops.inner_operators import apply
from gluonic.codegen.machine.target import Target
from gluonic.codegen.rewriting.layout.blocked_rewriting import BlockedRewriting
from gluonic.codegen.rewriting.layout.pending_convolution import (
    PendingConvolution,
    filter_attributes,
)
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph import Entry, Node
from gluonic.graph.attributes import Shape
from gluonic.graph.ops.windows import Windows


def data_gradient(rewriting: BlockedRewriting, node: Node) -> bool:
    """Rewrite the gradient with respect to a convolution's data: a convolution of the output's gradient."""
    grad, data, weight = node.inputs
    found = rewriting.image_filters(node, data, weight, grad)
    if found is None:
        return False
    forward, windows = found
    if any(e <= pad for e, pad in zip(windows.extents(), windows.pad, strict=True)):
        return False
    back = _way_back(forward)
    shortest = rewriting.facts.decide(partial(_shortest, data, windows.stride))
    each = [*zip(*windows[:4], strict=True)]
    axes = [phases_of(size, *axis) for size, axis in zip(shortest, each, strict=True)]
    (top, bottom), (left, right) = (
        padding_of(phases, *axis) for phases, axis in zip(axes, each, strict=True)
    )
    own = 1 if forward.depthwise else rewriting.groups_of(rewriting.shape(grad)[1], forward.groups)
    images = rewriting.block(grad, own, (top, left, bottom, right))
    made = [
        _phase(rewriting, node, images, back, windows, (top, left), remainder, pair)
        for remainder, pair in zip(np.ndindex(*windows.stride), product(*axes), strict=True)
    ]
    present = [phase for phase in made if phase is not None]
    if not present:
        return False
    if len(made) == 1:
        rewriting.pending[node.entry()] = present[0]
        return True
    joined = apply(
        interleave_phases,
        *(rewriting.finished(phase) for phase in present),
        rewriting.spatial_extents(data),
        name=node.name,
        num_args=len(present) + 1,
        steps=windows.stride,
        present=tuple(int(phase is not None) for phase in made),
    )
    rewriting.blocks[node.entry()] = (
        joined,
        rewriting.groups_of(rewriting.shape(data)[1], forward.groups),
    )
    return True


def _shortest(data: Entry, stride: Shape, facts: Facts) -> tuple[int, ...]:
    """The extents of images; those not below the stride do not matter."""
    extents = zip(facts.shapes[data][2:], stride, strict=True)
    return tuple([step if extent >= step else int(extent) for extent, step in extents])


def _blocks_at_once(
    data: Entry, filters: Filters, target: Target, remainder: Shape, apart: Shape, facts: Facts
) -> int:
    """The number of filter blocks in a tile, for the positions of one remainder."""
    rows, columns = map(position_count, facts.shapes[data][2:], remainder, apart)
    gaps, vary = tuple(apart) != (1, 1), facts.sizes_vary
    return tiling_of(filters, rows, columns, target, gaps=gaps, sizes_vary=vary).tile.blocks


def _way_back(forward: Filters) -> Filters:
    """The filters of the gradient: from the output's channels to the data's."""
    depthwise = forward.depthwise
    return Filters(
        1 if depthwise else forward.filters,
        forward.filters if depthwise else forward.channels,
        forward.groups,
        forward.kernel,
        depthwise=depthwise,
    )


def _phase(
    rewriting: BlockedRewriting,
    node: Node,
    images: Entry,
    back: Filters,
    windows: Windows,
    padding: tuple[int, int],
    remainder: tuple[int, int],
    phases: Sequence[Phase | None],
) -> PendingConvolution | None:
    """The convolution that computes one phase of the data's gradient; None if that is zero."""
    down, across = phases
    if down is None or across is None:
        return None
    filters = replace(back, kernel=(down.taps, across.taps), dilate=(down.dilate, across.dilate))
    _, data, weight = node.inputs
    apart = windows.stride
    has_one = apart == (1, 1)
    tile = partial(_blocks_at_once, data, filters, rewriting.target, remainder, apart)
    return PendingConvolution(
        node.name,
        images,
        rewriting.own(weight),
        filters,
        rewriting.facts.decide(tile),
        turned=Taps(windows.kernel, (down.last, across.last), (down.step, across.step)),
        first=(0, 0) if has_one else (padding[0] + down.start, padding[1] + across.start),
        spatial=None if has_one else rewriting.spatial_extents(data),
        remainder=remainder,
        apart=() if has_one else apart,
    )


def weight_gradient(rewriting: BlockedRewriting, node: Node) -> bool:
    """Rewrite the gradient with respect to a convolution's filters."""
    grad, data, weight = node.inputs
    found = rewriting.image_filters(node, data, weight, grad)
    if found is None:
        return False
    images, filters = rewriting.images_of(data, *found)
    own = rewriting.groups_of(rewriting.shape(grad)[1], filters.groups)
    common = filter_attributes(filters, rewriting.lanes)
    packed = apply(
        filter_gradient,
        images,
        rewriting.block(grad, own),
        name=node.name,
        stride=filters.stride,
        dilate=filters.dilate,
        **common,
    )
    rewriting.kept[node.entry()] = apply(unpack_filters, packed, name=node.name, **common)
    return True
