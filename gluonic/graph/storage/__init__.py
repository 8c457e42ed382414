"""Arrays of which only a part is stored (csr and row_sparse), and which operators keep them so."""

from gluonic.graph.storage import elementwise, pairs, products, reductions, selections, updates

__all__ = ["elementwise", "pairs", "products", "reductions", "selections", "updates"]
