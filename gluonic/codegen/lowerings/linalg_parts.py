"""Parts of matrices."""

from gluonic.codegen.lowerings.entry import lower

_WHY = "NumPy moves the elements in one call; it has no lowering yet"

lower(
    "_linalg_sumlogdiag",
    on_devices="rewriting.device_decompositions:sum_of_logarithms",
    python=_WHY,
)
lower(
    "_linalg_extractdiag",
    "_linalg_makediag",
    "_linalg_extracttrian",
    "_linalg_maketrian",
    python=_WHY,
)
