"""Elements chosen by conditions and positions, by NumPy's rules."""

from gluonic.codegen.lowerings.entry import lower

lower("_npi_where", loop="loops.loop_conditions:where")
lower("_npi_where_lscalar", loop="loops.loop_conditions:number_first")
lower("_npi_where_rscalar", loop="loops.loop_conditions:number_last")
lower("_npi_where_scalar2", loop="loops.loop_conditions:numbers")
lower(
    "_npx_nonzero",
    "_npi_unique",
    python="the shape of its output depends on the data, so the interpreter runs the graph",
)

lower(
    "_npi_boolean_mask_assign_scalar",
    on_devices="rewriting.device_selections:number_where",
)
lower(
    "_npi_boolean_mask_assign_tensor",
    python="NumPy counts the elements of the mask",
)
lower("_npx_constraint_check", python="it checks numbers between runs of machine code")
lower(
    "_npi_diag_indices_from",
    "_npi_share_memory",
    python="shapes are known before the graph runs: NumPy fills the array",
)
