"""Several arrays into one, and one into several."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from gluonic.graph.all_gradients import as_list, flowing
from gluonic.graph.attributes import Positive, Shape
from gluonic.graph.axes import (
    Extent,
    axis_of,
    divided,
    inserted,
    replaced,
    scaled,
    without,
)
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, operator
from gluonic.graph.view import (
    NodeView,
    PartialShape,
    Unknown,
    peek,
    put,
    title_of,
    unify,
    written,
)


def _numbered(count: int) -> list[str]:
    return [f"output{i}" for i in range(count)]


def _common_shape(shapes: Sequence[PartialShape | None], axis: int, n: NodeView) -> PartialShape:
    """Unify what is known of several shapes that may differ along one axis."""
    common: PartialShape | None = None
    for shape in shapes:
        if shape is not None:
            blank = replaced(shape, axis_of(axis, len(shape), title_of(n)), None)
            try:
                common = unify(common, blank, "")
            except InferenceError:
                listed = ", ".join(written(each) for each in shapes if each is not None)
                raise InferenceError(
                    f"{title_of(n)}: the shapes {listed} differ in other axes than axis {axis}"
                ) from None
    if common is None:
        raise Unknown
    return common


def _balance(parts: Sequence[Extent], whole: Extent, shared: int, n: NodeView) -> list[Extent]:
    """Find unknown extents from their sum; at most `shared` of them, which are equal then."""
    missing = parts.count(None)
    if whole is None or not 0 < missing <= shared:
        return list(parts)
    rest = whole - sum(part for part in parts if part is not None)
    if rest < 0:
        raise InferenceError(f"{title_of(n)}: the inputs are longer than the output ({whole})")
    each = divided(rest, missing, f"{title_of(n)}: what is left of the output")
    return [each if part is None else part for part in parts]


def _concat_rule(shared: int) -> Callable[[NodeView], None]:
    """Make the shape rule of a concatenation that solves for up to `shared` unknown inputs."""

    def rule(n: NodeView) -> None:
        output = peek(n, "output")
        common = _common_shape([*n.arg, output], n.dim, n)
        axis = axis_of(n.dim, len(common), title_of(n))
        parts: list[Extent] = [None if arg is None else arg[axis] for arg in n.arg]
        whole = None if output is None else output[axis]
        parts = _balance(parts, whole, shared, n)
        n.arg = [replaced(common, axis, part) for part in parts]
        total = None if None in parts else sum(part for part in parts if part is not None)
        n.output = replaced(common, axis, total)

    return rule


def _concat_gradients(F: Any, n: NodeView, heads: Sequence[Any]) -> dict[str, Any]:
    return {"arg": as_list(F._backward_Concat(heads[0], *n.arg, dim=n.dim))}


@operator("Concat", "concat", count="num_args")
def concat(*arg: Array, num_args: int, dim: int = 1) -> Any:
    """Join arrays along an axis.

    Parameters
    ----------
    arg : arrays of equal shapes except along `dim`
    num_args : number of inputs
    dim : the axis to join along
    """
    return np.concatenate(arg, axis=dim)


concat.infer_shape(_concat_rule(shared=1))
concat.all_gradients(_concat_gradients)


@operator("_rnn_param_concat", count="num_args")
def rnn_param_concat(*arg: Array, num_args: int, dim: int = 1) -> Any:
    """Join parameters of a recurrent layer; the sizes of up to two follow from the result's."""
    return np.concatenate(arg, axis=dim)


rnn_param_concat.infer_shape(_concat_rule(shared=2))
rnn_param_concat.all_gradients(_concat_gradients)


@operator("_backward_Concat", count="num_args", outputs=lambda n: _numbered(n.num_args))
def concat_parts(grad: Array, *arg: Array, num_args: int, dim: int = 1) -> tuple[Array, ...]:
    """Cut a gradient into pieces of the shapes of `arg`, along `dim`."""
    ends = np.cumsum([part.shape[dim] for part in arg])
    return tuple(np.split(grad, ends[:-1], axis=dim))


@concat_parts.infer_shape
def _(n: NodeView) -> None:
    for i, shape in enumerate(n.arg):
        if shape is not None:
            put(n, f"output{i}", shape)


@concat_parts.all_gradients
def _(F: Any, n: NodeView, heads: Sequence[Any]) -> dict[str, Any]:
    return {"grad": F.Concat(*flowing(F, n, heads), dim=n.dim)}


@operator("stack", count="num_args")
def stack(*arg: Array, axis: int = 0, num_args: int) -> Any:
    """Join arrays of one shape along a new axis.

    Parameters
    ----------
    arg : arrays of one shape
    axis : the position of the new axis in the result
    num_args : number of inputs
    """
    return np.stack(arg, axis)


@stack.infer_shape
def _(n: NodeView) -> None:
    common: PartialShape | None = None
    if (output := peek(n, "output")) is not None:
        common = without(output, axis_of(n.axis, len(output), title_of(n)))
    for shape in n.arg:
        common = unify(common, shape, f"{title_of(n)}: an input")
    if common is None:
        raise Unknown
    n.arg = [common] * n.num_args
    n.output = inserted(common, axis_of(n.axis, len(common) + 1, title_of(n)), n.num_args)


@stack.all_gradients
def _(F: Any, n: NodeView, heads: Sequence[Any]) -> dict[str, Any]:
    parts = F.SliceChannel(heads[0], num_outputs=n.num_args, axis=n.axis, squeeze_axis=True)
    return {"arg": as_list(parts)}


