"""Constants of a model, computed while it is read: above all shapes, whose extents may be symbolic."""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from gluonic.codegen import SymbolicDim
from gluonic.graph import Array
from gluonic.onnx.errors import NotImportable
from gluonic.onnx.tensors import check_size, dtype_of_type, tensor_array

_MOST_ELEMENTS = 1 << 16


def fold(use: Any) -> list[Array] | None:
    """The outputs of a node whose inputs are constant; None if they are not, or are no small integers."""
    rule = RULES.get(use.node.op_type)
    if rule is None:
        return None
    if use.node.op_type in ("Shape", "Size", "Constant", "ConstantOfShape"):
        found = rule(use)
        return None if found is None else [found]
    arrays = []
    for index in range(len(use.inputs)):
        array = use.inputs[index].array if _is_tensor(use.inputs[index]) else None
        if use.has(index) and (array is None or array.size > _MOST_ELEMENTS):
            return None
        if array is not None and array.dtype.kind not in "iubOf":
            return None
        arrays.append(array)
    if not any(array is not None and array.dtype.kind in "iubO" for array in arrays):
        return None
    if use.node.op_type not in _OF_FLOATS and any(
        a is not None and a.dtype.kind == "f" for a in arrays
    ):
        return None
    found = rule(use, *arrays)
    if isinstance(found, SymbolicDim):
        return [as_sizes([found]).reshape(())]
    return None if found is None else [np.asarray(found)]


def _is_tensor(value: Any) -> bool:
    return hasattr(value, "array")


def as_sizes(values: Sequence[Any]) -> Array:
    """A vector of sizes; of objects, if some are symbolic."""
    if not any(isinstance(value, SymbolicDim) for value in values):
        return np.array(values, np.int64)
    array = np.empty(len(values), object)
    for index, value in enumerate(values):  # NumPy would ask a symbolic size for its elements
        array[index] = value
    return array


def _shape(use: Any) -> Array | None:
    if not _is_tensor(use.inputs[0]):
        return None
    shape = use.shape(0)
    begin, end = use.attribute("start", 0), use.attribute("end")
    return as_sizes(shape[begin:end])


def _size(use: Any) -> Array | None:
    total: Any = 1
    for extent in use.shape(0):
        total = total * extent
    return as_sizes([total]).reshape(())


def _constant(use: Any) -> Array | None:
    for name, value in use.attributes.items():
        if name == "value":
            return tensor_array(value.t)
        if name in ("value_int", "value_ints"):
            return np.array(use.attribute(name), np.int64)
        if name in ("value_float", "value_floats"):
            return np.array(use.attribute(name), np.float32)
    raise NotImportable("a constant that is no tensor of numbers")


def _constant_of_shape(use: Any) -> Array | None:
    shape = use.known_or_none(0)
    if shape is None or shape.dtype == object:
        return None
    value = use.attributes.get("value")
    number = np.zeros(1, np.float32) if value is None else tensor_array(value.t)
    check_size(shape)
    if prod(map(int, shape)) > _MOST_ELEMENTS:
        return None
    return np.full(shape.tolist(), number.reshape(-1)[0])


def _axes(use: Any, given: Array | None) -> list[int]:
    return list(use.attribute("axes", [])) if given is None else [int(a) for a in given.reshape(-1)]


def _unsqueeze(use: Any, x: Array, axes: Array | None = None) -> Array:
    places = _axes(use, axes)
    rank = x.ndim + len(places)
    for axis in sorted(axis % rank for axis in places):
        x = np.expand_dims(x, axis)
    return x


def _squeeze(use: Any, x: Array, axes: Array | None = None) -> Array:
    places = _axes(use, axes)
    return np.squeeze(x, tuple(places) if places else None)


def _slice(use: Any, x: Array, *bounds: Array | None) -> Array | None:
    if use.opset < 10:
        starts, ends = use.attribute("starts"), use.attribute("ends")
        axes, steps = use.attribute("axes") or list(range(len(starts))), [1] * len(starts)
    else:
        given = [None if b is None else b.reshape(-1).tolist() for b in (*bounds, None, None)[:4]]
        starts, ends = given[0], given[1]
        assert starts is not None
        axes, steps = given[2] or list(range(len(starts))), given[3] or [1] * len(starts)
    index: list[Any] = [slice(None)] * x.ndim
    for axis, begin, end, step in zip(axes, starts, ends, steps, strict=True):
        if isinstance(begin, SymbolicDim) or isinstance(end, SymbolicDim):
            return None
        index[axis] = slice(begin, None if step < 0 and end < -x.shape[axis] else end, step)
    part: Array = x[tuple(index)]
    return part


def _cast(use: Any, x: Array) -> Array | None:
    dtype = dtype_of_type(use.attribute("to"))
    if x.dtype == object:
        return x if dtype.kind in "iu" else None
    return x.astype(dtype)


