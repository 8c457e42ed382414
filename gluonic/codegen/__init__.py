"""The compiler: from a graph to machine code for fused loops, and the programs that run it.

Other rooms import from here. What not every program needs, or loads LLVM, they import by its own name.
"""

from gluonic.codegen.differentiable import DifferentiableProgram, Saved
from gluonic.codegen.eager import compiled_gradients, compiled_outputs, may_repay_compiling
from gluonic.codegen.gradient_use import GradientUse
from gluonic.codegen.inspection.cache_info import CacheInfo
from gluonic.codegen.inspection.explain import Explanation, explain
from gluonic.codegen.inspection.gradient_sums import GradientSums
from gluonic.codegen.program import Program, cut, executor, interpreting
from gluonic.graph.interpret import Observer

__all__ = [
    "CacheInfo",
    "DifferentiableProgram",
    "Explanation",
    "GradientSums",
    "GradientUse",
    "Observer",
    "Program",
    "Saved",
    "compiled_gradients",
    "compiled_outputs",
    "cut",
    "executor",
    "explain",
    "interpreting",
    "may_repay_compiling",
]
