"""Rules of the pass that puts images into blocks of channels: channels concatenated, and split.

If every part has whole blocks, so has the result: blocks are in the order of channels.
"""

from collections.abc import Sequence

from gluonic.codegen.lowerings.entry import lowering_of
from gluonic.codegen.rewriting.layout.blocked_rewriting import BlockedRewriting
from gluonic.graph import Entry, Graph, Node
from gluonic.graph.builder import F
from gluonic.graph.origin import give_origin

_CHANNELS = 1


def read_in_blocks(graph: Graph, train: bool) -> set[Entry]:
    """The results that operators would read in blocks.

    Parameters
    ----------
    graph : the graph
    train : whether the graph runs in training mode
    """
    found: set[Entry] = set()
    for node in reversed(graph.nodes):
        application = node.application
        if application is None:
            continue
        known = lowering_of(application.op).layout
        passes_on = known.moves_blocks(train) or application.op.scalar is not None
        results = (node.entry(i) for i in range(node.output_count))
        if known.reads_blocks(train) or (passes_on and any(e in found for e in results)):
            found.update(node.inputs)
    return found


def join(images: BlockedRewriting, node: Node) -> bool:
    """Rewrite a concatenation of images along their channels."""
    shape = images.shape(node.entry())
    if len(shape) != 4 or node.applied.settings["dim"] % 4 != _CHANNELS or 0 in shape:
        return False
    sizes = [images.shape(entry)[_CHANNELS] for entry in node.inputs]
    if node.entry() not in images.read_in_blocks or not _are_whole(images, sizes):
        return False
    here = [images.in_blocks(entry) for entry in node.inputs]
    if 2 * sum(size for size, is_here in zip(sizes, here, strict=True) if is_here) < sum(sizes):
        return False
    if not all(images.in_blocks(e, 1) for e in node.inputs if images.in_blocks(e)):
        return False
    blocks = [images.block(entry) for entry in node.inputs]
    images.blocks[node.entry()] = F.Concat(*blocks, dim=_CHANNELS), 1
    return True


def join_gradient(images: BlockedRewriting, node: Node) -> bool:
    """Rewrite the gradient of a concatenation along channels."""
    head, *parts = node.inputs
    if len(images.shape(head)) != 4 or node.applied.settings["dim"] % 4 != _CHANNELS:
        return False
    return _take_apart(images, node, [images.shape(entry)[_CHANNELS] for entry in parts])


def split(images: BlockedRewriting, node: Node) -> bool:
    """Rewrite an even split of images along their channels."""
    settings, shape = node.applied.settings, images.shape(node.inputs[0])
    if len(shape) != 4 or settings["axis"] % 4 != _CHANNELS or settings["squeeze_axis"]:
        return False
    count = settings["num_outputs"]
    return _take_apart(images, node, [shape[_CHANNELS] // count] * count)


def take_channels(images: BlockedRewriting, node: Node) -> bool:
    """Rewrite a slice of images' channels."""
    settings, shape = node.applied.settings, images.shape(node.inputs[0])
    if len(shape) != 4 or settings["axis"] % 4 != _CHANNELS:
        return False
    begin, end, _ = slice(settings["begin"], settings["end"]).indices(shape[_CHANNELS])
    sizes = [begin, end - begin]
    return _take_apart(images, node, sizes, first=1)


def _take_apart(images: BlockedRewriting, node: Node, sizes: Sequence[int], first: int = 0) -> bool:
    """Split channels into results of given sizes; those before `first` are skipped."""
    data, lanes = node.inputs[0], images.lanes
    if not images.in_blocks(data, 1) or not _are_whole(images, sizes) or 0 in images.shape(data):
        return False
    if not any(node.entry(i) in images.read_in_blocks for i in range(node.output_count)):
        return False
    whole, begin = images.block(data), 0
    for number, size in enumerate(sizes):
        if number >= first:
            end = begin + size
            made = F.slice_axis(whole, axis=_CHANNELS, begin=begin // lanes, end=end // lanes)
            give_origin([made], node)
            images.blocks[node.entry(number - first)] = made, 1
        begin += size
    return True


def along_depth(images: BlockedRewriting, node: Node) -> bool:
    """Rewrite the concatenation of images' channels with those of adjacent images, or its gradient."""
    (data,) = node.inputs
    channels = [images.shape(entry)[_CHANNELS] for entry in (data, node.entry())]
    if node.entry() not in images.read_in_blocks or not _are_whole(images, channels):
        return False
    if images.in_blocks(data) and not images.in_blocks(data, 1):
        return False
    images.blocks[node.entry()] = node.with_inputs([images.block(data)]).entry(), 1
    return True


def _are_whole(images: BlockedRewriting, sizes: Sequence[int]) -> bool:
    return all(size % images.lanes == 0 for size in sizes)
