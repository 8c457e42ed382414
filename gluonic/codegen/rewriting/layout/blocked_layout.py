"""A pass that puts images into blocks of channels wherever a chain of operators supports blocks.

Convolutions become packing, padding and the convolution proper. The operators after them (batch normalization
by running statistics, a residual sum, an activation) are fused into their epilogue, or run on blocks. Images
are converted back to planes where other operators read them. An operator's entry states its role
(`LayoutRules`).
"""

from gluonic.codegen.rewriting.layout.blocked_rewriting import BlockedRewriting
from gluonic.codegen.rewriting.layout.following import elementwise
from gluonic.codegen.rewriting.layout.joining import read_in_blocks
from gluonic.codegen.rewriting.passes import PassContext
from gluonic.graph import Graph


def with_blocks(graph: Graph, context: PassContext) -> Graph:
    """The graph with images in blocks of channels, where that is faster; the same graph if nowhere."""
    wanted = read_in_blocks(graph, context.train)
    return BlockedRewriting(graph, context, elementwise, read_in_blocks=wanted).run()
