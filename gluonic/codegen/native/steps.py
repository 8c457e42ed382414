"""Which machine code runs an operator as a whole.

What few nets have takes long to import: it is imported when a graph has it.
"""

import importlib
from typing import Any

from gluonic.codegen.data_movement.copies import CopyStep, JoinStep
from gluonic.codegen.loops.steps import MADE_STEPS, Step
from gluonic.codegen.matmul.packing import PackStep
from gluonic.codegen.matmul.steps import ProductStep
from gluonic.codegen.native.foreign import ForeignStep
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph.node import Node

_KINDS: tuple[Any, ...] = (ProductStep, PackStep, CopyStep, JoinStep, ForeignStep)
"""The steps that are asked whether they are for an operator."""
_PLACES = {
    "Convolution": "convolution.as_matmul:ConvolutionProductStep",
    "_backward_Convolution_data": "convolution.as_matmul:DataGradientStep",
    "_backward_Convolution_weight": "convolution.as_matmul:WeightGradientStep",
    "_images_like": "convolution.as_matmul:ShapeStep",
    "Pooling": "pooling.steps:PoolingStep",
    "_backward_Pooling_sum": "pooling.steps:SpreadStep",
    "_backward_Pooling_max": "pooling.steps:ScatterStep",
    "RNN": "recurrent.steps:RecurrentStep",
    "_masked_RNN": "recurrent.steps:RecurrentStep",
    "_backward_RNN": "recurrent.steps:RecurrentGradientStep",
    "CTCLoss": "ctc.steps:CtcStep",
    "_ctc_losses": "ctc.steps:CtcStep",
    "Embedding": "data_movement.row_steps:LookupStep",
    "take": "data_movement.row_steps:LookupStep",
    "_backward_Embedding": "data_movement.row_steps:AddRowsStep",
    "_backward_take": "data_movement.row_steps:AddRowsStep",
    "BilinearSampler": "data_movement.sampling_steps:SampleStep",
    "_bilinear_sample": "data_movement.sampling_steps:SampleStep",
    "_backward_bilinear_sample": "data_movement.sampling_steps:SampleGradientStep",
    "Pad": "data_movement.padding_steps:PaddingStep",
    "_backward_Pad": "data_movement.padding_steps:PaddingGradientStep",
}
"""Where the steps of operators are that have one of their own: a module of the compiler, and a class."""


def native_step(node: Node, facts: Facts) -> Step | None:
    """What machine code does for an operator that runs as a whole; None if Python runs it."""
    made = MADE_STEPS.get(node.applied.op)
    if made is not None:
        return made(node, facts)
    place = _PLACES.get(node.operator_name)
    kinds = _KINDS if place is None else (_kind_at(place), *_KINDS)
    for kind in kinds:
        step: Step | None = kind.of(node, facts)
        if step is not None:
            return step
    return None


def _kind_at(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(f"gluonic.codegen.{module}"), name)