def _divide(use: Any, a: Array, b: Array) -> Array | None:
    if a.dtype == object or b.dtype == object:
        return _objects(lambda x, y: x // y)(use, a, b)
    if (b == 0).any():
        return None
    quotient = np.abs(a) // np.abs(b) * np.sign(a) * np.sign(b)
    return quotient.astype(np.result_type(a, b))


def _objects(function: Callable[[Any, Any], Any]) -> Callable[..., Array | None]:
    """An operation on each pair of elements, which may be symbolic."""

    def run(use: Any, a: Array, b: Array) -> Array | None:
        if a.dtype != object and b.dtype != object:
            return np.asarray(function(a, b)).astype(np.result_type(a, b), copy=False)
        one, other = np.broadcast_arrays(a.astype(object), b.astype(object))
        results = [function(x, y) for x, y in zip(one.reshape(-1), other.reshape(-1), strict=True)]
        return as_sizes(results).reshape(one.shape)

    return run


def _compared(function: Callable[[Any, Any], Any]) -> Callable[..., Array | None]:
    def run(use: Any, a: Array, b: Array) -> Array | None:
        if a.dtype == object or b.dtype == object:
            one, other = np.broadcast_arrays(a.astype(object), b.astype(object))
            pairs = zip(one.reshape(-1), other.reshape(-1), strict=True)
            return np.array([bool(function(x, y)) for x, y in pairs]).reshape(one.shape)
        return np.asarray(function(a, b))

    return run


def _where(use: Any, condition: Array, a: Array, b: Array) -> Array:
    return np.where(condition, a, b)


def _concat(use: Any, *parts: Array) -> Array:
    return np.concatenate([part for part in parts if part is not None], use.attribute("axis", 0))


def _gather(use: Any, x: Array, index: Array) -> Array:
    return np.take(x, index.astype(np.int64), use.attribute("axis", 0))


def _reshape(use: Any, x: Array, shape: Array) -> Array | None:
    if shape.dtype == object:
        return None
    keeps = not use.attribute("allowzero", 0)
    target = [x.shape[i] if e == 0 and keeps else e for i, e in enumerate(shape.tolist())]
    return x.reshape(target)


def _range(use: Any, begin: Array, end: Array, step: Array) -> Array | None:
    if any(each.dtype == object for each in (begin, end, step)) or step.item() == 0:
        return None
    if abs((end.item() - begin.item()) / step.item()) > _MOST_ELEMENTS:
        return None
    return np.arange(begin.item(), end.item(), step.item(), dtype=begin.dtype)


def _expand(use: Any, x: Array, shape: Array) -> Array | None:
    if shape.dtype == object:
        return None
    target = np.broadcast_shapes(x.shape, tuple(shape.tolist()))
    return (
        None if np.prod(target, dtype=np.float64) > _MOST_ELEMENTS else np.broadcast_to(x, target)
    )


def _reduce_prod(use: Any, x: Array, axes: Array | None = None) -> Array | None:
    if x.ndim != 1:
        return None
    total: Any = 1
    for element in x.tolist():
        total = total * element
    return as_sizes([total]).reshape([1] if use.attribute("keepdims", 1) else [])


RULES: dict[str, Callable[..., Any]] = {
    "Shape": _shape,
    "Size": _size,
    "Constant": _constant,
    "ConstantOfShape": _constant_of_shape,
    "Unsqueeze": _unsqueeze,
    "Squeeze": _squeeze,
    "Slice": _slice,
    "Cast": _cast,
    "Add": _objects(lambda x, y: x + y),
    "Sub": _objects(lambda x, y: x - y),
    "Mul": _objects(lambda x, y: x * y),
    "Div": _divide,
    "Max": lambda use, *values: (
        _objects(lambda x, y: np.maximum(x, y))(use, *values) if len(values) == 2 else None
    ),
    "Min": lambda use, *values: (
        _objects(lambda x, y: np.minimum(x, y))(use, *values) if len(values) == 2 else None
    ),
    "Equal": _compared(lambda x, y: x == y),
    "Less": _compared(lambda x, y: x < y),
    "Greater": _compared(lambda x, y: x > y),
    "Not": lambda use, x: ~x if x.dtype == bool else None,
    "And": lambda use, x, y: x & y if x.dtype == y.dtype == bool else None,
    "Or": lambda use, x, y: x | y if x.dtype == y.dtype == bool else None,
    "Where": _where,
    "Concat": _concat,
    "Gather": _gather,
    "Reshape": _reshape,
    "Range": _range,
    "Expand": _expand,
    "ReduceProd": _reduce_prod,
    "Identity": lambda use, x: x,
}
_OF_FLOATS = frozenset({"Cast", "Range"})
"""Operators whose constants may also be floating-point numbers, which become integers or are bounds."""
