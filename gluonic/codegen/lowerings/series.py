"""Polynomials; inserted, deleted and repeated elements."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_npi_resize",
    "_backward_npi_resize",
    "_npi_polyval",
    "_backward_npi_polyval_p",
    "_backward_npi_polyval_x",
    python="NumPy computes it in a few calls; it has no lowering yet",
)
lower(
    "_npi_delete",
    "_npi_insert_scalar",
    "_npi_insert_slice",
    "_npi_insert_tensor",
    python="the shape of its output depends on the data, so the interpreter runs the graph",
)
