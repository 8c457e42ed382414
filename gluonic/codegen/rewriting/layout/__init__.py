"""The memory layout of images: passes that put channels first, then into blocks where kernels read blocks.

The passes are imported when a graph has images.
"""

from gluonic.codegen.lowerings.entry import lowering_at
from gluonic.graph import Graph
from gluonic.support.lazy_import import import_later


def are_in(graph: Graph) -> bool:
    """Whether passes may have something to do."""
    return any(lowering_at(node).layout.decides for node in graph.nodes)


__getattr__, __dir__ = import_later(
    __name__,
    {
        "with_blocks": "gluonic.codegen.rewriting.layout.blocked_layout:with_blocks",
        "with_plain_images": "gluonic.codegen.rewriting.layout.plain_layout:with_plain_images",
    },
)
