"""Convolution and pooling: kernels, blocked layouts, gradients. Passes are imported when a graph has images."""

from gluonic.graph.later import import_later
from gluonic.graph.node import Graph

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
RESIZED = ("_contrib_BilinearResize2D", "_contrib_AdaptiveAvgPooling2D", "UpSampling")
"""Those that compute images of other sizes."""
BEGINNING = {
    *WINDOWED,
    *TRANSPOSED,
    *RESIZED,
    *(f"_backward_{name.strip('_')}" for name in RESIZED),
}
"""The operators without which passes have nothing to do to a graph."""


def are_in(graph: Graph) -> bool:
    """Whether passes may have something to do."""
    return any(node.operator_name in BEGINNING for node in graph.nodes)


__getattr__, __dir__ = import_later(
    __name__,
    {
        "forms_key": "gluonic.codegen.images.image_forms:forms_key",
        "layout_key": "gluonic.codegen.images.convolution_layout:layout_key",
        "with_blocks": "gluonic.codegen.images.convolution_layout:with_blocks",
        "with_plain_images": "gluonic.codegen.images.image_forms:with_plain_images",
    },
)
