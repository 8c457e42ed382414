"""NumPy's linear algebra."""

from gluonic.codegen.lowerings.entry import lower

_WHY = "NumPy calls LAPACK to factor the matrices"

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
    python=_WHY,
)
lower("_backward_npi_solve_A", on_devices="rewriting.device_factors:solved_back", python=_WHY)
lower("_npi_tensorinv", on_devices="rewriting.device_factors:inverse_map", python=_WHY)
lower(
    "_backward_npi_tensorinv", on_devices="rewriting.device_factors:inverse_map_back", python=_WHY
)
lower("_npi_tensorsolve", on_devices="rewriting.device_factors:solved_map", python=_WHY)
lower(
    "_backward_npi_tensorsolve_a",
    on_devices="rewriting.device_factors:solved_map_back_to_map",
    python=_WHY,
)
lower(
    "_backward_npi_tensorsolve_b",
    on_devices="rewriting.device_factors:solved_map_back",
    python=_WHY,
)
