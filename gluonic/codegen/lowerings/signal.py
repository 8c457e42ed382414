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
    python="NumPy gathers by several indices in one call; it has no lowering yet",
)
