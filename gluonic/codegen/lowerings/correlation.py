"""Correlation."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "Correlation",
    "_backward_Correlation",
    python="NumPy correlates displacement by displacement; no rule for machine code has been written",
)
