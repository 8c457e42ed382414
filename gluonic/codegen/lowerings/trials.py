"""Random trials and choices of `mx.np`."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_npi_bernoulli",
    "_npi_choice",
    "_npi_multinomial",
    python="random numbers are drawn in the order of the user's calls, between runs of machine code",
)
