"""Calling one native function on arrays, for any target that this machine can run."""

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gluonic.codegen.machine import jit
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.target import Target

Array = np.ndarray[Any, Any]
Emit = Callable[[LLVMModule, str], None]


def run_native(
    target: Target, emit: Emit, arrays: Sequence[Array], numbers: Sequence[int], units: int
) -> None:
    """Compile a function and do all units of its work, the later half first."""
    module = LLVMModule(target)
    emit(module, "function")
    library = jit.load(module.text(), ["function"], tuple(module.imports), target)
    pointers = ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64
    function = ctypes.CFUNCTYPE(None, *pointers)(library["function"])
    operands = (ctypes.c_void_p * len(arrays))(*[array.ctypes.data for array in arrays])
    table = np.array([*numbers, 0], np.int64)
    for begin, end in ((units // 2, units), (0, units // 2)):
        function(ctypes.addressof(operands), table.ctypes.data, begin, end)


def normal(*shape: int) -> Array:
    """Reproducible normal numbers."""
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


def filled(*shape: int) -> Array:
    """Memory whose contents show where nothing was written."""
    return np.full(shape, 7.0, np.float32)
