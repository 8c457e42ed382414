"""Convolution."""

from math import prod
from typing import Any

from gluonic.codegen.lowerings.entry import LayoutRules, lower

ALONG_DEPTH = LayoutRules("moves", blocked="rewriting.layout.joining:along_depth")
"""Of operators that join channels of neighbouring images, and sum them up: volumes are taken for images so."""

_AT_ONCE = 16
"""Roughly how many products of one element machine code does while it reads the next."""


def windowed_work(settings: dict[str, Any]) -> float:
    """What is done with an element; filters of one place are left to NumPy, whose products are as fast."""
    places = prod(settings["kernel"])
    filters = settings["num_filter"] / settings["num_group"]
    return places * max(1, filters / _AT_ONCE) if places > 1 else 0


lower(
    "Convolution",
    step="convolution.as_matmul:ConvolutionProductStep.of",
    layout=LayoutRules(
        "decides",
        plain="rewriting.layout.windows:convolution",
        blocked="rewriting.layout.blocked_rewriting:BlockedRewriting.convolution",
    ),
    eager=windowed_work,
    float16="upcast",
)
