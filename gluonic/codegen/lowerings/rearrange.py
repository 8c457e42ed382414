"""Permuted, padded and repeated elements."""

from gluonic.codegen.lowerings.entry import lower

lower("transpose", loop="loops.semantics:transpose", permutes=True)
lower("SwapAxis", loop="loops.semantics:swap_axes", permutes=True)
lower("reverse", loop="loops.loop_slices:reverse")
lower("Pad", step="data_movement.padding_steps:PaddingStep.of")
lower("_backward_Pad", step="data_movement.padding_steps:PaddingGradientStep.of")
lower(
    "_backward_repeat",
    on_devices="rewriting.device_decompositions:nothing_repeated",
    decompose="rewriting.decompose:repeat_back",
    python="NumPy makes the zeros where nothing is repeated",
)
lower("diag", decompose="rewriting.decompose_moves:diag")
lower("_backward_diag", decompose="rewriting.decompose_moves:diag_back")
lower("tile", decompose="rewriting.decompose:tile")
lower("_backward_tile", decompose="rewriting.decompose:tile_back")
lower(
    "repeat",
    decompose="rewriting.decompose:repeat",
    on_devices="rewriting.device_decompositions:nothing_repeated",
)
