"""Copies, casts, sums and selections of whole arrays."""

from gluonic.codegen.lowerings.entry import lower

lower("_copy", "BlockGrad", "make_loss", is_view=True, selects=True)
lower("MakeLoss", is_view=True)
lower("Cast", "_cast_like", selects=True)
lower("add_n", loop="loops.semantics:add_n", float16="pairwise")
lower("where", loop="loops.semantics:where", selects=True, eager=1)
lower("zeros_like", loop="loops.semantics:zeros")
lower("ones_like", loop="loops.semantics:ones")
