"""Parts of arrays."""

from gluonic.codegen.lowerings.entry import lower

lower("slice", loop="loops.loop_slices:slice_of")
lower("slice_axis", loop="loops.loop_slices:slice_axis")
lower("slice_like", loop="loops.loop_slices:slice_like")
