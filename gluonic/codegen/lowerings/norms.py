"""Norms of vectors and of matrices."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_npi_norm",
    decompose="rewriting.decompose_averages:norm",
    python="NumPy calls LAPACK for the singular values of matrices",
)
lower("_backward_npi_norm", decompose="rewriting.decompose_averages:norm_back")
