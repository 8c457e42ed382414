"""Larger images."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "UpSampling",
    "_backward_UpSampling",
    python="of few channels alone NumPy resizes images; machine code does it in blocks of channels",
)
