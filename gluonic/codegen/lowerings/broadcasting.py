"""Broadcasting, and the reduction of its gradients."""

from gluonic.codegen.lowerings.entry import lower

lower("broadcast_to", "broadcast_axis", "broadcast_like", loop="loops.semantics:broadcast")
lower("_reduce_like", loop="loops.semantics:reduce_like")
