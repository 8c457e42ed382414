"""Einstein's summation."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_npi_einsum",
    "_backward_npi_einsum",
    python="NumPy finds the order of the products, and makes them",
)
