"""Elements gathered by computed indices: a thread for each element of the result."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import accumulate
from math import prod

import numpy as np

from gluonic.codegen.maths.values import Value
from gluonic.codegen.threads.thread_code import ThreadCode
from gluonic.codegen.threads.thread_plan import Operand, ThreadPlan, WordsOf
from gluonic.graph import Entry

SourceOf = Callable[..., "Value | tuple[Value, Value]"]
"""``(code, *statics)``: the flat index of a thread's element; with a condition before it, zero elsewhere.

The operands are the source, then what it reads, then the result.
"""
_WORDS = tuple(np.dtype(name) for name in ("int64", "int32", "int16", "int8"))


def gather(k: ThreadCode, source_of: SourceOf, *statics: Hashable) -> None:
    """Copy an element of the first operand to the last."""
    place = source_of(k, *statics)
    target = len(k.dtypes) - 1
    if isinstance(place, tuple):
        k.write(target, k.thread, k.read_if(place[0], 0, place[1], 0))
    else:
        k.write(target, k.thread, k.read(0, place))


def write_zero(k: ThreadCode) -> None:
    """Write a zero."""
    k.write(0, k.thread, k.constant(0))


def gathered(
    plan: ThreadPlan,
    operands: Sequence[Operand],
    source_of: SourceOf,
    *statics: Hashable,
    **numbers: int | Sequence[int],
) -> bool:
    """Add a kernel that gathers into the last operand."""
    count = plan.size(operands[-1])
    if count and not plan.size(operands[0]):
        return False
    plan.kernel(gather, operands, count, source_of, *statics, **numbers)
    return True


def index_in(k: ThreadCode, operand: int, at: Value, extent: Value, mode: str) -> Value:
    """An index that an operand holds, within an axis."""
    whole = k.to_index(k.read(operand, at))
    return k.clipped(whole, extent) if mode == "clip" else k.wrapped(whole, extent)


# -- one axis -----------------------------------------------------------------------------------


def _slice_of(k: ThreadCode, mode: str) -> Value:
    outer, number, inner = k.digits(k.thread, [k["outer"], k["count"], k["inner"]])
    row = index_in(k, 1, number, k["rows"], mode)
    return (outer * k["rows"] + row) * k["inner"] + inner


def taken(plan: ThreadPlan) -> bool:
    """Slices along an axis, or rows of a table; indices that are to be checked are left to the host."""
    mode = plan.settings.get("mode", "clip")
    names = ("a", "indices") if "a" in plan.named else ("weight", "data")
    table, indices = (plan.named[name] for name in names)
    shape = plan.shape(table)
    axis = plan.settings.get("axis", 0) % len(shape)
    sizes = {"outer": prod(shape[:axis]), "rows": shape[axis], "inner": prod(shape[axis + 1 :])}
    operands = (table, indices, plan.output)
    if mode == "raise":
        return False
    return gathered(plan, operands, _slice_of, mode, count=plan.size(indices), **sizes)


def _of_row(k: ThreadCode) -> Value:
    return k.thread * k["columns"] + index_in(k, 1, k.thread, k["columns"], "clip")


def one_of_each_row(plan: ThreadPlan) -> bool:
    """One element of each row."""
    columns = plan.shape(plan.inputs[0])[-1]
    return gathered(plan, (*plan.inputs, plan.output), _of_row, columns=columns)


def _back_to_row(k: ThreadCode) -> tuple[Value, Value]:
    row, column = k.divided(k.thread, k["columns"])
    return column == index_in(k, 1, row, k["columns"], "clip"), row


def _put_in_row(k: ThreadCode) -> None:
    column = index_in(k, 1, k.thread, k["columns"], "clip")
    k.write(2, k.thread * k["columns"] + column, k.read(0, k.thread))


def back_to_each_row(plan: ThreadPlan) -> bool:
    """The gradient of one element of each row."""
    grad, data, indices = plan.inputs
    columns = plan.shape(data)[-1]
    if plan.is_host:
        plan.kernel(write_zero, (plan.output,), plan.size(plan.output))
        operands = (grad, indices, plan.output)
        plan.kernel(_put_in_row, operands, plan.size(grad), columns=columns)
        return True
    return gathered(plan, (grad, indices, plan.output), _back_to_row, columns=columns)


def _along_axis(k: ThreadCode) -> Value:
    outer, _, inner = k.digits(k.thread, [k["outer"], k["count"], k["inner"]])
    row = index_in(k, 1, k.thread, k["rows"], "clip")
    return (outer * k["rows"] + row) * k["inner"] + inner


def _differ_along(plan: ThreadPlan, data: Entry, index: Entry) -> bool:
    """Whether two arrays differ in their extents along an axis at most."""
    shapes, axis = [list(plan.shape(entry)) for entry in (data, index)], plan.settings["axis"]
    if axis is None:
        return True
    if not shapes[0] or len(shapes[0]) != len(shapes[1]):
        return False
    for shape in shapes:
        del shape[axis]
    return shapes[0] == shapes[1]


def along_axis(plan: ThreadPlan) -> bool:
    """Elements along an axis, by an index for each."""
    data, index = plan.inputs
    if not _differ_along(plan, data, index):
        return False
    sizes = axis_sizes(plan, data, plan.settings["axis"])
    count = axis_sizes(plan, index, plan.settings["axis"])["rows"]
    return gathered(plan, (data, index, plan.output), _along_axis, count=count, **sizes)


def axis_sizes(plan: ThreadPlan, entry: Entry, axis: int | None) -> dict[str, int]:
    """The number of elements before, along and after an axis; None: of the flattened array."""
    if axis is None:
        return {"outer": 1, "rows": plan.size(entry), "inner": 1}
    shape = plan.shape(entry)
    axis %= len(shape)
    return {"outer": prod(shape[:axis]), "rows": shape[axis], "inner": prod(shape[axis + 1 :])}


def _flat_place(k: ThreadCode) -> tuple[Value, Value]:
    place = k.to_index(k.read(1, k.thread))
    return place >= 0, place


def taken_flat(plan: ThreadPlan) -> bool:
    """Elements at flat places; zero for negative ones."""
    if not plan.size(plan.inputs[0]):
        plan.kernel(write_zero, (plan.output,), plan.size(plan.output))
        return True
    return gathered(plan, (*plan.inputs, plan.output), _flat_place)


# -- several axes -------------------------------------------------------------------------------


def nd_position(k: ThreadCode, operand: int, at: Value, named: int) -> Value:
    """The flat position along the first axes that one of several indices names; they wrap around."""
    place = k.constant(0)
    for axis in range(named):
        whole = k.to_index(k.read(operand, at + k["picks"] * axis))
        place = place * k[f"extent{axis}"] + k.wrapped(whole, k[f"extent{axis}"])
    return place


def _nd_slice(k: ThreadCode, named: int) -> Value:
    number, inner = k.divided(k.thread, k["inner"])
    return nd_position(k, 1, number, named) * k["inner"] + inner


def nd_sizes(
    plan: ThreadPlan, shape: Sequence[int], indices: Entry
) -> dict[str, int | Sequence[int]]:
    """The numbers that `nd_position` needs, for an array of a shape."""
    named, *picks = plan.shape(indices)
    extents = [max(each, 1) for each in shape[:named]]
    return {"picks": prod(picks), "inner": prod(shape[named:]), "extent": extents}


def gathered_nd(plan: ThreadPlan) -> bool:
    """Elements, or slices, at indices along the first axes."""
    data, indices = plan.inputs
    sizes = nd_sizes(plan, plan.shape(data), indices)
    named = plan.shape(indices)[0]
    return gathered(plan, (data, indices, plan.output), _nd_slice, named, **sizes)


# -- sequences ----------------------------------------------------------------------------------


def _sequence_sizes(plan: ThreadPlan, data: Entry, axis: int) -> dict[str, int]:
    shape = plan.shape(data)
    return {"steps": shape[axis], "batch": shape[1 - axis], "inner": prod(shape[2:])}


def _last_step(k: ThreadCode, batch: Value, has_lengths: bool) -> Value:
    last = k["steps"] - 1
    return k.clipped(k.to_index(k.read(1, batch)) - 1, k["steps"]) if has_lengths else last


def _place(k: ThreadCode, step: Value, batch: Value, inner: Value, axis: int) -> Value:
    row = batch * k["steps"] + step if axis else step * k["batch"] + batch
    return row * k["inner"] + inner


def _last_of_sequence(k: ThreadCode, axis: int, has_lengths: bool) -> Value:
    batch, inner = k.divided(k.thread, k["inner"])
    return _place(k, _last_step(k, batch, has_lengths), batch, inner, axis)


def last_of_sequence(plan: ThreadPlan) -> bool:
    """The last step of each sequence."""
    data, *lengths = plan.inputs
    axis = plan.settings["axis"]
    sizes = _sequence_sizes(plan, data, axis)
    operands = (data, *lengths, plan.output)
    return gathered(plan, operands, _last_of_sequence, axis, bool(lengths), **sizes)


def _back_to_last(k: ThreadCode, axis: int, has_lengths: bool) -> tuple[Value, Value]:
    row, inner = k.divided(k.thread, k["inner"])
    first, second = k.divided(row, k["steps"] if axis else k["batch"])
    batch, step = (first, second) if axis else (second, first)
    return step == _last_step(k, batch, has_lengths), batch * k["inner"] + inner


def back_to_last(plan: ThreadPlan) -> bool:
    """The gradient of the last steps."""
    grad, data, *lengths = plan.inputs
    axis = plan.settings["axis"]
    sizes = _sequence_sizes(plan, data, axis)
    operands = (grad, *lengths, plan.output)
    return gathered(plan, operands, _back_to_last, axis, bool(lengths), **sizes)


def _reversed_step(k: ThreadCode, has_lengths: bool) -> Value:
    step, batch, inner = k.digits(k.thread, [k["steps"], k["batch"], k["inner"]])
    length = k["steps"]
    if has_lengths:
        length = k.m.minimum(k.m.maximum(k.to_index(k.read(1, batch)), 0), length)
    mirrored = k.m.where(step < length, length - 1 - step, step)
    return _place(k, mirrored, batch, inner, 0)


def reversed_sequence(plan: ThreadPlan) -> bool:
    """Each sequence backwards."""
    data, *lengths = plan.inputs
    sizes = _sequence_sizes(plan, data, 0)
    return gathered(plan, (*plan.inputs, plan.output), _reversed_step, bool(lengths), **sizes)


# -- joins --------------------------------------------------------------------------------------


_MOST_JOINED = 16
"""The most arrays that one kernel joins."""


def _put_parts(k: ThreadCode, count: int) -> None:
    """Write an element of the result; the operands are so many arrays, then the result."""
    outer, inner = k.divided(k.thread, k["width"])
    begin, part, choices = k.constant(0), k["part0"], []
    for number in range(1, count):
        is_here = inner >= k[f"begin{number}"]
        begin = k.m.where(is_here, k[f"begin{number}"], begin)
        part = k.m.where(is_here, k[f"part{number}"], part)
        choices.append((is_here, number))
    source = k.last_of(choices, 0)
    k.write(
        count, outer * k["whole"] + k["first"] + inner, k.read(source, outer * part + inner - begin)
    )


def joined(plan: ThreadPlan) -> bool:
    """Arrays of one dtype side by side: a kernel copies several, in the largest words that fit."""
    if len({plan.dtype(entry) for entry in (*plan.inputs, plan.output)}) > 1:
        return False
    settings, shape = plan.settings, plan.shape(plan.output)
    axis = (settings["dim"] if "dim" in settings else settings["axis"]) % len(shape)
    outer, size = prod(shape[:axis]), plan.dtype(plan.output).itemsize
    widths = [plan.size(entry) // outer * size if outer else 0 for entry in plan.inputs]
    word = next(w for w in _WORDS if not any(width % w.itemsize for width in widths))
    parts = [
        (entry, width // word.itemsize)
        for entry, width in zip(plan.inputs, widths, strict=True)
        if width
    ]
    whole, first = sum(part for _, part in parts), 0
    each = -(-len(parts) // max(-(-len(parts) // _MOST_JOINED), 1))  # of one kernel
    for start in range(0, len(parts), max(each, 1)):
        entries, counts = zip(*parts[start : start + each], strict=True)
        *begins, width = accumulate(counts, initial=0)
        operands = [WordsOf(entry, word) for entry in (*entries, plan.output)]
        plan.kernel(
            _put_parts, operands, outer * width, len(entries),
            width=width, whole=whole, first=first, begin=begins, part=counts,
        )  # fmt: skip
        first += width
    return True
