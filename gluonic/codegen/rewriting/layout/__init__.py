"""How images lie in memory: passes that put channels first, then into blocks where kernels want them so.

Passes are imported when a graph has images.
"""

from gluonic.graph.node import Graph
from gluonic.support.lazy_import import import_later

WINDOWED = (
    "Convolution",
    "_backward_Convolution_data",
    "_backward_Convolution_weight",
    "Pooling",
    "_backward_Pooling_sum",
    "_backward_Pooling_max",
)
"""The operators that go over images in windows."""
TRANSPOSED = ("Deconvolution", "_backward_Deconvolution_data", "_backward_Deconvolution_weight")
"""Those that do it the other way round."""
RESIZED = {
    name: f"_backward_{name.strip('_')}"
    for name in ("_contrib_BilinearResize2D", "_contrib_AdaptiveAvgPooling2D", "UpSampling")
}
"""Those that compute images of other sizes, with their gradients."""
BEGINNING = {*WINDOWED, *TRANSPOSED, *RESIZED, *RESIZED.values()}
"""The operators without which passes have nothing to do to a graph."""


def are_in(graph: Graph) -> bool:
    """Whether passes may have something to do."""
    return any(node.operator_name in BEGINNING for node in graph.nodes)


__getattr__, __dir__ = import_later(
    __name__,
    {
        "with_blocks": "gluonic.codegen.rewriting.layout.blocked_layout:with_blocks",
        "with_plain_images": "gluonic.codegen.rewriting.layout.plain_layout:with_plain_images",
    },
)
