"""The compiler: from a graph to machine code for fused loops, and the programs that run it.

Other rooms import from here. Modules that few programs need, or that load LLVM, are imported by their own
names.
"""

from typing import TYPE_CHECKING

from gluonic.codegen.differentiable import DifferentiableProgram, Saved
from gluonic.codegen.eager import (
    compiled_gradients,
    compiled_outputs,
    latest_call,
    may_repay_compiling,
)
from gluonic.codegen.executors import executor, interpreting
from gluonic.codegen.gradient_use import GradientUse
from gluonic.codegen.inspection.cache_info import CacheInfo
from gluonic.codegen.inspection.dump import WATCHERS
from gluonic.codegen.inspection.explain import Explanation, explain
from gluonic.codegen.inspection.gradient_sums import GradientSums
from gluonic.codegen.lowerings.entry import lowering_of
from gluonic.codegen.program import Program, cut
from gluonic.graph.interpret import Observer
from gluonic.support.lazy_import import import_later

if TYPE_CHECKING:
    from gluonic.codegen.cuda.device_graph import DeviceGraph, OperatorOnDevice, operator_on_device
    from gluonic.codegen.cuda.device_report import DeviceExplanation
    from gluonic.codegen.cuda.fallbacks import FALLBACKS
    from gluonic.codegen.device_checks import finite_on_device
    from gluonic.codegen.device_differentiable import DeviceDifferentiableGraph
    from gluonic.codegen.device_gradients import gradient_on_device
    from gluonic.codegen.device_updates import DeviceUpdates, Updated, updates_on_device
    from gluonic.codegen.exported_library import LibraryFiles, LibrarySource, write_library
    from gluonic.codegen.maths.functions import NotLowered
    from gluonic.codegen.row_updates import update_rows
    from gluonic.codegen.shapes.symbolic import NotUniform, ShapeEnv, SymbolicDim
    from gluonic.codegen.updates import BoundUpdate, update_kernel

__getattr__, __dir__ = import_later(
    __name__,
    {
        "DeviceDifferentiableGraph": f"{__name__}.device_differentiable:DeviceDifferentiableGraph",
        "DeviceExplanation": f"{__name__}.cuda.device_report:DeviceExplanation",
        "DeviceGraph": f"{__name__}.cuda.device_graph:DeviceGraph",
        "FALLBACKS": f"{__name__}.cuda.fallbacks:FALLBACKS",
        "finite_on_device": f"{__name__}.device_checks:finite_on_device",
        "gradient_on_device": f"{__name__}.device_gradients:gradient_on_device",
        "OperatorOnDevice": f"{__name__}.cuda.device_graph:OperatorOnDevice",
        "operator_on_device": f"{__name__}.cuda.device_graph:operator_on_device",
        "DeviceUpdates": f"{__name__}.device_updates:DeviceUpdates",
        "Updated": f"{__name__}.device_updates:Updated",
        "updates_on_device": f"{__name__}.device_updates:updates_on_device",
        "BoundUpdate": f"{__name__}.updates:BoundUpdate",
        "NotUniform": f"{__name__}.shapes.symbolic:NotUniform",
        "ShapeEnv": f"{__name__}.shapes.symbolic:ShapeEnv",
        "SymbolicDim": f"{__name__}.shapes.symbolic:SymbolicDim",
        "NotLowered": f"{__name__}.maths.functions:NotLowered",
        "LibraryFiles": f"{__name__}.exported_library:LibraryFiles",
        "LibrarySource": f"{__name__}.exported_library:LibrarySource",
        "write_library": f"{__name__}.exported_library:write_library",
        "update_kernel": f"{__name__}.updates:update_kernel",
        "update_rows": f"{__name__}.row_updates:update_rows",
    },
)

__all__ = [
    "FALLBACKS",
    "WATCHERS",
    "BoundUpdate",
    "CacheInfo",
    "DeviceDifferentiableGraph",
    "DeviceExplanation",
    "DeviceGraph",
    "DeviceUpdates",
    "DifferentiableProgram",
    "Explanation",
    "GradientSums",
    "GradientUse",
    "LibraryFiles",
    "LibrarySource",
    "NotLowered",
    "NotUniform",
    "Observer",
    "OperatorOnDevice",
    "Program",
    "Saved",
    "ShapeEnv",
    "SymbolicDim",
    "Updated",
    "compiled_gradients",
    "compiled_outputs",
    "cut",
    "executor",
    "explain",
    "finite_on_device",
    "gradient_on_device",
    "interpreting",
    "latest_call",
    "lowering_of",
    "may_repay_compiling",
    "operator_on_device",
    "update_kernel",
    "update_rows",
    "updates_on_device",
    "write_library",
]
