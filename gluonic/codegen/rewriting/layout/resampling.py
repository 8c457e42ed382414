"""Rules of the pass that puts images into blocks of channels: resizing, and its gradients."""

from collections.abc import Callable
from functools import partial
from typing import Any

from gluonic.codegen.convolution.spatial_extents import spatial_extents
from gluonic.codegen.loops.inner_operators import apply
from gluonic.codegen.resampling.blocked_operators import resample_blocks
from gluonic.codegen.rewriting.layout.blocked_rewriting import BlockedRewriting
from gluonic.graph import Entry, Node
from gluonic.graph.attributes import Shape

Way = Callable[[dict[str, Any]], str | None]
"""The method of computing pixels, from the attributes; None if these kernels have none."""


def _corners(settings: dict[str, Any]) -> str | None:
    return "interpolate between corners" if settings["align_corners"] else "interpolate"


def _averages(settings: dict[str, Any]) -> str | None:
    return "average"


def _repeats(settings: dict[str, Any]) -> str | None:
    """Repetition is a mean over parts of one pixel each."""
    if settings.get("sample_type", "nearest") != "nearest" or settings["num_args"] != 1:
        return None
    return "average"


def _resized(images: BlockedRewriting, node: Node, *, way_of: Way, back: bool) -> bool:
    way, data, goal = way_of(node.applied.settings), node.inputs[0], node.entry()
    if way is None or 0 in images.shape(data) or 0 in images.shape(goal):
        return False
    if not images.in_blocks(data) and images.shape(data)[1] < images.lanes // 2:
        return False
    blocks = images.block(data)
    made = apply(
        resample_blocks,
        blocks,
        _result_extents(images, node, back),
        name=node.name,
        way=way,
        back=back,
    )
    images.blocks[goal] = made, 1
    return True


def _result_extents(images: BlockedRewriting, node: Node, back: bool) -> Entry:
    """The spatial extents of the result: those of the resized images, a multiple of them, or given numbers."""
    if back:
        return images.spatial_extents(node.inputs[-1])
    settings, data = node.applied.settings, node.inputs[0]
    if "sample_type" in settings:
        growth: dict[str, Shape] = {"steps": (settings["scale"],) * 2}
    else:
        growth = {"steps": (0, 0), "more": images.spatial_shape(node.entry())}
    return apply(spatial_extents, images.block(data), name=node.name, **growth)


bilinear = partial(_resized, way_of=_corners, back=False)
bilinear_back = partial(_resized, way_of=_corners, back=True)
average = partial(_resized, way_of=_averages, back=False)
average_back = partial(_resized, way_of=_averages, back=True)
repetition = partial(_resized, way_of=_repeats, back=False)
repetition_back = partial(_resized, way_of=_repeats, back=True)
