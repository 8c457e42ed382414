"""Logical reductions, variances and indices of extremes; quantiles and counts."""

from gluonic.codegen.lowerings.entry import lower

lower("_np_any", loop="loops.semantics:any_over")
lower("_np_all", loop="loops.semantics:all_over")
lower(
    "_npi_argmax",
    decompose="rewriting.decompose_positions:largest",
    on_devices="rewriting.device_selections:of_integers",
)
lower(
    "_npi_argmin",
    decompose="rewriting.decompose_positions:smallest",
    on_devices="rewriting.device_selections:of_integers",
)
lower("_npi_var", decompose="rewriting.decompose_numpy:variance")
lower("_npi_std", decompose="rewriting.decompose_numpy:deviation")
lower("_npi_percentile", python="NumPy sorts")
lower(
    "_npi_bincount",
    python="the shape of its output depends on the data, so the interpreter runs the graph",
)
