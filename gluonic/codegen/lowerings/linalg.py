"""Products of matrices, and triangular systems."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_linalg_gemm",
    "_linalg_gemm2",
    "_linalg_syrk",
    "_linalg_trmm",
    python="NumPy hands its products to BLAS; dot, batch_dot and FullyConnected have machine code",
)
lower(
    "_linalg_trsm",
    python="BLAS solves triangular systems, called by SciPy",
)
lower(
    "_linalg_triangle",
    python="NumPy moves its elements in one call; no rule for machine code has been written",
)
