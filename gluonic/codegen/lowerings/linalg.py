"""Products of matrices, and triangular systems."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_linalg_gemm",
    "_linalg_gemm2",
    "_linalg_syrk",
    "_linalg_trmm",
    python="NumPy passes the products to BLAS; dot, batch_dot and FullyConnected have machine code",
)
lower(
    "_linalg_trsm",
    python="SciPy calls BLAS to solve triangular systems",
)
lower(
    "_linalg_triangle",
    python="NumPy moves the elements in one call; it has no lowering yet",
)
