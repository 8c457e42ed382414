"""Element-wise functions of two inputs."""

from gluonic.codegen.lowerings.entry import LayoutRules, lower

lower("elemwise_add", "broadcast_add", "_plus_scalar", signs=(1, 1))
lower("elemwise_sub", "broadcast_sub", "_minus_scalar", signs=(1, -1))
lower("_rminus_scalar", signs=(-1, 1))
lower("elemwise_mul", "_mul_scalar", multiplies=True)
lower(
    "broadcast_mul",
    multiplies=True,
    layout=LayoutRules(blocked="rewriting.layout.following:scaling"),
)
lower("_maximum", "broadcast_maximum", "_maximum_scalar", selects=True)
lower("_minimum", "broadcast_minimum", "_minimum_scalar", selects=True)
