"""Functions of one element."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "abs",
    "negative",
    "relu",
    "sign",
    "round",
    "rint",
    "ceil",
    "floor",
    "trunc",
    "fix",
    selects=True,
)
lower("clip", selects=True, eager=True)
lower("sigmoid", "softsign", "erf", eager=True)
lower(
    "erfinv",
    python="SciPy computes it; its inverse erf has machine code",
)
lower("_polygamma", python="of any order but the first, SciPy computes it")
