"""The passes that choose the layout of images; their rules are imported when a graph has images."""

from gluonic.codegen.rewriting import layout
from gluonic.codegen.rewriting.passes import Pass, PassContext
from gluonic.graph import Graph


class PlainLayout(Pass):
    """Windowed operators get the only layout that kernels support: channels first, images or volumes.

    Examples
    --------
    >>> from gluonic.graph.builder import F
    >>> from gluonic.graph import Node
    >>> x, w = Node(None, "x").entry(), Node(None, "w").entry()
    >>> y = F.Convolution(x, w, kernel=(3,), num_filter=4, no_bias=True)
    >>> print(PlainLayout().shown(y, x=(2, 3, 9), w=(4, 3, 3)))
    convolution = Convolution(x, w, kernel=(3,), num_filter=4, no_bias=True)
    return convolution
    --------------------
    expand_dims = expand_dims(x, axis=2)
    expand_dims.1 = expand_dims(w, axis=2)
    convolution = Convolution(expand_dims, expand_dims.1, kernel=(1, 3), num_filter=4, no_bias=True)
    squeeze = squeeze(convolution, axis=2)
    return squeeze
    """

    name = "plain layout"
    contract = "images that windowed kernels read have channels first and two spatial axes"

    def apply(self, graph: Graph, context: PassContext) -> Graph:
        """Transpose images only at the ends of chains that read them in this layout."""
        if not layout.are_in(graph):
            return graph
        made: Graph = layout.with_plain_images(graph, context.facts(graph))
        return made


class BlockedLayout(Pass):
    """Images are put into blocks of channels wherever a chain of operators supports blocks.

    Examples
    --------
    >>> from gluonic.graph.builder import F
    >>> from gluonic.graph import Node
    >>> x, w = Node(None, "x").entry(), Node(None, "w").entry()
    >>> y = F.relu(F.Convolution(x, w, kernel=(3, 3), num_filter=32, no_bias=True))
    >>> print(BlockedLayout().shown(y, x=(2, 32, 9, 9), w=(32, 32, 3, 3)))
    convolution = Convolution(x, w, kernel=(3, 3), num_filter=32, no_bias=True)
    relu = relu(convolution)
    return relu
    --------------------
    x.1 = _to_blocks(x, lanes=...)
    convolution_filters = _pack_filters(w, scaled=False, remembers=True, channels=32, filters=32,
        groups=1, kernel=(3, 3), planar=False, depthwise=False, lanes=..., tile=...)
    convolution = _convolve_blocks(x.1, convolution_filters, stride=(1, 1), dilate=(1, 1),
        activation='relu', channels=32, filters=32, groups=1, kernel=(3, 3), planar=False,
        depthwise=False, lanes=..., tile=...)
    relu = _to_planes(convolution, channels=32)
    return relu
    """

    name = "blocked layout"
    contract = "convolutions of float32 images read blocks of channels"

    def apply(self, graph: Graph, context: PassContext) -> Graph:
        """Put images into blocks, and back into planes where other operators read them."""
        if not layout.are_in(graph):
            return graph
        made: Graph = layout.with_blocks(graph, context)
        return made
