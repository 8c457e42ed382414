"""Optimizer rules as machine code: one native call updates all parameters of a step.

A rule of :mod:`gluonic.graph.updates` is evaluated here as with NumPy. Its numbers (learning rate, weight
decay, …) are float64 arguments of a run. Operations between them are computed in float64; in operations
with elements they are rounded to the elements' dtype. So results are bitwise equal to NumPy's.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import lru_cache
from types import SimpleNamespace

import numpy as np

from gluonic.codegen.loops.emission import emit_kernel
from gluonic.codegen.loops.kernel import Kernel, Operand, Stage, Store
from gluonic.codegen.machine.addresses import address_of
from gluonic.codegen.machine.assembler import LLVMFunction, LLVMModule
from gluonic.codegen.machine.jit import LinkedLibrary, load
from gluonic.codegen.machine.target import host
from gluonic.codegen.machine.workers import most_threads, workers
from gluonic.codegen.maths.values import FLOAT64, Dtype
from gluonic.codegen.scalar.recorder import Recorder
from gluonic.graph import Array
from gluonic.graph.updates import UpdateRule

_GRAIN = 1 << 14
_SHARED_UNITS = 3
"""From this number of units on, threads share the elements of a parameter."""
ENTRY = "update"


def kernel_of_rule(
    rule: UpdateRule,
    dtype: Dtype,
    arrays: int,
    names: Sequence[str],
    absent: Sequence[str],
    is_copied: bool = False,
) -> Kernel:
    """The kernel of a rule.

    Parameters
    ----------
    rule : the rule
    dtype : of the weight, its gradient and its states
    arrays : the number of these arrays
    names : the rule's numbers, in the order of the arguments
    absent : the numbers that are None
    is_copied : whether the new weight is also written to one more array, the last one

    Raises
    ------
    NotLowered
        if the rule uses a function without machine code
    """
    m, n = Recorder(), SimpleNamespace(**dict.fromkeys(absent))
    count = arrays + is_copied
    for k, name in enumerate(names, count):
        setattr(n, name, m.number(k))
    updated = rule(m, n, *(m.element(k, dtype) for k in range(arrays)))
    program = m.program((*updated, updated[0]) if is_copied else updated)
    elements, numbers = Operand(dtype, ("unit",)), Operand(FLOAT64, ("repeat",))
    # The weight, the states and the copy are written, the gradient (operand 1) is not.
    stores = tuple(Store(k) for k in range(count) if k != 1)
    return Kernel(
        1,
        (*[elements] * count, *[numbers] * len(names)),
        (Stage(program, stores),),
        # Before the copy is read, by the next forward, much else has gone through the caches.
        streamed=count - 1 if is_copied else None,
    )


class UpdateKernel:
    """Machine code of one rule for one dtype.

    Parameters
    ----------
    kernel : the kernel of the rule
    names : the rule's numbers, in the order of the arguments
    """

    def __init__(self, kernel: Kernel, names: Sequence[str]) -> None:
        self.kernel, self.names = kernel, tuple(names)
        self.arrays = len(kernel.operands) - len(names)
        self.dtype = kernel.operands[0].dtype
        self.text, self._library = self._compiled()
        self.function = ctypes.CFUNCTYPE(None, *(ctypes.c_size_t,) * 5)(self._library[ENTRY])

    def _compiled(self) -> tuple[str, LinkedLibrary]:
        module = LLVMModule(host())
        emit_kernel(module, "one", self.kernel)
        arguments = ["ptr %addresses", "ptr %tables", "i64 %count", "ptr %share", "i64 %threads"]
        f = LLVMFunction(module, ENTRY, arguments)
        width, length = len(self.kernel.operands), len(self.table(0))
        several = f.compare("sgt", "%threads", 1)
        with f.loop("0", "%count") as parameter:
            slots = f.mul(parameter, width)
            operands = f.offset("%addresses", slots, "ptr")
            start = f.mul(parameter, length)
            table = f.offset("%tables", start, "i64")
            last = f.offset(table, length - 1, "i64")
            units = f.load("i64", last)
            large = f.compare("sge", units, _SHARED_UNITS)
            shared = f.both(large, several)
            with f.when(shared):
                pointers = [("ptr", pointer) for pointer in ("@one", operands, table)]
                sizes = [("i64", size) for size in (units, 1, "%threads", 0, 0)]
                f.run("%share", *pointers, *sizes)
            with f.when(f.negated(shared)):
                f.run("@one", ("ptr", operands), ("ptr", table), ("i64", 0), ("i64", units))
        f.finish()
        text = module.text()
        return text, load(text, [ENTRY], tuple(module.imports), symbols=module.symbols)

    def table(self, size: int) -> list[int]:
        """The run-time numbers of an update of `size` elements, and its units of work."""
        strides = [[self.dtype.itemsize]] * self.arrays + [[0]] * len(self.names)
        numbers = self.kernel.table([size], strides, _GRAIN)
        return [*numbers, self.kernel.units([size], _GRAIN)]


@lru_cache(maxsize=64)
def update_kernel(
    rule: UpdateRule,
    dtype: Dtype,
    arrays: int,
    names: tuple[str, ...],
    absent: tuple[str, ...],
    is_copied: bool,
) -> UpdateKernel:
    """The machine code of a rule; the parameters are those of `kernel_of_rule`."""
    return UpdateKernel(kernel_of_rule(rule, dtype, arrays, names, absent, is_copied), names)


class BoundUpdate:
    """An update kernel with the addresses of the parameters that it updates.

    It keeps nothing alive: the caller must ensure that the arrays are still at their addresses.

    Parameters
    ----------
    kernel : the machine code
    parameters : for each parameter, the weight, its gradient, its states and its copy if there is one, all
        contiguous
    """

    def __init__(self, kernel: UpdateKernel, parameters: Sequence[Sequence[Array]]) -> None:
        self.kernel = kernel
        self._count, width = len(parameters), len(kernel.names)
        self._numbers = np.zeros((self._count, width), np.float64)
        base, step = self._numbers.ctypes.data, self._numbers.itemsize
        self._addresses = np.array(
            [
                [*map(address_of, arrays), *(base + step * (i * width + k) for k in range(width))]
                for i, arrays in enumerate(parameters)
            ],
            np.uintp,
        )
        self._tables = np.array([kernel.table(p[0].size) for p in parameters], np.int64)
        threads = most_threads()
        share = workers().share if threads > 1 and self._tables[:, -1].max() >= _SHARED_UNITS else 0
        self._arguments = (
            *(self._addresses.ctypes.data, self._tables.ctypes.data, self._count),
            *(share, threads if share else 1),
        )
        self._latest: Sequence[Sequence[float]] | None = None

    def __call__(self, numbers: Sequence[Sequence[float]]) -> None:
        """Update all parameters.

        Parameters
        ----------
        numbers : for each parameter, the rule's numbers, in the kernel's order
        """
        if numbers != self._latest:
            self._numbers[...] = numbers
            self._latest = numbers
        self.kernel.function(*self._arguments)


__all__ = ["BoundUpdate", "UpdateKernel", "kernel_of_rule", "update_kernel"]
