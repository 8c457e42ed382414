"""Operators that select elements by an index along one axis: loops that compare it with their own index."""

import math
from collections.abc import Sequence
from typing import Any

from gluonic.codegen.loops.loop import Loop, Read, identity, kept_axes
from gluonic.graph.attributes import Shape
from gluonic.graph.dtypes import is_floating
from gluonic.graph.families import Expression


def _position(m: Any, index: Any, axis: int, mode: str = "clip") -> Any:
    """The position along an axis that an index of any dtype refers to, as int64."""
    whole, extent = m.astype(index, "int64"), m.extent((axis,))
    if mode == "wrap":
        return whole % extent
    return m.minimum(m.maximum(whole, 0), extent - 1)


def _chosen(axis: int, mode: str) -> Expression:
    """The element at the index, zero elsewhere."""

    def expression(m: Any, x: Any, index: Any) -> Any:
        return m.where(m.equal(m.index(axis), _position(m, index, axis, mode)), x, 0)

    return expression


def pick(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop | None:
    """The element of each row at an index."""
    space = inputs[0]
    axis = settings["axis"] % len(space)
    if space[axis] == 0:
        return None
    reads = (Read(identity(len(space))), Read(kept_axes(space, (axis,), inputs[1])))
    written = kept_axes(space, (axis,), output)
    expression = _chosen(axis, settings["mode"])
    return Loop(space, reads, expression, "sum", (axis,), writes=written, indexed=(axis,))


def pick_back(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop | None:
    """The gradient of `pick`."""
    axis = settings["axis"] % len(output)
    if output[axis] == 0:
        return None
    gradient, index = (Read(kept_axes(output, (axis,), shape)) for shape in inputs[::2])
    expression = _chosen(axis, settings["mode"])
    return Loop(output, (gradient, None, index), expression, indexed=(axis,))


def index_of(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    """The first index along an axis where the element is the extreme, or NaN."""
    space, axis = inputs[0], settings["axis"]

    def expression(m: Any, x: Any, extreme: Any) -> Any:
        is_it = m.equal(x, extreme)
        if x.dtype.kind == "f":
            is_it = m.logical_or(is_it, m.isnan(x))
        return m.where(is_it, m.index(axis), m.extent((axis,)))

    left = kept_axes(space, (axis,), output)
    reads = Read(identity(len(space))), Read(left)
    return Loop(space, reads, expression, "min", (axis,), writes=left, indexed=(axis,))


def one_hot(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    """One number at an index, another elsewhere."""
    axis = len(output) - 1
    on, off = settings["on_value"], settings["off_value"]

    def expression(m: Any, index: Any) -> Any:
        return m.where(m.equal(m.index(axis), m.astype(index, "int64")), on, off)

    return Loop(output, (Read((*identity(axis), None)),), expression, indexed=(axis,))


def softmax_output_back(
    settings: dict[str, Any], inputs: Sequence[Shape], output: Shape
) -> Loop | None:
    """Probabilities minus the one-hot labels, with classes along the last axis."""
    label, axis = inputs[1], len(output) - 1
    whole = Read(identity(len(output)))
    scale, subtract = settings["grad_scale"], settings["subtract"]
    if label == output:
        return Loop(output, (whole, whole), lambda m, p, y: (p - y if subtract else p) * scale)
    by_row = len(output) == 2 or settings["preserve_shape"]
    plain = by_row and not settings["multi_output"] and label == output[:-1]
    if not plain or settings["use_ignore"] or settings["normalization"] == "valid":
        return None
    alpha, averaged = settings["smooth_alpha"], settings["normalization"] == "batch"

    def expression(m: Any, p: Any, y: Any) -> Any:
        if subtract:
            others = m.maximum(m.extent((axis,)) - 1, 1)
            share = m.astype(alpha / others, p.dtype) if alpha else 0.0
            p = p - m.where(m.equal(m.index(axis), m.astype(y, "int64")), 1 - alpha, share)
        if not averaged:
            return p * scale
        count = m.maximum(m.extent(tuple(range(axis))), 1)
        return p * m.astype(scale / count, p.dtype)

    rows = Read((*identity(axis), None))
    return Loop(output, (whole, rows), expression, indexed=(axis,))


def sequence_mask(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop | None:
    """The elements within each sequence, and one number after its end."""
    if not settings["use_sequence_length"]:
        return None
    time = settings["axis"]
    lengths = Read(tuple(0 if axis == 1 - time else None for axis in range(len(output))))
    return _up_to(lengths, time, settings["value"], output)


def within_lengths(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    """The elements within each row's length, and one number after it."""
    axis = settings["axis"]
    axes = range(len(output))
    lengths = Read(tuple(None if i == axis else i - (i > axis) for i in axes))
    return _up_to(lengths, axis, settings["value"], output)


def _up_to(lengths: Read, axis: int, value: float, output: Shape) -> Loop:
    """The elements before a length along an axis, and one number after it."""

    def expression(m: Any, x: Any, length: Any) -> Any:
        inside = m.less(m.index(axis), m.astype(length, "int64"))
        return m.where(inside, x, m.astype(value, x.dtype))

    return Loop(output, (Read(identity(len(output))), lengths), expression, indexed=(axis,))


def ramp(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop | None:
    """Evenly spaced numbers along an axis, each of them once."""
    start, step = settings["start"], settings["step"]
    if len(output) != 1 or settings["repeat"] != 1:
        return None
    return Loop(
        output, (None,), lambda m: m.astype(m.index(0), "float64") * step + start, indexed=(0,)
    )


def arange(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    """Evenly spaced numbers, each repeated a number of times."""
    start = 0.0 if settings["stop"] is None else settings["start"]
    step, repeat = settings["step"], settings["repeat"]
    if not is_floating(settings["dtype"]):
        start, step = math.trunc(start), math.trunc(step)

    def expression(m: Any) -> Any:
        return m.astype(m.index(0) // repeat, "float64") * float(step) + float(start)

    return Loop(output, (), expression, indexed=(0,))
