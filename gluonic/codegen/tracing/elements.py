"""Inner operators of traced kernels: functions of elements, and constant arrays."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from gluonic.codegen.loops.inner_operators import apply, inner_operator
from gluonic.codegen.loops.loop import Loop
from gluonic.codegen.lowerings.entry import lower
from gluonic.codegen.scalar.recorder import Recorder
from gluonic.graph import Array, Entry, Operator
from gluonic.graph.attributes import DType, Shape
from gluonic.graph.families import scalar_operator
from gluonic.graph.rules import broadcast_shapes, fixed_by
from gluonic.graph.view import NodeView, slots_of, title_of

Numbers = tuple[float, ...]
_MOST_CONSTANTS = 64
_RENAMED = {
    "absolute": "abs",
    "fabs": "abs",
    "true_divide": "divide",
    "psi": "digamma",
    "float_power": "power",
    "floor_divide": "floor_divide",
    "bitwise_not": "invert",
    "bitwise_invert": "invert",
}
"""NumPy's and SciPy's names of functions that programs call otherwise."""
_ON_INPUTS = frozenset(
    [
        "less",
        "less_equal",
        "greater",
        "greater_equal",
        "equal",
        "not_equal",
        "isnan",
        "isinf",
        "isfinite",
        "signbit",
        "logical_and",
        "logical_or",
        "logical_xor",
        "logical_not",
    ]
)
"""Functions that compute in the dtype of their operands; others do in that of the result."""


class NotTraced(NotImplementedError):
    """A kernel does with its arrays what no graph describes."""


def _broadcast(n: NodeView) -> None:
    names = [name for name in slots_of(n) if name != "output"]
    shape = getattr(n, names[0])
    for name in names[1:]:
        shape = broadcast_shapes(shape, getattr(n, name), title_of(n))
    n.output = shape


@cache
def _function(name: str, places: tuple[int, ...], arity: int) -> Operator:
    """The operator that applies a function to elements and numbers.

    Parameters
    ----------
    places : the positions of the arrays among the operands; numbers, an attribute, are at the others
    arity : the number of operands
    """

    def computed(m: Any, elements: Sequence[Any], numbers: Numbers, common: Any, dtype: Any) -> Any:
        left = iter(numbers)
        arrays = dict(zip(places, elements, strict=True))
        values = [
            m.astype(arrays[k], common)
            if k in arrays
            else m.astype(_number(next(left), common), common)
            for k in range(arity)
        ]
        if not name:
            return values[0]
        if name == "where":
            values[0] = m.not_equal(elements[0], 0)
        return m.astype(getattr(m, name)(*values), dtype)

    def one(m: Any, a: Array, *, numbers: Numbers = (), common: DType, dtype: DType) -> Any:
        return computed(m, [a], numbers, common, dtype)

    def two(
        m: Any, a: Array, b: Array, *, numbers: Numbers = (), common: DType, dtype: DType
    ) -> Any:
        return computed(m, [a, b], numbers, common, dtype)

    def three(
        m: Any, a: Array, b: Array, c: Array, *, numbers: Numbers = (), common: DType, dtype: DType
    ) -> Any:
        return computed(m, [a, b, c], numbers, common, dtype)

    expression = (one, two, three)[len(places) - 1]
    return scalar_operator(f"_{name}_of", expression, shape=_broadcast, dtype=fixed_by("dtype"))


def _number_in(entry: Entry, dtype: np.dtype[Any]) -> float | None:
    """The only number of a constant array without axes, in a dtype; None for other entries."""
    known = entry.node.application
    if known is None or known.op is not constant or known.settings["shape"]:
        return None
    (value,) = known.settings["values"]
    number = float(np.array(value, known.settings["dtype"]).astype(dtype))
    return number if np.isfinite(number) else None


@cache
def _has_program(name: str) -> bool:
    """Whether scalar programs have a function."""
    return callable(getattr(Recorder(), name, None))


def function_of_elements(
    name: str, entries: Sequence[Entry], operands: np.dtype[Any], dtype: np.dtype[Any]
) -> Entry:
    """A function of the elements of broadcast arrays.

    Parameters
    ----------
    operands : the dtype that the operands are promoted to
    dtype : of the result

    Raises
    ------
    NotTraced
        if programs have no such function
    """
    name = _RENAMED.get(name, name)
    if name == "power" and dtype.kind in "iu":
        name = "integer_power"
    try:
        known = _has_program(name)
    except NotImplementedError:
        known = False
    if not known or len(entries) > 3:
        raise NotTraced(f"programs have no {name}")
    common = operands if name in _ON_INPUTS else dtype
    numbers = [_number_in(entry, common) for entry in entries]
    if name == "where" or all(number is not None for number in numbers):
        numbers[0] = None  # a condition keeps its dtype, and a function has an array
    places = tuple(k for k, number in enumerate(numbers) if number is None)
    return apply(
        _function(name, places, len(entries)),
        *(entries[k] for k in places),
        numbers=tuple(number for number in numbers if number is not None),
        common=common,
        dtype=dtype,
    )


def converted(entry: Entry, dtype: np.dtype[Any]) -> Entry:
    """An array in another dtype."""
    return apply(_function("", (0,), 1), entry, common=dtype, dtype=dtype)


@inner_operator("_constant", reads_shapes=True, shape=fixed_by("shape"), dtype=fixed_by("dtype"))
def constant(*, values: Numbers, shape: Shape, dtype: DType) -> Any:
    """An array of a few numbers."""
    return np.broadcast_to(np.reshape(values, shape if len(values) > 1 else ()), shape).astype(
        dtype
    )


def _constant_loop(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    values, dtype = settings["values"], settings["dtype"]
    axes = tuple(range(len(output)))

    def expression(m: Any) -> Any:
        if len(set(values)) == 1:
            return m.constant(_number(values[0], dtype), dtype)
        place = _place(m, output)
        found = m.constant(_number(values[-1], dtype), dtype)
        for k, value in enumerate(values[:-1]):
            found = m.where(m.equal(place, k), m.constant(_number(value, dtype), dtype), found)
        return found

    return Loop(output, (), expression, indexed=axes)


def _number(value: float, dtype: np.dtype[Any]) -> Any:
    """A number as its dtype writes it."""
    return bool(value) if dtype.kind == "b" else int(value) if dtype.kind in "iu" else value


def _place(m: Any, shape: Shape) -> Any:
    """The index in row-major order."""
    place = m.constant(0, np.int64)
    for axis, extent in enumerate(shape):
        place = place * extent + m.index(axis)
    return place


@inner_operator("_steps", reads_shapes=True, shape=fixed_by("shape"), dtype=fixed_by("dtype"))
def steps(*, start: int, strides: Shape, shape: Shape, dtype: DType) -> Any:
    """Whole numbers with a fixed step along each axis."""
    return sum(np.indices(shape)[k] * step for k, step in enumerate(strides)) + start


def _steps_loop(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    dtype = settings["dtype"]

    def expression(m: Any) -> Any:
        found = m.constant(settings["start"], np.int64)
        for axis, step in enumerate(settings["strides"]):
            if step:
                found = found + m.index(axis) * step
        return m.astype(found, dtype)

    return Loop(output, (), expression, indexed=tuple(range(len(output))))


lower(constant, loop=_constant_loop)
lower(steps, loop=_steps_loop)


def empty_array(shape: Shape, dtype: np.dtype[Any]) -> Entry:
    """An array without elements."""
    return apply(constant, values=(0.0,), shape=shape, dtype=dtype)


def constant_array(array: Array) -> Entry:
    """A constant array: a few numbers, or evenly spaced whole numbers.

    Raises
    ------
    NotTraced
        for others
    """
    if array.dtype.kind not in "fiub":
        raise NotTraced(f"a constant of {array.dtype}")
    shape, dtype = array.shape, array.dtype
    if array.size and bool((array == array.flat[0]).all()):
        values = (float(array.flat[0]),) * array.size
        if abs(values[0]) < 2**53 or dtype.kind == "f":
            return apply(constant, values=values[:1], shape=shape, dtype=dtype)
    found = _evenly_spaced(array)
    if found is not None:
        return apply(steps, start=found[0], strides=found[1], shape=shape, dtype=dtype)
    if array.size > _MOST_CONSTANTS:
        raise NotTraced(f"a constant array of shape {shape}")
    if dtype.kind in "iu" and (np.abs(array.astype(np.float64)) >= 2**53).any():
        raise NotTraced("constants of more than 53 bits")
    values = tuple(array.astype(np.float64).ravel().tolist())
    return apply(constant, values=values, shape=shape, dtype=dtype)


def _evenly_spaced(array: Array) -> tuple[int, Shape] | None:
    """The first number and the step along each axis, of whole numbers."""
    if not array.size or array.dtype.kind == "b":
        return None
    first = array.flat[0]
    if first != np.floor(first) or abs(first) > 2**31:
        return None
    strides = []
    for axis, extent in enumerate(array.shape):
        place = tuple(1 if k == axis else 0 for k in range(array.ndim))
        strides.append(int(array[place] - first) if extent > 1 else 0)
    grid = np.full((1,) * array.ndim, int(first), np.int64)
    for axis, (extent, step) in enumerate(zip(array.shape, strides, strict=True)):
        steps_along = np.arange(extent, dtype=np.int64) * step
        grid = grid + steps_along.reshape([-1 if k == axis else 1 for k in range(array.ndim)])
    return (int(first), tuple(strides)) if bool((grid == array).all()) else None
