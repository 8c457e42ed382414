"""Rules of the pass that puts images into blocks of channels: the gradients of convolutions."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

from gluonic.codegen.convolution.filter_packing import Taps
from gluonic.codegen.convolution.filters import Filters
from gluonic.codegen.convolution.gradient_operators import (
    filter_gradient,
    interleave_places,
    unpack_filters,
)
from gluonic.codegen.convolution.phases import Phase, border_of, phases_of
from gluonic.codegen.convolution.tiling import tiling_of
from gluonic.codegen.loops.inner_operators import apply
from gluonic.codegen.rewriting.layout.blocked_rewriting import BlockedRewriting
from gluonic.codegen.rewriting.layout.pending_convolution import (
    PendingConvolution,
    filter_attributes,
)
from gluonic.graph import Entry, Node
from gluonic.graph.ops.windows import Windows


def data_gradient(rewriting: BlockedRewriting, node: Node) -> bool:
    """Take the gradient of a convolution's data: a convolution of the output's gradient."""
    grad, data, weight = node.inputs
    found = rewriting.image_filters(node, data, weight, grad)
    if found is None:
        return False
    forward, windows = found
    if any(e <= pad for e, pad in zip(windows.extents(), windows.pad, strict=True)):
        return False
    back = _way_back(forward)
    places = rewriting.places(data)
    axes = [phases_of(*axis) for axis in zip(places, *windows[:4], strict=True)]
    (top, bottom), (left, right) = (
        border_of(phases, size)
        for phases, size in zip(axes, rewriting.shape(grad)[2:], strict=True)
    )
    own = 1 if forward.depthwise else rewriting.groups_of(rewriting.shape(grad)[1], forward.groups)
    images = rewriting.block(grad, own, (top, left, bottom, right))
    made = [
        _phase(rewriting, node.name, images, weight, back, windows, (top, left), pair)
        for pair in product(*axes)
    ]
    present = [phase for phase in made if phase is not None]
    if not present:
        return False
    if len(made) == 1:
        rewriting.pending[node.entry()] = present[0]
        return True
    joined = apply(
        interleave_places,
        *(rewriting.finished(phase) for phase in present),
        name=node.name,
        num_args=len(present),
        steps=windows.stride,
        present=tuple(int(phase is not None) for phase in made),
        places=places,
    )
    rewriting.blocks[node.entry()] = (
        joined,
        rewriting.groups_of(rewriting.shape(data)[1], forward.groups),
    )
    return True


def _way_back(forward: Filters) -> Filters:
    """Filters from the output's channels to the data's."""
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
    name: str,
    images: Entry,
    weight: Entry,
    back: Filters,
    windows: Windows,
    border: tuple[int, int],
    phases: Sequence[Phase | None],
) -> PendingConvolution | None:
    """The convolution that makes one phase of a gradient of data; None where that is zero."""
    down, across = phases
    if down is None or across is None:
        return None
    filters = replace(back, kernel=(down.taps, across.taps), dilate=(down.dilate, across.dilate))
    counts = down.count, across.count
    has_one = windows.stride == (1, 1)
    tiling = tiling_of(filters, *counts, rewriting.target, gaps=not has_one)
    return PendingConvolution(
        name,
        images,
        rewriting.own(weight),
        filters,
        tiling.tile.blocks,
        turned=Taps(windows.kernel, (down.last, across.last), (down.step, across.step)),
        first=(0, 0) if has_one else (border[0] + down.start, border[1] + across.start),
        places=() if has_one else counts,
    )


def weight_gradient(rewriting: BlockedRewriting, node: Node) -> bool:
    """Take the gradient of a convolution's filters."""
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
