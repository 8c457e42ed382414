"""Convolution."""

from typing import Any

from gluonic.codegen.lowerings.entry import lower


def reads_neighbours(settings: dict[str, Any]) -> bool:
    """Whether filters have more than one place: otherwise NumPy's product of matrices is as fast."""
    return any(extent > 1 for extent in settings["kernel"])


lower(
    "Convolution",
    step="convolution.as_matmul:ConvolutionProductStep.of",
    eager=reads_neighbours,
    float16="upcast",
)
