"""Convolution."""

from typing import Any

from gluonic.codegen.lowerings.entry import LayoutRules, lower

ALONG_DEPTH = LayoutRules("moves", blocked="rewriting.layout.joining:along_depth")
"""Of operators that join channels of neighbouring images, and sum them up: volumes are taken for images so."""


def reads_neighbours(settings: dict[str, Any]) -> bool:
    """Whether filters have more than one place: otherwise NumPy's product of matrices is as fast."""
    return any(extent > 1 for extent in settings["kernel"])


lower(
    "Convolution",
    step="convolution.as_matmul:ConvolutionProductStep.of",
    layout=LayoutRules(
        "decides",
        plain="rewriting.layout.windows:convolution",
        blocked="rewriting.layout.blocked_rewriting:BlockedRewriting.convolution",
    ),
    eager=reads_neighbours,
    float16="upcast",
)
