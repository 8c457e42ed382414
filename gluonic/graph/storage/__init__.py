"""Sparse arrays (csr and row_sparse), and the operators that preserve sparsity."""

from gluonic.graph.storage import elementwise, pairs, products, reductions, selections, updates

__all__ = ["elementwise", "pairs", "products", "reductions", "selections", "updates"]
