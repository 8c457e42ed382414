"""Fourier transforms and sketches."""

from gluonic.codegen.lowerings.entry import lower

_WHY = "NumPy gathers by several indices in one call; it has no lowering yet"

lower(
    "_contrib_count_sketch",
    on_devices="rewriting.device_selections:sketch",
)
lower(
    "_backward_contrib_count_sketch",
    on_devices="rewriting.device_selections:sketch_back",
    python=_WHY,
)
