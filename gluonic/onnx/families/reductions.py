"""Sums, means, extremes, norms, arg extremes, sorting."""

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from gluonic.graph.families import reduced_axes
from gluonic.onnx.errors import NotExportable, NotImportable
from gluonic.onnx.sizes import is_open
from gluonic.onnx.table import family
from gluonic.onnx.use import (
    fixed,
    is_read,
    one_element,
    operator_of,
    output_dtype,
    reshaped,
    settings_of,
    shape_of,
    size_vector,
)
from gluonic.onnx.writer import BOOL, INT64

reductions = family("reductions and sorting")


def _axes(n: Any, axis: Any) -> tuple[int, ...]:
    return reduced_axes(axis, len(shape_of(n, 0)), settings_of(n).get("exclude", False))


def _reduce(op_type: str) -> Callable[[Any, Any], Any]:
    def write(o: Any, n: Any) -> Any:
        (data,) = n.inputs
        if data.dtype == BOOL or op_type == "ReduceMean":
            data = o.cast(data, output_dtype(n))
        axes = _axes(n, n.axis)
        if not axes:
            return o.Identity(data)
        return _reduced(o, n, op_type, data, axes)

    return write


def _reduced(o: Any, n: Any, op_type: str, data: Any, axes: tuple[int, ...]) -> Any:
    """A reduction; of all axes, MXNet's has the shape (1,)."""
    if any(not is_open(shape_of(n, 0)[axis]) and shape_of(n, 0)[axis] == 0 for axis in axes):
        raise NotExportable("a reduction over no elements")
    found = o.reduce(op_type, data, axes, keepdims=n.keepdims)
    return found if n.keepdims or len(axes) < len(shape_of(n, 0)) else one_element(o, n, found)


for _ours, _theirs in (
    ("sum", "ReduceSum"),
    ("mean", "ReduceMean"),
    ("prod", "ReduceProd"),
    ("max", "ReduceMax"),
    ("min", "ReduceMin"),
    ("_square_sum", "ReduceSumSquare"),
):
    reductions.write(_ours)(_reduce(_theirs))


@reductions.write("nansum", "nanprod")
def _(o: Any, n: Any) -> Any:
    is_sum = operator_of(n).name == "nansum"
    neutral = o.constant(np.array(0 if is_sum else 1, n.data.dtype))
    numbers = o.Where(o.IsNaN(n.data), neutral, n.data, result=n.data.dtype)
    op_type = "ReduceSum" if is_sum else "ReduceProd"
    return _reduced(o, n, op_type, numbers, _axes(n, n.axis))


@reductions.write("_np_any", "_np_all")
def _(o: Any, n: Any) -> Any:
    op_type = "ReduceMax" if operator_of(n).name == "_np_any" else "ReduceMin"
    truth = o.cast(o.cast(n.inputs[0], BOOL), np.int32)
    return o.cast(_reduced(o, n, op_type, truth, _axes(n, n.axis)), BOOL)


@reductions.write("norm")
def _(o: Any, n: Any) -> Any:
    return _reduced(o, n, f"ReduceL{n.ord}", n.data, _axes(n, n.axis))


@reductions.write("moments")
def _(o: Any, n: Any) -> Any:
    axes = _axes(n, n.axes)
    mean = o.reduce("ReduceMean", n.data, axes, keepdims=True)
    centred = o.Sub(n.data, mean)
    var = _reduced(o, n, "ReduceMean", o.Mul(centred, centred), axes)
    return [_reduced(o, n, "ReduceMean", n.data, axes), var]


@reductions.write("_npi_var", "_npi_std")
def _(o: Any, n: Any) -> Any:
    data = o.cast(n.inputs[0], output_dtype(n))
    axes = _axes(n, n.axis)
    centred = o.Sub(data, o.reduce("ReduceMean", data, axes, keepdims=True))
    var = _reduced(o, n, "ReduceMean", o.Mul(centred, centred), axes)
    if n.ddof:
        count = prod(
            [fixed(shape_of(n, 0)[axis], "the number of elements, with ddof,") for axis in axes]
        )
        var = o.Mul(var, count / (count - n.ddof))
    return var if operator_of(n).name == "_npi_var" else o.Sqrt(var)


