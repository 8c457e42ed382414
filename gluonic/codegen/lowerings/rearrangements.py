"""Rearranged elements, by NumPy's rules."""

from gluonic.codegen.lowerings.entry import lower

lower("_npi_broadcast_to", loop="loops.semantics:broadcast")
lower("_npi_rot90", decompose="rewriting.decompose_numpy:turned")
lower("_npi_tril", loop="loops.loop_conditions:below_diagonal")
lower("_backward_npi_tril", decompose="rewriting.decompose_numpy:below_diagonal_back")
lower("_np_roll", decompose="rewriting.decompose_moves:roll")
lower("_np_diagonal", decompose="rewriting.decompose_moves:diagonal")
lower("_backward_np_diagonal", decompose="rewriting.decompose_moves:diagonal_back")
lower("_np_trace", decompose="rewriting.decompose_moves:trace")
lower("_backward_np_trace", decompose="rewriting.decompose_moves:trace_back")
lower("_np_diagflat", decompose="rewriting.decompose_moves:diagflat")
lower("_backward_np_diagflat", decompose="rewriting.decompose_moves:diagflat_back")
lower(
    "_npi_pad",
    "_backward_npi_pad",
    python="NumPy pads integers and float16, and in modes that Pad lacks",
)
