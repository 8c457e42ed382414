"""Rules of the pass that puts images into blocks of channels: resizing, and its gradients."""

from collections.abc import Callable
from functools import partial
from typing import Any

from gluonic.codegen.loops.inner_operators import apply
from gluonic.codegen.resampling.blocked_operators import resample_blocks
from gluonic.codegen.rewriting.layout import RESIZED
from gluonic.codegen.rewriting.layout.blocked_rewriting import BlockedRewriting
from gluonic.graph.node import Node


def _corners(settings: dict[str, Any]) -> str | None:
    return "interpolate between corners" if settings["align_corners"] else "interpolate"


def _averages(settings: dict[str, Any]) -> str | None:
    return "average"


def _repeats(settings: dict[str, Any]) -> str | None:
    """Repetition is the mean of so many parts that each holds one place."""
    if settings.get("sample_type", "nearest") != "nearest" or settings["num_args"] != 1:
        return None
    return "average"


_WAYS: dict[str, Callable[[dict[str, Any]], str | None]] = {
    "_contrib_BilinearResize2D": _corners,
    "_contrib_AdaptiveAvgPooling2D": _averages,
    "UpSampling": _repeats,
}


def _resizing(images: BlockedRewriting, node: Node, *, forward: str, back: bool) -> bool:
    way, data, goal = _WAYS[forward](node.applied.settings), node.inputs[0], node.entry()
    if way is None or 0 in images.shape(data) or 0 in images.shape(goal):
        return False
    if not images.in_blocks(data) and images.shape(data)[1] < images.lanes // 2:
        return False
    places = images.places(goal)
    blocks = images.block(data)
    made = apply(resample_blocks, blocks, name=node.name, way=way, places=places, back=back)
    images.blocks[goal] = made, 1
    return True


RESIZING: dict[str, Callable[[BlockedRewriting, Node], bool]] = {
    **{name: partial(_resizing, forward=name, back=False) for name in RESIZED},
    **{back: partial(_resizing, forward=name, back=True) for name, back in RESIZED.items()},
}
