"""Parts of arrays."""

from gluonic.codegen.lowerings.entry import LayoutRules, lower

lower("slice", loop="loops.loop_slices:slice_of")
lower(
    "slice_axis",
    loop="loops.loop_slices:slice_axis",
    layout=LayoutRules("moves", blocked="rewriting.layout.joining:take_channels"),
)
lower("slice_like", loop="loops.loop_slices:slice_like")
lower(
    "_backward_slice",
    "_backward_slice_axis",
    "_backward_slice_like",
    "_backward_Crop",
    python="NumPy writes into a part of zeros; it has no lowering yet",
)
lower(
    "_slice_assign",
    "_slice_assign_scalar",
    python="NumPy writes into a part of the array in one call",
)
