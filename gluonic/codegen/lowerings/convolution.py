"""Convolution."""

from collections.abc import Sequence
from math import prod
from typing import Any

from gluonic.codegen.lowerings.entry import LayoutRules, lower
from gluonic.graph.attributes import Shape

ALONG_DEPTH = LayoutRules("moves", blocked="rewriting.layout.joining:along_depth")
"""Of operators that join channels of neighbouring images, and sum them up: volumes are taken for images so."""

_AT_ONCE = 16
"""Roughly how many products of one element machine code does while it reads the next."""


_FEW_PLACES = 512
"""So many columns make NumPy's products of matrices as fast as machine code."""


def windowed_work(settings: dict[str, Any], shapes: Sequence[Shape]) -> float:
    """What is done with an element; filters of one place are left to NumPy where images have many places."""
    taps = prod(settings["kernel"])
    if taps == 1 and prod(shapes[0][2:]) >= _FEW_PLACES * prod(settings["stride"]):
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
