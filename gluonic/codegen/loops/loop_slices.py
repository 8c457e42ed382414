"""Operators that read a part of an array: slices, and reversed axes."""

from collections.abc import Mapping, Sequence
from typing import Any

from gluonic.codegen.loops.inner_operators import EqualPiece
from gluonic.codegen.loops.loop import Loop, Read, element, identity
from gluonic.graph.attributes import Shape
from gluonic.graph.axes import indices_of


def _part(inputs: Sequence[Shape], output: Shape, parts: Mapping[int, slice]) -> Loop:
    """The elements in slices, given by axis."""
    begin, step = [0] * len(inputs[0]), [1] * len(inputs[0])
    for axis, part in parts.items():
        begin[axis], _, step[axis] = indices_of(part, inputs[0][axis])
    cut = frozenset(i for i in parts if output[i] != inputs[0][i] or step[i] != 1)
    read = Read(identity(len(output)), tuple(begin), tuple(step), cut)
    return Loop(output, (read, *(None for _ in inputs[1:])), element)


def slice_of(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    """The elements from begin to end."""
    begin, end = settings["begin"], settings["end"]
    step = settings["step"] or (None,) * len(begin)
    pieces = zip(begin, end, step, strict=True)
    return _part(inputs, output, {i: slice(*piece) for i, piece in enumerate(pieces)})


def slice_axis(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    """The elements from begin to end along one axis."""
    axis = settings["axis"] % len(inputs[0])
    return _part(inputs, output, {axis: slice(settings["begin"], settings["end"])})


def slice_like(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    """As many elements as another array has."""
    return _part(inputs, output, {i: slice(0, extent) for i, extent in enumerate(output)})


def reverse(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    """Elements in reversed order along axes."""
    axes = [axis % len(output) for axis in settings["axis"]]
    turned = {axis for axis in axes if axes.count(axis) % 2}
    return _part(inputs, output, {axis: slice(None, None, -1) for axis in turned})


def cut(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    """One of equal pieces."""
    extents, begin = list(inputs[0]), [0] * len(inputs[0])
    left = list(range(len(extents)))
    for cut in EqualPiece.of(settings["cuts"]):
        axis = left[cut.axis]
        extents[axis] //= cut.count
        begin[axis] += cut.index * extents[axis]
        if cut.drops:
            del left[cut.axis]
    cuts = frozenset(i for i, n in enumerate(extents) if n != inputs[0][i])
    return Loop(output, (Read(tuple(left), tuple(begin), (1,) * len(begin), cuts),), element)


def concat_piece_of(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    """The piece that corresponds to one of several concatenated arrays."""
    dim, index = settings["dim"], settings["index"]
    begin = sum(shape[dim] for shape in inputs[1 : 1 + index])
    return _part(inputs, output, {dim: slice(begin, begin + output[dim])})
