"""Which machine code runs an operator as a whole.

What few nets have takes long to import: it is imported when a graph has it.
"""

import importlib
from typing import Any

from gluonic.codegen.loops.facts import Facts
from gluonic.codegen.loops.steps import MADE_STEPS, Step
from gluonic.codegen.moves.copies import CopyStep, JoinStep
from gluonic.codegen.native.foreign import ForeignStep
from gluonic.codegen.products.matmul import ProductStep
from gluonic.codegen.products.packing import PackStep
from gluonic.graph.node import Node

_KINDS: tuple[Any, ...] = (ProductStep, PackStep, CopyStep, JoinStep, ForeignStep)
"""The steps that are asked whether they are for an operator."""
_PLACES = {
    "Convolution": "images.convolution_products:ConvolutionProductStep",
    "_backward_Convolution_data": "images.convolution_products:DataGradientStep",
    "_backward_Convolution_weight": "images.convolution_products:WeightGradientStep",
    "_images_like": "images.convolution_products:ShapeStep",
    "Pooling": "images.pooling_steps:PoolingStep",
    "_backward_Pooling_sum": "images.pooling_steps:SpreadStep",
    "_backward_Pooling_max": "images.pooling_steps:ScatterStep",
    "RNN": "products.recurrent_steps:RecurrentStep",
    "_masked_RNN": "products.recurrent_steps:RecurrentStep",
    "_backward_RNN": "products.recurrent_steps:RecurrentGradientStep",
    "CTCLoss": "products.ctc_steps:CtcStep",
    "_ctc_losses": "products.ctc_steps:CtcStep",
    "Embedding": "moves.row_steps:LookupStep",
    "take": "moves.row_steps:LookupStep",
    "_backward_Embedding": "moves.row_steps:AddRowsStep",
    "_backward_take": "moves.row_steps:AddRowsStep",
    "BilinearSampler": "moves.sampling_steps:SampleStep",
    "_bilinear_sample": "moves.sampling_steps:SampleStep",
    "_backward_bilinear_sample": "moves.sampling_steps:SampleGradientStep",
    "Pad": "moves.padding_steps:PaddingStep",
    "_backward_Pad": "moves.padding_steps:PaddingGradientStep",
}
"""Where the steps of operators are that have one of their own: a module of the compiler, and a class."""


def native_step(node: Node, facts: Facts) -> Step | None:
    """What machine code does for an operator that runs as a whole; None if Python runs it."""
    assert node.application is not None
    made = MADE_STEPS.get(node.application.op)
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
