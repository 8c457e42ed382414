"""Einstein's summation."""

from gluonic.codegen.lowerings.entry import lower

_PYTHON = "of integers, of diagonals, and of axes that are stretched NumPy makes the products"

lower(
    "_npi_einsum",
    decompose="rewriting.decompose_einsum:einsum",
    float16="upcast",
    python=_PYTHON,
)
lower(
    "_backward_npi_einsum",
    decompose="rewriting.decompose_einsum:back",
    float16="upcast",
    python=_PYTHON,
)
