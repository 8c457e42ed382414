"""Products of arrays summed over axes."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_np_dot",
    decompose="rewriting.decompose_products:dot",
    float16="upcast",
)
lower(
    "_npi_matmul",
    on_devices="rewriting.device_decompositions:matrix_product",
    decompose="rewriting.decompose_products:matmul",
    float16="upcast",
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
