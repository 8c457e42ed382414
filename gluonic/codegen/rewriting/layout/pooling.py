"""Rules of the pass that puts images into blocks of channels: pooling, and its gradients."""

from functools import partial
from typing import Any

from gluonic.codegen.loops.inner_operators import apply
from gluonic.codegen.pooling.blocked_operators import pool_blocks, scatter_blocks, spread_blocks
from gluonic.codegen.rewriting.layout.blocked_rewriting import BlockedRewriting
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph import Entry, Node
from gluonic.graph.ops.pooling import _GEOMETRY, pool_of
from gluonic.graph.ops.windows import is_channels_last


def pooling(images: BlockedRewriting, node: Node) -> bool:
    """Rewrite pooling of images."""
    data = node.inputs[0]
    if not _is_pool(images, node, data):
        return False
    settings = _settings(images, node, data)
    if _stays_in_planes(images, node, has_padding=any(settings["pad"])):
        return False
    made = apply(pool_blocks, images.block(data), name=node.name, **settings)
    images.blocks[node.entry()] = made, 1
    return True


def spreading(images: BlockedRewriting, node: Node) -> bool:
    """Rewrite the gradient of sum and mean pooling."""
    grad, data = node.inputs
    if not _is_pool(images, node, data):
        return False
    settings = _settings(images, node, data)
    blocks, spatial = images.block(grad), images.spatial_extents(data)
    made = apply(spread_blocks, blocks, spatial, name=node.name, **settings)
    images.blocks[node.entry()] = made, 1
    return True


def scattering(images: BlockedRewriting, node: Node) -> bool:
    """Rewrite the gradient of max pooling."""
    if not _is_pool(images, node, node.inputs[1]):
        return False
    blocks = [images.block(entry) for entry in node.inputs]
    settings = _settings(images, node, node.inputs[1])
    images.blocks[node.entry()] = apply(scatter_blocks, *blocks, name=node.name, **settings), 1
    return True


def _is_pool(images: BlockedRewriting, node: Node, data: Entry) -> bool:
    """Whether a node is pooling of images, or its gradient, and blocks make it faster."""
    settings, shape = node.applied.settings, images.shape(data)
    if (
        len(shape) != 4
        or is_channels_last(settings["layout"])
        or settings["pool_type"] == "lp"
        or 0 in shape
        or 0 in images.shape(node.entry())
    ):
        return False
    if any(images.in_blocks(entry) for entry in node.inputs):
        return True
    return shape[1] >= images.lanes and not settings["global_pool"]


def _stays_in_planes(images: BlockedRewriting, node: Node, *, has_padding: bool) -> bool:
    """Whether converting images to blocks and back would take longer than pooling them in planes."""
    if images.in_blocks(node.inputs[0]) or node.entry() in images.read_in_blocks:
        return False
    return not has_padding or images.facts.decide(partial(_is_wide, node.entry(), images.lanes))


def _is_wide(output: Entry, lanes: int, facts: Facts) -> bool:
    """Whether rows are several registers long."""
    return facts.shapes[output][-1] >= 2 * lanes


def _settings(images: BlockedRewriting, node: Node, data: Entry) -> dict[str, Any]:
    """The common attributes of the operators for blocks, valid for images of any size."""
    settings, unknown = node.applied.settings, (None,) * len(images.shape(data))
    pool = pool_of(unknown, "", **{name: settings[name] for name in _GEOMETRY})
    return {
        "kind": settings["pool_type"],
        "kernel": (0, 0) if settings["global_pool"] else pool.kernel,
        "stride": pool.stride,
        "pad": pool.pad,
        "convention": settings["pooling_convention"],
        "counts_pad": settings["count_include_pad"] is not False,
    }
