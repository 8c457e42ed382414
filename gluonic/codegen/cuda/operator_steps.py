"""The operators that hand-written kernels compute on a GPU, each with what makes its step."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from gluonic.codegen.cuda.convolutions import steps as convolutions
from gluonic.codegen.cuda.convolutions.steps import DeviceConvolutionStep
from gluonic.codegen.cuda.pooling import steps as pooling
from gluonic.codegen.cuda.pooling.steps import WindowPoolStep
from gluonic.codegen.cuda.products.steps import TiledProductStep
from gluonic.codegen.cuda.random_steps import DRAWS, DrawStep
from gluonic.codegen.cuda.steps import DeviceStep
from gluonic.codegen.cuda.threads import recurrent_backward, recurrent_forward
from gluonic.codegen.cuda.threads.thread_steps import ThreadStep
from gluonic.codegen.cuda.update_steps import UpdateStep
from gluonic.codegen.shapes.facts import Facts
from gluonic.codegen.threads.rules import device_rules
from gluonic.device.processors import Processor
from gluonic.graph import Application, Node
from gluonic.graph.update_operators import UPDATES

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

_CONVOLUTIONS = {
    "Convolution": convolutions.FORWARD,
    "_backward_Convolution_data": convolutions.DATA_GRADIENT,
    "_backward_Convolution_weight": convolutions.WEIGHT_GRADIENT,
    "Deconvolution": convolutions.TRANSPOSED,
    "_backward_Deconvolution_data": convolutions.TRANSPOSED_DATA_GRADIENT,
    "_backward_Deconvolution_weight": convolutions.TRANSPOSED_WEIGHT_GRADIENT,
}

_POOLING = {
    "Pooling": pooling.FORWARD,
    "_backward_Pooling_sum": pooling.SPREAD,
    "_backward_Pooling_max": pooling.SCATTER,
    "_take_maxima": pooling.TAKEN,
}

_THREADS = {
    **device_rules(),
    "_recurrent_steps": recurrent_forward.forward,
    "_recurrent_steps_back": recurrent_backward.backward,
}

STEPS: dict[str, StepRule] = {
    **dict.fromkeys(UPDATES, UpdateStep.of),
    **{name: partial(DrawStep.of, draw=draw) for name, draw in DRAWS.items()},
    **dict.fromkeys(_PRODUCTS, TiledProductStep.of),
    **{name: partial(DeviceConvolutionStep.of, kind=kind) for name, kind in _CONVOLUTIONS.items()},
    **{name: partial(WindowPoolStep.of, kernels=kernels) for name, kernels in _POOLING.items()},
    **{name: partial(ThreadStep.of, rule=rule) for name, rule in _THREADS.items()},
}
"""By the name of the operator."""


def rounds_once(application: Application) -> bool:
    """Whether an operator has a kernel that reads 16 bits, sums in float32 and rounds the result alone."""
    return application.op.name in _PRODUCTS or application.op.name in _CONVOLUTIONS
