"""Factors of matrices."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_linalg_potrf",
    "_linalg_gelqf",
    "_linalg_syevd",
    "_linalg_inverse",
    "_linalg_det",
    "_linalg_slogdet",
    "_backward_linalg_det",
    python="NumPy calls LAPACK to factor the matrices",
)
lower(
    "_linalg_potri",
    on_devices="rewriting.device_factors:inverse_of_factor",
    python="NumPy calls LAPACK to factor the matrices",
)
