"""Scalar programs, and operators' loops over them, evaluated by NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from gluonic.codegen.loops.loop import Loop, Read
from gluonic.codegen.loops.reductions import accumulator_dtype
from gluonic.codegen.maths.values import BOOL, arithmetic, number_of
from gluonic.codegen.scalar.operations import OPERATIONS
from gluonic.codegen.scalar.program import Ref, ScalarProgram, operand_dtype, result_dtype
from gluonic.graph.scalar_math import M

Array = np.ndarray[Any, Any]
_REDUCTIONS: dict[str, Any] = {
    "sum": np.add,
    "prod": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
}


def evaluated(
    program: ScalarProgram, elements: Sequence[Array], space: Sequence[int] = ()
) -> list[Any]:
    """The results of a program on whole arrays, which span a space together."""
    values: dict[Ref, Any] = {}
    for number, (name, dtype, operands) in enumerate(program.instructions):
        if name == "element":
            value: Any = elements[int(operands[0])].astype(dtype)
        elif name == "extent":
            value = np.int64(prod(space[int(axis)] for axis in operands))
        elif name == "index":
            shape = [-1 if axis == int(operands[0]) else 1 for axis in range(len(space))]
            value = np.arange(space[int(operands[0])]).reshape(shape)
        else:
            read = [
                _value(ref, operand_dtype(name, k, dtype), values) for k, ref in enumerate(operands)
            ]
            value = _computed(name, dtype, read)
        values[f"%{number}"] = np.asarray(value).astype(result_dtype(name, dtype))
    return [_value(ref, dtype, values) for dtype, ref in program.results]


def _computed(name: str, dtype: Any, operands: Sequence[Any]) -> Any:
    if name in ("convert", "rounded"):
        return operands[0].astype(dtype)
    return (OPERATIONS[name].numpy or getattr(M, name))(*operands)


def _value(ref: Ref, dtype: Any, values: dict[Ref, Any]) -> Any:
    if ref.startswith("%"):
        return values[ref]
    if dtype == BOOL:
        return np.bool_(ref == "true")
    return dtype.type(number_of(ref) if dtype.kind == "f" else int(ref))


def loop_evaluated(loop: Loop, arrays: Sequence[Array], shape: Sequence[int]) -> Array:
    """The result of an operator as a loop, of the given shape."""
    pairs = zip(arrays, loop.reads, strict=True)
    elements = [_read(array, read, loop.space) for array, read in pairs if read is not None]
    program = loop.program(tuple(arithmetic(each.dtype) for each in elements))
    (value,) = evaluated(program, elements, loop.space)
    value = np.broadcast_to(value, loop.space)
    if loop.reduction is not None:
        wide = value.astype(accumulator_dtype(loop.reduction, value.dtype))
        total = _REDUCTIONS[loop.reduction].reduce(wide, axis=loop.axes, keepdims=True)
        value = total.astype(value.dtype)
        finish = loop.finishing(value.dtype)
        if finish is not None:
            (value,) = evaluated(finish, [value], loop.space)
    sources = {axis: i for i, axis in enumerate(loop.written) if axis is not None}
    order = [sources[axis] for axis in range(len(shape)) if axis in sources]
    left = [axis for axis in range(value.ndim) if axis not in order]
    result: Array = value.transpose(*order, *left).reshape(shape)
    return result


def _read(array: Array, read: Read, space: Sequence[int]) -> Array:
    """The elements that are read, in an array that stretches to the space."""
    extents = {axis: space[i] for i, axis in enumerate(read.axes) if axis is not None}
    for axis in range(array.ndim):
        begin, step = (part[axis] if part else k for k, part in enumerate((read.begin, read.step)))
        array = array.take(begin + step * np.arange(extents.get(axis, 1)), axis)
    sources = [axis for axis in read.axes if axis is not None]
    left = [axis for axis in range(array.ndim) if axis not in sources]
    ordered = array.transpose(*sources, *left)
    lengths = iter(ordered.shape)
    return ordered.reshape([1 if axis is None else next(lengths) for axis in read.axes])
