"""Products of matrices, and triangular systems."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_linalg_gemm",
    "_linalg_gemm2",
    on_devices="rewriting.device_decompositions:general_product",
)
lower(
    "_linalg_syrk",
    on_devices="rewriting.device_decompositions:symmetric_product",
)
lower(
    "_linalg_trmm",
    on_devices="rewriting.device_decompositions:triangular_product",
    python="NumPy copies the triangle and calls BLAS",
)
lower("_linalg_triangle", python="NumPy moves the elements in one call")
lower("_linalg_trsm", python="SciPy calls BLAS to solve triangular systems")
