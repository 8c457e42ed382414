"""`CSRNDArray` and `RowSparseNDArray`, and operators called on them."""
