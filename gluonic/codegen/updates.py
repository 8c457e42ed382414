"""Optimizer rules as machine code: one native call updates all parameters of a step.

A rule of :mod:`gluonic.graph.updates` is evaluated here as with NumPy. Its numbers (learning rate, weight
decay, …) are float64 arguments of a run. Operations between them are computed in float64; in operations
with elements they are rounded to the elements' dtype. So results are bitwise equal to NumPy's.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import numpy as np

from gluonic.codegen.loops.emission import emit
from gluonic.codegen.loops.kernel import Kernel, Operand, Stage, Store
from gluonic.codegen.machine.addresses import address_of
from gluonic.codegen.machine.assembler import LLVMFunction, LLVMModule
from gluonic.codegen.machine.jit import LinkedLibrary, load
from gluonic.codegen.machine.target import host
from gluonic.codegen.machine.workers import most_threads, workers
from gluonic.codegen.maths.emitter import Emitter
from gluonic.codegen.maths.values import FLOAT64, Dtype, Value
from gluonic.codegen.maths.values import Operand as Term
from gluonic.graph import Array
from gluonic.graph.updates import UpdateRule

_GRAIN = 1 << 14
_SHARED_UNITS = 3
"""From this number of units on, threads share the elements of a parameter."""
ENTRY = "update"


class Number:
    """A number of a rule: float64 in operations with numbers, the elements' dtype in those with elements.

    Parameters
    ----------
    wide : Value
        The number in float64.
    """

    def __init__(self, wide: Value) -> None:
        self.wide = wide

    def __bool__(self) -> bool:
        raise TypeError("a rule that is compiled may ask whether a number is None, nothing else")

    def _combined(self, name: str, a: Any, b: Any) -> Any:
        method = getattr(self.wide.emitter, name)
        if isinstance(a, Value) or isinstance(b, Value):
            return method(a, b)
        return Number(method(*(x.wide if isinstance(x, Number) else x for x in (a, b))))

    def __add__(self, other: Any) -> Any:
        return self._combined("add", self, other)

    def __radd__(self, other: Any) -> Any:
        return self._combined("add", other, self)

    def __sub__(self, other: Any) -> Any:
        return self._combined("subtract", self, other)

    def __rsub__(self, other: Any) -> Any:
        return self._combined("subtract", other, self)

    def __mul__(self, other: Any) -> Any:
        return self._combined("multiply", self, other)

    def __rmul__(self, other: Any) -> Any:
        return self._combined("multiply", other, self)

    def __truediv__(self, other: Any) -> Any:
        return self._combined("divide", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._combined("divide", other, self)

    def __neg__(self) -> Number:
        return Number(self.wide.emitter.negative(self.wide))


class _RuleEmitter(Emitter):
    """An emitter that accepts a rule's numbers as operands in operations with elements of one dtype."""

    def __init__(self, function: LLVMFunction, dtype: Dtype) -> None:
        super().__init__(function)
        self.dtype = dtype

    def common(self, *operands: Any, dtype: Dtype | None = None) -> list[Value]:
        """Convert operands to one dtype; numbers to that of the elements."""
        terms: list[Term] = [
            self.astype(x.wide, self.dtype) if isinstance(x, Number) else x for x in operands
        ]
        return super().common(*terms, dtype=dtype)


class UpdateKernel:
    """Machine code of one rule for one dtype.

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

    def __init__(
        self,
        rule: UpdateRule,
        dtype: Dtype,
        arrays: int,
        names: Sequence[str],
        absent: Sequence[str],
        is_copied: bool = False,
    ) -> None:
        self.dtype, self.names = dtype, tuple(names)
        self.arrays = arrays + is_copied
        elements = [Operand(dtype, ("unit",))] * self.arrays
        numbers = [Operand(FLOAT64, ("repeat",))] * len(names)
        body = self._body(rule, tuple(absent), is_copied)
        # The weight, the states and the copy are written, the gradient (operand 1) is not.
        stores = tuple(Store(k) for k in range(self.arrays) if k != 1)
        # Before the copy is read, by the next forward, much else has gone through the caches.
        streamed = self.arrays - 1 if is_copied else None
        stages = (Stage(body, stores),)
        self.kernel = Kernel(1, (*elements, *numbers), stages, streamed=streamed)
        self.text, self._library = self._compiled()
        self.function = ctypes.CFUNCTYPE(None, *(ctypes.c_size_t,) * 5)(self._library[ENTRY])

    def _body(
        self, rule: UpdateRule, absent: tuple[str, ...], is_copied: bool
    ) -> Callable[..., Sequence[Any]]:
        def body(m: Emitter, x: Any, _: Any) -> Sequence[Any]:
            own = _RuleEmitter(m.function, self.dtype)

            def value_of(operand: int) -> Value:
                read = x[operand]
                return own.value(read.ref, read.dtype, read.lanes)

            n = SimpleNamespace(**dict.fromkeys(absent))
            for k, name in enumerate(self.names, self.arrays):
                setattr(n, name, Number(value_of(k)))
            updated = rule(own, n, *(value_of(k) for k in range(self.arrays - is_copied)))
            return (*updated, updated[0]) if is_copied else updated

        return body

    def _compiled(self) -> tuple[str, LinkedLibrary]:
        module = LLVMModule(host())
        emit(self.kernel, "one", module)
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
    """The machine code of a rule; the parameters are those of :class:`UpdateKernel`."""
    return UpdateKernel(rule, dtype, arrays, names, absent, is_copied)


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


__all__ = ["BoundUpdate", "Number", "UpdateKernel", "update_kernel"]
