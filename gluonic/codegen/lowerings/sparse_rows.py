"""Rows kept, and elements counted."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_sparse_retain",
    python="NumPy copies the rows by their numbers; sparse arrays have a form of their own",
)
lower("_contrib_getnnz", python="NumPy counts; sparse arrays know how many elements they store")
lower(
    "_contrib_edge_id",
    python="NumPy looks up by rows and columns; csr matrices have a form of their own",
)
