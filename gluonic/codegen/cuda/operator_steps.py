"""The operators that hand-written kernels compute on a GPU, each with what makes its step."""

from __future__ import annotations

from collections.abc import Callable

from gluonic.codegen.cuda.convolutions.steps import KINDS, ConvolutionStep
from gluonic.codegen.cuda.products.steps import ProductStep
from gluonic.codegen.cuda.steps import DeviceStep
from gluonic.codegen.shapes.facts import Facts
from gluonic.device.processors import Processor
from gluonic.graph import Node

StepRule = Callable[[Node, Facts, Processor], DeviceStep | None]
"""Makes the step of a node; None if it has none for these attributes, shapes or dtypes."""

_PRODUCTS = (
    "FullyConnected",
    "_extended",
    "dot",
    "_backward_dot_lhs",
    "_backward_dot_rhs",
    "batch_dot",
    "_heads_dot",
)

STEPS: dict[str, StepRule] = {
    **dict.fromkeys(_PRODUCTS, ProductStep.of),
    **dict.fromkeys(KINDS, ConvolutionStep.of),
}
"""By the name of the operator."""
