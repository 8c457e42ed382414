"""A pass that replaces layers fused for oneDNN by the operators in them, which the compiler fuses itself."""

from gluonic.codegen.rewriting.passes import Pass, PassContext
from gluonic.graph import Graph
from gluonic.graph.ops.fused_bodies import open_fused


class OpenFusedLayers(Pass):
    """Fused layers in float32 become the operators that they hold.

    Examples
    --------
    >>> from gluonic.graph import Node
    >>> from gluonic.graph.builder import F
    >>> from gluonic.graph.onednn import fuse_layers
    >>> x, w = (Node(None, name).entry() for name in "xw")
    >>> net = F.abs(F.FullyConnected(x, w, num_hidden=2, no_bias=True))
    >>> fused = fuse_layers(Graph([net]), {}, quantize=False).outputs[0]
    >>> fused.node.name = "layer"
    >>> print(OpenFusedLayers().shown(fused, x=(3, 4), w=(2, 4)))  # doctest: +ELLIPSIS
    layer = _sg_mkldnn_fully_connected(x, w, with_eltwise=True, subgraphs=...)
    return layer
    --------------------
    fullyconnected = FullyConnected(x, w, num_hidden=2, no_bias=True)
    abs = abs(fullyconnected)
    return abs
    """

    name = "open fused layers"
    contract = "no node holds a graph of layers in float32"

    def apply(self, graph: Graph, context: PassContext) -> Graph:
        """Replace fused layers by their operators."""
        return open_fused(graph)
