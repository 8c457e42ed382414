"""Products and convolutions of integers of eight bits, whose sums are exact in int32; imported on use."""

from gluonic.graph import Graph
from gluonic.support.lazy_import import import_later

_PRODUCTS = frozenset({"_integer_convolution", "_integer_dense"})


def are_multiplied_in(graph: Graph) -> bool:
    """Whether a graph has products whose factors can be packed."""
    return any(node.operator_name in _PRODUCTS for node in graph.nodes if node.application)


__getattr__, __dir__ = import_later(
    __name__,
    {"with_packed_factors": "gluonic.codegen.small_integers.packed_products:with_packed_factors"},
)
