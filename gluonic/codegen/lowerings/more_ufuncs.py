"""Functions that only `mx.np` has."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_npi_lcm",
    "_npi_lcm_scalar",
    python="NumPy computes it; it has no lowering yet",
)
lower("_npi_around", "_npi_nan_to_num", selects=False)
