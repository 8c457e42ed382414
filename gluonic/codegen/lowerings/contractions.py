"""Products of arrays summed over axes."""

from gluonic.codegen.lowerings.entry import lower

_STRETCHED = "matrices that are stretched to the number of the other factor's NumPy multiplies"

lower(
    "_np_dot",
    decompose="rewriting.decompose_products:dot",
    float16="upcast",
)
lower(
    "_npi_matmul",
    decompose="rewriting.decompose_products:matmul",
    float16="upcast",
    python=_STRETCHED,
)
lower(
    "_npi_tensordot",
    decompose="rewriting.decompose_products:tensordot",
    float16="upcast",
)
lower(
    "_npi_tensordot_int_axes",
    decompose="rewriting.decompose_products:inner_axes",
    float16="upcast",
)
