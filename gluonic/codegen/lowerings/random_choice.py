"""Random choices and orders."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_sample_multinomial",
    "_shuffle",
    "_sample_unique_zipfian",
    python="one generator draws element after element, in Python",
)
lower(
    "_gather_chosen",
    "_backward_gather_chosen",
    python="NumPy finds elements by several indices in one call; no rule for machine code has been written",
)
