"""Parts of matrices."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_linalg_sumlogdiag",
    "_linalg_extractdiag",
    "_linalg_makediag",
    "_linalg_extracttrian",
    "_linalg_maketrian",
    python="NumPy moves the elements in one call; it has no lowering yet",
)
