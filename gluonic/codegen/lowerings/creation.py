"""New arrays."""

from gluonic.codegen.lowerings.entry import lower

lower("_zeros", "_zeros_without_dtype", loop="loops.semantics:zeros", fills=0.0)
lower("_ones", loop="loops.semantics:ones", fills=1.0)
lower("_full", loop="loops.semantics:filled", fills="value")
lower("_arange", loop="loops.loop_choices:arange")
lower(
    "_contrib_arange_like",
    loop="loops.loop_choices:ramp",
    decompose="rewriting.decompose:arange_like",
    python="with axis=None or repeat, NumPy fills the array",
)
lower("_eye", "_linspace", "_npi_linspace", python="NumPy fills the array")
