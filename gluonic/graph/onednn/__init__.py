"""MXNet's backends for oneDNN, as `optimize_for` and `get_backend_symbol` call them by name."""

from gluonic.graph.backends import BACKENDS, PartitionRequest
from gluonic.graph.node import Graph
from gluonic.graph.onednn.after_quantization import (
    align_ranges,
    merge_roundings,
    range_texts,
    with_attributes,
)
from gluonic.graph.onednn.fusion import fuse_layers

FUSING, QUANTIZING = "MKLDNN", "MKLDNN_QUANTIZE"


def _dtypes(request: PartitionRequest) -> dict[str, object]:
    arrays = {**request.args, **request.aux}
    return {**{name: array.dtype for name, array in arrays.items()}, **request.dtypes}


def fuse_for_inference(graph: Graph, request: PartitionRequest) -> Graph:
    """Fuse layers, which then compute as in inference."""
    return fuse_layers(graph, _dtypes(request), quantize=False)


def fuse_for_quantization(graph: Graph, request: PartitionRequest) -> Graph:
    """Fuse layers that can be quantized, and merge the roundings of a quantized graph into its layers."""
    graph = fuse_layers(graph, _dtypes(request), quantize=True)
    return align_ranges(merge_roundings(graph))


BACKENDS.add(FUSING, fuse_for_inference)
BACKENDS.add(QUANTIZING, fuse_for_quantization)

__all__ = [
    "FUSING",
    "QUANTIZING",
    "fuse_for_inference",
    "fuse_for_quantization",
    "fuse_layers",
    "range_texts",
    "with_attributes",
]