@reductions.write("argmax", "argmin", "_npi_argmax", "_npi_argmin")
def _(o: Any, n: Any) -> Any:
    op_type = "ArgMax" if operator_of(n).name.endswith("max") else "ArgMin"
    data = n.inputs[0]
    if n.axis is None:
        data = o.Reshape(data, [-1])
    found = getattr(o, op_type)(
        data, axis=n.axis or 0, keepdims=int(n.keepdims and n.axis is not None)
    )
    if n.axis is None:
        found = o.Reshape(found, [1] * (len(shape_of(n, 0)) if n.keepdims else 1))
        if operator_of(n).name.startswith("_npi") and not n.keepdims:
            found = o.squeeze(found, 0)
    return found


@reductions.write("argmax_channel")
def _(o: Any, n: Any) -> Any:
    return o.ArgMax(n.data, axis=1, keepdims=0)


def _ranked(o: Any, n: Any, data: Any, axis: int, count: Any, ascending: bool) -> Any:
    """The first elements in sorted order and their indices."""
    limit = size_vector(n, (count,))
    return o.TopK(
        data, limit, outputs=2, result=[data.dtype, INT64], axis=axis, largest=int(not ascending)
    )


def _flattened(o: Any, n: Any, axis: int | None) -> tuple[Any, int, Any]:
    """The data, flat where no axis is named, the axis, and its length."""
    shape = shape_of(n, 0)
    if axis is not None:
        return n.data, axis % len(shape), shape[axis]
    length: Any = 1
    for extent in shape:
        length = length * extent
    return o.Reshape(n.data, [-1]), 0, length


@reductions.write("sort")
def _(o: Any, n: Any) -> Any:
    if is_read(n, 1):
        raise NotExportable("its hidden output is read")
    data, axis, length = _flattened(o, n, n.axis)
    return [_ranked(o, n, data, axis, length, n.is_ascend)[0]]


@reductions.write("argsort")
def _(o: Any, n: Any) -> Any:
    data, axis, length = _flattened(o, n, n.axis)
    return _ranked(o, n, data, axis, length, n.is_ascend)[1]


@reductions.write("topk")
def _(o: Any, n: Any) -> Any:
    data, axis, length = _flattened(o, n, n.axis)
    if not is_open(length) and not 0 < n.k <= length:
        raise NotExportable(f"k={n.k} must be positive and at most the axis's length")
    values, indices = _ranked(o, n, data, axis, n.k, n.is_ascend)
    if n.ret_typ == "mask":
        rank = 1 if n.axis is None else len(shape_of(n, 0))
        zeros = o.Expand(np.zeros((1,) * rank, output_dtype(n)), o.Shape(data))
        ones = o.Expand(np.ones((1,) * rank, output_dtype(n)), o.Shape(indices))
        mask = o.ScatterElements(zeros, indices, ones, axis=axis)
        return reshaped(o, n, mask, (length,), shape_of(n, 0)) if n.axis is None else mask
    if n.ret_typ == "value":
        return [values]
    return [indices] if n.ret_typ == "indices" else [values, indices]


@reductions.write("_np_cumsum")
def _(o: Any, n: Any) -> Any:
    data = o.cast(n.a, output_dtype(n))
    if n.axis is None:
        data = o.Reshape(data, [-1])
    return o.CumSum(data, np.array(n.axis or 0, np.int64))


# ------------------------------------------------------------------------ reading


def _given_axes(n: Any) -> tuple[int, ...] | None:
    """The axes of a reduction; None for all, `()` for none."""
    axes = n.numbers(1) if n.has(1) else n.attribute("axes")
    if not axes:
        return () if n.attribute("noop_with_empty_axes", 0) else None
    return tuple(int(axis) for axis in axes)


def _read_reduction(F: Any, n: Any, ours: str, data: Any = None) -> Any:
    """A reduction in the dtype of its input."""
    axes, keeps = _given_axes(n), bool(n.attribute("keepdims", 1))
    data = n[0] if data is None else data
    if ours in ("_np_max", "_np_min") and 0 in n.shape():
        raise NotImportable("an extreme of no elements")
    if axes == ():
        return F._copy(data)
    extra = {"dtype": n.dtype().name} if ours in ("_np_sum", "_np_prod", "_npi_mean") else {}
    return getattr(F, ours)(data, axis=axes, keepdims=keeps, **extra)


