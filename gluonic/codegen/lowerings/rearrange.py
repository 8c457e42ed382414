"""Elements in other places."""

from gluonic.codegen.lowerings.entry import lower

lower("transpose", loop="loops.semantics:transpose", permutes=True)
lower("SwapAxis", loop="loops.semantics:swap_axes", permutes=True)
lower("reverse", loop="loops.loop_slices:reverse")
lower("Pad", step="data_movement.padding_steps:PaddingStep.of")
lower("_backward_Pad", step="data_movement.padding_steps:PaddingGradientStep.of")
lower(
    "depth_to_space",
    "space_to_depth",
    python="NumPy moves its elements in one call; no rule for machine code has been written",
)
lower(
    "_backward_repeat",
    decompose="rewriting.decompose:repeat_back",
    python="of what is repeated zero times NumPy makes zeros",
)
lower("diag", decompose="rewriting.decompose_moves:diag")
lower("_backward_diag", decompose="rewriting.decompose_moves:diag_back")
lower("tile", decompose="rewriting.decompose:tile")
lower("_backward_tile", decompose="rewriting.decompose:tile_back")
lower("repeat", decompose="rewriting.decompose:repeat")
