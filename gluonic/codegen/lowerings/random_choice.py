"""Random choices and permutations."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_sample_multinomial",
    "_shuffle",
    "_sample_unique_zipfian",
    python="one generator draws the elements one by one, in Python",
)
lower("_gather_chosen", "_backward_gather_chosen", python="NumPy refuses indices out of range")
