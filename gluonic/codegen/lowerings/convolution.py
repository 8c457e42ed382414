"""Convolution."""

from collections.abc import Sequence
from math import prod
from typing import Any

from gluonic.codegen.lowerings.entry import LayoutRules, lower
from gluonic.graph.attributes import Shape

ALONG_DEPTH = LayoutRules("moves", blocked="rewriting.layout.joining:along_depth")
"""The rules of operators that concatenate or sum channels of adjacent images: how volumes become images."""

_AT_ONCE = 16
"""Roughly the number of products that machine code computes while it loads an element."""


_FEW_POSITIONS = 512
"""From this number of columns on, NumPy's matrix products are as fast as machine code."""


def windowed_work(settings: dict[str, Any], shapes: Sequence[Shape]) -> float:
    """The work per element; NumPy computes 1 × 1 filters on large images, for which this is 0."""
    taps = prod(settings["kernel"])
    if taps == 1 and prod(shapes[0][2:]) >= _FEW_POSITIONS * prod(settings["stride"]):
        return 0
    filters = settings["num_filter"] / settings["num_group"]
    return float(taps * max(1, filters / _AT_ONCE))


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
