"""A pass that puts images into blocks of channels wherever a chain of operators works on them so.

Convolutions become packing, a border and the convolution proper; what follows them (batch normalization by
known statistics, a residual sum, an activation) goes into their epilogue, or runs on blocks. Images are taken
back to planes where something else reads them.
"""

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
from gluonic.codegen.rewriting.passes import PassContext
from gluonic.graph.node import Graph


def with_blocks(graph: Graph, context: PassContext) -> Graph:
    """The graph with images in blocks of channels, where that is faster; the same graph if nowhere."""
    # In training mode batch norms find statistics of their own, in planes.
    readers = [name for name in _IMAGES if not (context.train and name == "BatchNorm")]
    wanted = read_in_blocks(graph, readers, context.train)
    return BlockedRewriting(graph, context, _RULES, elementwise, read_in_blocks=wanted).run()


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
