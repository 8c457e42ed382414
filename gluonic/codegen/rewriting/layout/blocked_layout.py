"""A pass that puts images into blocks of channels wherever a chain of operators works on them so.

Convolutions become packing, a border and the convolution proper; what follows them (batch normalization by
known statistics, a residual sum, an activation) goes into their epilogue, or runs on blocks. Images are taken
back to planes where something else reads them.
"""

from collections.abc import Hashable, Sequence

from gluonic.codegen.rewriting.layout import without_batch
from gluonic.codegen.rewriting.layout.blocked_rewriting import BlockedRewriting, BlockRule
from gluonic.codegen.rewriting.layout.following import (
    dropout,
    elementwise,
    normalization,
    rectifier,
    scaling,
)
from gluonic.codegen.rewriting.layout.gradients import data_gradient, weight_gradient
from gluonic.codegen.rewriting.layout.joining import JOINS, read_in_blocks
from gluonic.codegen.rewriting.layout.pooling import pooling, scattering, spreading
from gluonic.codegen.rewriting.layout.resampling import RESIZING
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph.node import Entry, Graph, Node
from gluonic.support.record import record


def layout_key(graph: Graph, facts: Facts) -> Hashable:
    """What of the facts the rewritten graph depends on; not the size of the batch."""
    return tuple(
        (facts.dtypes[node.inputs[0]], *without_batch(node, facts.shapes))
        for node in graph.nodes
        if node.operator_name in _RULES or _combines(node)
    )


def _combines(node: Node) -> bool:
    """Whether a node computes each element from several inputs, which may be broadcast."""
    application = node.application
    return application is not None and application.op.scalar is not None and len(node.inputs) > 1


@record
class BlockedGraph:
    """A graph with images in blocks, and what it assumes beyond `layout_key`.

    Attributes
    ----------
    graph : what to compute
    alike : pairs of entries of the graph that was given, which have the same extents along axes of both
    """

    graph: Graph
    alike: Sequence[tuple[Entry, Entry, slice]]

    def holds(self, facts: Facts) -> bool:
        """Whether the graph is right for other shapes of which `layout_key` is the same."""
        shapes = facts.shapes
        return all(shapes[a][axes] == shapes[b][axes] for a, b, axes in self.alike)


def with_blocks(graph: Graph, facts: Facts, train: bool) -> BlockedGraph:
    """The graph with images in blocks of channels, where that is faster; the same graph if nowhere.

    Parameters
    ----------
    graph : what to compute
    facts : its shapes and dtypes
    train : whether it runs in training mode
    """
    # In training mode batch norms find statistics of their own, in planes.
    readers = [name for name in _IMAGES if not (train and name == "BatchNorm")]
    wanted = read_in_blocks(graph, readers, train)
    rewriting = BlockedRewriting(
        graph, facts, _RULES, elementwise, train=train, read_in_blocks=wanted
    )
    return BlockedGraph(rewriting.run(), rewriting.alike)


_IMAGES: dict[str, BlockRule] = {
    "Convolution": BlockedRewriting.convolution,
    "_backward_Convolution_data": data_gradient,
    "_backward_Convolution_weight": weight_gradient,
    "BatchNorm": normalization,
    "Pooling": pooling,
    "_backward_Pooling_sum": spreading,
    "_backward_Pooling_max": scattering,
    **RESIZING,
}
_RULES: dict[str, BlockRule] = {
    **_IMAGES,
    **JOINS,
    "Dropout": dropout,
    "LeakyReLU": rectifier,
    "broadcast_mul": scaling,
}
