"""Rows retained, and elements counted."""

from gluonic.codegen.lowerings.entry import lower

lower("_sparse_retain", python="NumPy copies rows by index; sparse arrays have their own kernel")
lower(
    "_contrib_getnnz",
    on_devices="rewriting.device_selections:stored",
)
