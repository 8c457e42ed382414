"""NumPy's linear algebra."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_npi_eigvals",
    "_npi_eigvalsh",
    "_npi_eig",
    "_npi_eigh",
    "_npi_pinv",
    "_npi_pinv_scalar_rcond",
    "_npi_svd",
    "_backward_npi_svd",
    "_npi_solve",
    "_backward_npi_solve_A",
    "_npi_tensorinv",
    "_backward_npi_tensorinv",
    "_npi_tensorsolve",
    "_backward_npi_tensorsolve_a",
    "_backward_npi_tensorsolve_b",
    python="NumPy calls LAPACK to factor the matrices",
)
