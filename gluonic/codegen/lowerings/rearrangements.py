"""Elements in another order, by NumPy's rules."""

from gluonic.codegen.lowerings.entry import lower

lower("_npi_broadcast_to", loop="loops.semantics:broadcast")
lower("_npi_rot90", decompose="rewriting.decompose_numpy:turned")
lower("_npi_tril", loop="loops.loop_conditions:below_diagonal")
lower("_backward_npi_tril", decompose="rewriting.decompose_numpy:below_diagonal_back")
lower(
    "_np_roll",
    "_np_diagonal",
    "_backward_np_diagonal",
    "_np_trace",
    "_backward_np_trace",
    "_np_diagflat",
    "_backward_np_diagflat",
    "_npi_pad",
    "_backward_npi_pad",
    python="NumPy moves its elements in one call; no rule for machine code has been written",
)