reductions.read("ReduceSum")(lambda F, n: _read_reduction(F, n, "_np_sum"))
reductions.read("ReduceMean")(lambda F, n: _read_reduction(F, n, "_npi_mean"))
reductions.read("ReduceProd")(lambda F, n: _read_reduction(F, n, "_np_prod"))
reductions.read("ReduceL1")(lambda F, n: _read_reduction(F, n, "_np_sum", F.abs(n[0])))
reductions.read("ReduceSumSquare")(lambda F, n: _read_reduction(F, n, "_np_sum", n[0] * n[0]))
reductions.read("ReduceLogSum")(lambda F, n: F.log(_read_reduction(F, n, "_np_sum")))


@reductions.read("ReduceL2")
def _(F: Any, n: Any) -> Any:
    root = F.sqrt(F.Cast(_read_reduction(F, n, "_np_sum", n[0] * n[0]), dtype="float64"))
    return F.Cast(root, dtype=n.dtype().name)


@reductions.read("ReduceMax", "ReduceMin")
def _(F: Any, n: Any) -> Any:
    ours = "_np_max" if n.node.op_type == "ReduceMax" else "_np_min"
    if n.dtype() != BOOL:
        return _read_reduction(F, n, ours)
    return F.Cast(_read_reduction(F, n, ours, F.Cast(n[0], dtype="int32")), dtype="bool")


@reductions.read("ReduceLogSumExp")
def _(F: Any, n: Any) -> Any:
    axes = _given_axes(n)
    if axes == ():
        return F._copy(n[0])
    if 0 in n.shape():
        return F.log(_read_reduction(F, n, "_np_sum", F.exp(n[0])))
    high = F._np_max(n[0], axis=axes, keepdims=True)
    rest = F.log(_read_reduction(F, n, "_np_sum", F.exp(F.broadcast_sub(n[0], high))))
    return F.broadcast_add(rest, _read_reduction(F, n, "_np_max"))


@reductions.read("ArgMax", "ArgMin")
def _(F: Any, n: Any) -> Any:
    ours = "_npi_argmax" if n.node.op_type == "ArgMax" else "_npi_argmin"
    axis, keeps = n.attribute("axis", 0), bool(n.attribute("keepdims", 1))
    if not n.attribute("select_last_index", 0):
        return getattr(F, ours)(n[0], axis=axis, keepdims=keeps)
    found = getattr(F, ours)(F.reverse(n[0], axis=(axis,)), axis=axis, keepdims=keeps)
    return n.shape()[axis] - 1 - found


@reductions.read("TopK")
def _(F: Any, n: Any) -> Any:
    k = n.attribute("k") if n.opset < 10 else n.numbers(1)[0]
    ascending = not n.attribute("largest", 1)
    axis = n.attribute("axis", -1)
    return F.topk(n[0], k=int(k), axis=axis, ret_typ="both", is_ascend=ascending, dtype="int64")


@reductions.read("CumSum")
def _(F: Any, n: Any) -> Any:
    axis, data = int(n.known(1).item()) % n.rank(), n[0]
    if n.attribute("reverse", 0):
        data = F.reverse(data, axis=(axis,))
    sums = F._np_cumsum(data, axis=axis, dtype=n.dtype().name)
    if n.attribute("exclusive", 0):
        sums = F.broadcast_sub(sums, data)
    return F.reverse(sums, axis=(axis,)) if n.attribute("reverse", 0) else sums


@reductions.read("Hardmax")
def _(F: Any, n: Any) -> Any:
    rank = n.rank()
    axis = n.attribute("axis", -1) % rank
    hot = F.one_hot(
        F._npi_argmax(n[0], axis=axis), depth=n.fixed_shape()[axis], dtype=n.dtype().name
    )
    order = list(range(rank - 1))
    order.insert(axis, rank - 1)
    return F.transpose(hot, axes=tuple(order)) if axis != rank - 1 else hot
