"""Parts of matrices."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_linalg_sumlogdiag",
    on_devices="rewriting.device_decompositions:sum_of_logarithms",
)
lower(
    "_linalg_makediag",
    "_linalg_maketrian",
    python="NumPy moves the elements in one call",
)
