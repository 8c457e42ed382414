"""Products of matrices, and triangular systems."""

from gluonic.codegen.lowerings.entry import lower

_WHY = "NumPy passes the products to BLAS; dot, batch_dot and FullyConnected have machine code"

lower(
    "_linalg_gemm",
    "_linalg_gemm2",
    on_devices="rewriting.device_decompositions:general_product",
    python=_WHY,
)
lower("_linalg_syrk", on_devices="rewriting.device_decompositions:symmetric_product", python=_WHY)
lower("_linalg_trmm", on_devices="rewriting.device_decompositions:triangular_product", python=_WHY)
lower(
    "_linalg_trsm",
    python="SciPy calls BLAS to solve triangular systems",
)
lower(
    "_linalg_triangle",
    python="NumPy moves the elements in one call; it has no lowering yet",
)
