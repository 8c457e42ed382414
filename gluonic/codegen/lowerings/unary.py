"""Element-wise functions of one input."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "abs",
    "negative",
    "sign",
    "round",
    "rint",
    "ceil",
    "floor",
    "trunc",
    "fix",
    selects=True,
)
lower("relu", selects=True, follows_input=True)
lower("clip", selects=True, eager=1)
lower("sigmoid", eager=1, follows_input=True)
lower("softsign", "erf", eager=1)
lower("tanh", follows_input=True)
lower("_polygamma", python="SciPy computes all orders but the first")