@operator("SliceChannel", "split", outputs=lambda n: _numbered(n.num_outputs))
def split(
    data: Array, *, num_outputs: Positive, axis: int = 1, squeeze_axis: bool = False
) -> tuple[Array, ...]:
    """Split an array into equal parts.

    Parameters
    ----------
    data : any array whose extent along `axis` is a multiple of `num_outputs`
    num_outputs : number of parts
    axis : the axis to cut along
    squeeze_axis : drop that axis from the parts, which must be of length one
    """
    return tuple(np.split(data, num_outputs, axis))


def _whole(n: NodeView, outputs: Sequence[PartialShape | None], axis: int) -> PartialShape:
    """Find the common shape of the parts, with an unknown extent along `axis`."""
    if not n.squeeze_axis:
        return _common_shape(outputs, axis, n)
    whole: PartialShape | None = None
    for shape in outputs:
        if shape is not None:
            position = axis_of(axis, len(shape) + 1, title_of(n))
            whole = unify(whole, inserted(shape, position, None), f"{title_of(n)}: a part")
    if whole is None:
        raise Unknown
    return whole


def _assign_parts(n: NodeView, names: Sequence[str], parts: Sequence[Extent]) -> None:
    """Give each output its extent along the axis, or drop that axis."""
    axis = axis_of(n.axis, len(n.data), title_of(n))
    for name, part in zip(names, parts, strict=True):
        if n.squeeze_axis:
            if part not in (1, None):
                raise InferenceError(
                    f"{title_of(n)}: squeeze_axis needs parts of length 1 but they have {part}"
                    f" (axis {axis} of {written(n.data)})"
                )
            put(n, name, without(n.data, axis))
        else:
            put(n, name, replaced(n.data, axis, part))


@split.infer_shape
def _(n: NodeView) -> None:
    names = _numbered(n.num_outputs)
    outputs = [peek(n, name) for name in names]
    if any(shape is not None for shape in outputs):
        whole = _whole(n, outputs, n.axis)
        axis = axis_of(n.axis, len(whole), title_of(n))
        extents = {1} if n.squeeze_axis else {s[axis] for s in outputs if s is not None}
        part = next((extent for extent in extents if extent is not None), None)
        n.data = replaced(whole, axis, scaled(part, n.num_outputs))
    axis = axis_of(n.axis, len(n.data), title_of(n))
    where = f"{title_of(n)}: axis {axis} of {written(n.data)}"
    _assign_parts(n, names, [divided(n.data[axis], n.num_outputs, where)] * n.num_outputs)


@split.all_gradients
def _(F: Any, n: NodeView, heads: Sequence[Any]) -> dict[str, Any]:
    join = F.stack if n.squeeze_axis else F.Concat
    return {"data": join(*flowing(F, n, heads), **{"axis" if n.squeeze_axis else "dim": n.axis})}


def _split_names(n: Any) -> list[str]:
    """Name the outputs of `_split_v2`; a lone one has no number."""
    count = n.sections if n.sections > 0 else len(n.indices)
    return _numbered(count) if count > 1 else ["output"]


@operator("_split_v2", outputs=_split_names)
def split_v2(
    data: Array,
    *,
    indices: Shape,
    axis: int = 1,
    squeeze_axis: bool = False,
    sections: int = 0,
) -> tuple[Array, ...]:
    """Split an array into parts, at given indices or as evenly as possible.

    Parameters
    ----------
    data : any array
    indices : the index where each part begins; the first is 0 unless elements are dropped
    axis : the axis to cut along
    squeeze_axis : drop that axis from the parts, which must be of length one
    sections : if positive, the number of parts, `indices` being ignored; if they cannot all be
        equal, the first ones are longer by one
    """
    if sections > 0:
        return tuple(np.array_split(data, sections, axis))
    return tuple(np.split(data, indices, axis)[1:])


def _part_extents(n: NodeView, extent: Extent) -> list[Extent]:
    if n.sections > 0:
        if extent is None:
            return [None] * n.sections
        short, longer = divmod(extent, n.sections)
        return [short + (i < longer) for i in range(n.sections)]
    bounds: list[Extent] = [*n.indices, extent]
    found: list[Extent] = []
    for start, end in pairwise(bounds):
        if start is None or end is None:
            found.append(None)
        elif not 0 <= start <= end and extent != 0:
            raise InferenceError(
                f"{title_of(n)}: indices {n.indices} do not cut an axis of {extent}"
            )
        else:
            found.append(end - start if extent != 0 else 0)
    return found


@split_v2.infer_shape
def _(n: NodeView) -> None:
    axis = axis_of(n.axis, len(n.data), title_of(n))
    _assign_parts(n, _split_names(n), _part_extents(n, n.data[axis]))


@split_v2.all_gradients
def _(F: Any, n: NodeView, heads: Sequence[Any]) -> dict[str, Any]:
    parts = flowing(F, n, heads)
    if n.squeeze_axis:
        parts = [F.expand_dims(part, axis=n.axis) for part in parts]
    if n.sections == 0 and n.indices[0] > 0:
        skipped = F.slice_axis(n.data, axis=n.axis, begin=0, end=n.indices[0])
        parts.insert(0, F.zeros_like(skipped))
    return {"data": F.Concat(*parts, dim=n.axis)}
