"""Compiling one expression or one kernel and running it on arrays; measuring errors in ulps."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gluonic.codegen.loops.emission import emit_kernel
from gluonic.codegen.loops.kernel import (
    AccessPattern,
    Carry,
    Kernel,
    Operand,
    Reduce,
    Result,
    Stage,
    Store,
)
from gluonic.codegen.machine import jit
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.target import Target, cross, host
from gluonic.codegen.maths.values import Dtype, Value
from gluonic.codegen.scalar.recorder import Recorder
from gluonic.support.record import record

Array = np.ndarray[Any, Any]
LEVELS = ("", "x86-64-v3", "x86-64")


def target_named(level: str) -> Target:
    """The host, or the host restricted to a level of x86-64; skips where that means nothing."""
    import pytest

    if not level:
        return host()
    if host().architecture != "x86_64":
        pytest.skip("levels of x86-64")
    target = cross(host().triple, level)
    if not target.simd <= host().simd:
        pytest.skip(f"this machine lacks {sorted(target.simd - host().simd)}")
    return target


class Compiled:
    """A kernel as a function of arrays: extents and strides are taken from the call."""

    def __init__(self, kernel: Kernel, target: Target | None = None) -> None:
        module = LLVMModule(target or host())
        emit_kernel(module, "kernel", kernel)
        self.kernel, self.text = kernel, module.text()
        self.library = jit.load(self.text, ["kernel"], tuple(module.imports), module.target)
        signature = ctypes.CFUNCTYPE(
            None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64
        )
        self.call = signature(self.library["kernel"])

    def __call__(
        self,
        extents: Sequence[int],
        arrays: Sequence[Array],
        *,
        grain: int = 4096,
        pieces: int = 1,
        strides: Sequence[Sequence[int]] | None = None,
    ) -> None:
        """Run all units of work, in `pieces` calls."""
        steps = strides or [_strides(a, len(extents)) for a in arrays]
        table = np.array(self.kernel.table(extents, steps, grain), np.int64)
        pointers = np.array([a.ctypes.data for a in arrays], np.int64)
        units = self.kernel.units(extents, grain)
        edges = np.linspace(0, units, pieces + 1).astype(int)
        for begin, end in itertools.pairwise(edges):
            self.call(pointers.ctypes.data, table.ctypes.data, int(begin), int(end))


@record
class Draft:
    """A stage whose program is recorded from ``body(m, x, r)``.

    Attributes
    ----------
    body : returns a value for each of `results`: ``x[k]`` is the element of operand `k`, ``r`` holds the values
        that earlier stages reduced or carried
    """

    body: Callable[..., Sequence[Any]]
    results: tuple[Result, ...]
    point: bool = False


class _Elements:
    """The elements of operands, each recorded on first use."""

    def __init__(self, m: Recorder, dtypes: Sequence[Dtype]) -> None:
        self._m, self._dtypes = m, dtypes
        self._read: dict[int, Value] = {}

    def __getitem__(self, number: int) -> Value:
        if number not in self._read:
            self._read[number] = self._m.element(number, self._dtypes[number])
        return self._read[number]


def kernel_of(
    rank: int,
    operands: Sequence[Operand],
    drafts: Sequence[Draft],
    reduced: frozenset[int] = frozenset(),
    *,
    scratch: tuple[Dtype, ...] = (),
    **options: Any,
) -> Kernel:
    """A kernel of drafts; the other parameters are those of a kernel."""
    dtypes = [*(operand.dtype for operand in operands), *scratch]
    left: list[Dtype] = []
    stages = []
    for draft in drafts:
        m = Recorder()
        values = [m.left(number, dtype) for number, dtype in enumerate(left)]
        program = m.program(draft.body(m, _Elements(m, dtypes), values)).without_unused()
        stages.append(Stage(program, draft.results, draft.point))
        for result, dtype in zip(draft.results, program.dtypes, strict=True):
            if isinstance(result, Carry):
                left.append(dtype)
            elif isinstance(result, Reduce):
                left.append(result.dtype or dtype)
    return Kernel(rank, tuple(operands), tuple(stages), reduced, scratch=scratch, **options)


def _strides(array: Array, rank: int) -> Sequence[int]:
    """Strides along the space's axes; an axis of length one is repeated."""
    assert array.ndim == rank
    return [0 if n == 1 else s for n, s in zip(array.shape, array.strides, strict=True)]


def patterns_of(array: Array, space: Sequence[int]) -> tuple[AccessPattern, ...]:
    """How an array of the space's rank moves along its axes."""
    patterns: list[AccessPattern] = []
    for axis, (n, extent) in enumerate(zip(array.shape, space, strict=True)):
        if n == 1 and extent != 1:
            patterns.append("repeat")
        elif axis == len(space) - 1 and array.strides[axis] == array.itemsize:
            patterns.append("unit")
        else:
            patterns.append("stride")
    return tuple(patterns)


def compile_expression(
    expression: Callable[..., Any],
    dtypes: Sequence[Any],
    result: Any,
    target: Target | None = None,
) -> Callable[..., Array]:
    """Return an element-wise function of contiguous one-dimensional arrays."""
    count = len(dtypes)
    operands = tuple(Operand(np.dtype(d), ("unit",)) for d in (*dtypes, result))

    def body(m: Any, x: Any, r: Any) -> list[Any]:
        return [expression(m, *(x[k] for k in range(count)))]

    compiled = Compiled(kernel_of(1, operands, [Draft(body, (Store(count),))]), target)

    def run(*arrays: Array) -> Array:
        output = np.empty(len(arrays[0]), result)
        inputs = [np.ascontiguousarray(a, d) for a, d in zip(arrays, dtypes, strict=True)]
        compiled((len(output),), [*inputs, output])
        return output

    return run


def ulps(got: Array, exact: Array) -> Array:
    """The distance of results from values known better, in units in the last place.

    NaN and infinities must agree; a number next to overflow may be infinite.
    """
    dtype = got.dtype
    info = np.finfo(dtype)
    with np.errstate(all="ignore"):
        rounded = exact.astype(dtype)
        exponent = np.maximum(np.frexp(np.abs(exact))[1] - 1, info.minexp)
        unit = np.ldexp(np.longdouble(1), exponent - info.nmant)
        distance = np.abs(got.astype(np.longdouble) - exact) / unit
        same = (got == rounded) | (np.isnan(got) & np.isnan(rounded))
        distance = np.where(
            same, np.where(np.isfinite(rounded), np.minimum(distance, 0.5), 0), distance
        )
        one_infinite = (np.isinf(rounded) ^ np.isinf(got)) & ~np.isnan(got) & ~np.isnan(rounded)
        finite = np.abs(np.where(np.isinf(rounded), got, rounded))
        edge = np.where(finite >= info.max * (1 - 4 * info.eps), 1.0, np.inf)
        distance = np.where(one_infinite, edge, distance)
        return np.where(np.isnan(distance), np.inf, distance)


__all__ = [
    "LEVELS",
    "Carry",
    "Compiled",
    "Kernel",
    "Operand",
    "Reduce",
    "Stage",
    "Store",
    "compile_expression",
    "patterns_of",
    "target_named",
    "ulps",
]
