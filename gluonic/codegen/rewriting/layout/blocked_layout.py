"""A pass that puts images into blocks of channels wherever a chain of operators works on them so.

Convolutions become packing, a border and the convolution proper; what follows them (batch normalization by
known statistics, a residual sum, an activation) goes into their epilogue, or runs on blocks. Images are taken
back to planes where something else reads them. How an operator takes part stands in its entry (`LayoutRules`).
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
