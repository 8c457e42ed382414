"""What transformers compute."""

from gluonic.codegen.lowerings.entry import lower

lower("_contrib_div_sqrt_dim", loop="loops.semantics:div_sqrt_dim")
