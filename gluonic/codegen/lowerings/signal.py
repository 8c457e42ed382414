"""Fourier transforms and sketches."""

from gluonic.codegen.lowerings.entry import lower

lower("_contrib_fft", "_contrib_ifft", python="NumPy transforms")

_WHY = "NumPy refuses indices out of range"

lower(
    "_contrib_count_sketch",
    on_devices="rewriting.device_selections:sketch",
    python=_WHY,
)
lower(
    "_backward_contrib_count_sketch",
    on_devices="rewriting.device_selections:sketch_back",
    python=_WHY,
)
