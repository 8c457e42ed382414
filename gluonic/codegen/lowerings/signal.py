"""Fourier transforms and sketches."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_contrib_fft",
    "_contrib_ifft",
    python="NumPy transforms",
)
lower(
    "_contrib_count_sketch",
    "_backward_contrib_count_sketch",
    python="NumPy finds elements by several indices in one call; no rule for machine code has been written",
)
