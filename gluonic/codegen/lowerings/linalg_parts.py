"""Parts of matrices."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_linalg_sumlogdiag",
    on_devices="rewriting.device_decompositions:sum_of_logarithms",
)
