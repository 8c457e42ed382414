"""The passes from the traced graph to the one that is divided into steps, in order."""

from gluonic.codegen.rewriting.attention_heads import ReadHeadsInPlace
from gluonic.codegen.rewriting.base_operators import UseBaseOperators
from gluonic.codegen.rewriting.close_shapes import CloseShapes
from gluonic.codegen.rewriting.decompose import Decompose
from gluonic.codegen.rewriting.dense_layers import FuseActivations, PackWeights
from gluonic.codegen.rewriting.draws_apart import SeparateDraws
from gluonic.codegen.rewriting.fused_layers import OpenFusedLayers
from gluonic.codegen.rewriting.integer_products import PackIntegers
from gluonic.codegen.rewriting.layout_passes import BlockedLayout, PlainLayout
from gluonic.codegen.rewriting.passes import Pass
from gluonic.codegen.rewriting.replacing import DecomposeForDevices
from gluonic.codegen.rewriting.sharing import ShareProducts, TakePartsEarly
from gluonic.codegen.rewriting.simplify import Simplify, SimplifyParts
from gluonic.codegen.rewriting.tracing_pass import TraceKernels
from gluonic.codegen.rewriting.upcast import UpcastHalves
from gluonic.codegen.threads.whole_steps import has_code, stays_with_python

PIPELINE: list[Pass] = [
    OpenFusedLayers(),
    UseBaseOperators(),
    CloseShapes(),
    SeparateDraws(),
    UpcastHalves(),
    PlainLayout(),
    BlockedLayout(),
    ReadHeadsInPlace(),
    Simplify(),
    DecomposeForDevices(has_code, stays_with_python),
    Decompose(),
    TraceKernels(has_code, stays_with_python, may_draw=False),
    SimplifyParts(),
    ShareProducts(),
    TakePartsEarly(),
    FuseActivations(),
    PackIntegers(),
    PackWeights(),
]
"""All passes; each gets the graph that the one before it returned."""

FOR_PROCESSORS = (
    PlainLayout,
    BlockedLayout,
    DecomposeForDevices,
    TraceKernels,
    FuseActivations,
    PackWeights,
    PackIntegers,
)
"""Passes that choose memory layouts, and the steps that read them: GPUs do without. There, all products take
element-wise work (`cuda.tails`)."""
