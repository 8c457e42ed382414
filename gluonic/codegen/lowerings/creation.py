"""New arrays."""

from gluonic.codegen.lowerings.entry import lower

lower("_zeros", "_zeros_without_dtype", loop="loops.semantics:zeros")
lower("_ones", loop="loops.semantics:ones")
lower("_full", loop="loops.semantics:filled")
lower("_arange", loop="loops.loop_choices:arange")
lower("_contrib_arange_like", loop="loops.loop_choices:ramp")
