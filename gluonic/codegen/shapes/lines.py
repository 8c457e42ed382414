"""Shapes that are linear in one size, a batch size or a length that differs from call to call."""

from collections.abc import Sequence
from typing import Any, TypeAlias

from gluonic.codegen.shapes.abstract_arrays import AbstractArray
from gluonic.codegen.shapes.symbolic import ShapeEnv, SymbolicDim, valued, varies
from gluonic.graph import Graph, Signatures
from gluonic.graph.attributes import Shape

Lines: TypeAlias = list[list[tuple[int, int] | None]]
"""For each axis of each input, the factor and the summand by which it follows from the size; None if fixed."""


class ArraysOfSizes:
    """Arrays whose shapes are functions of a size, of which at least one extent is linear.

    Parameters
    ----------
    arrays : abstract arrays with their shapes, which contain extents, and their dtypes

    Attributes
    ----------
    others : the indices and the shapes of arrays whose shapes are not linear
    """

    def __init__(self, arrays: Sequence[AbstractArray]) -> None:
        self._fixed = [(array.shape, array.dtype) for array in arrays]
        self._varying = [i for i, array in enumerate(arrays) if varies(array.shape)]
        others = [i for i in self._varying if any(map(_is_bent, arrays[i].shape))]
        self.others = [(i, arrays[i].shape) for i in others]
        self._linear = [(i, arrays[i].shape) for i in self._varying if i not in others]
        self._first, self._axis, (self._factor, self._summand) = next(
            (i, axis, line)
            for i in self._varying
            for axis, extent in enumerate(arrays[i].shape)
            if (line := line_of(extent)) is not None
        )

    def rests(self, signature: Signatures) -> tuple[int, ...]:
        """The extents of arrays with unknown extents, modulo four."""
        return tuple([extent & 3 for index in self._varying for extent in signature[index][0]])

    def size_of(self, signature: Signatures) -> int | None:
        """The size for which the arrays have such shapes and dtypes, except `others`; None if there is none."""
        shape = signature[self._first][0]
        if len(shape) <= self._axis:
            return None
        size, rest = divmod(shape[self._axis] - self._summand, self._factor)
        if rest or size < 1:
            return None
        expected = self._fixed.copy()
        for index, shape in self._linear:
            expected[index] = shape_at(shape, (size,)), expected[index][1]
        for index, _ in self.others:
            expected[index] = signature[index][0], expected[index][1]
        return size if tuple(expected) == signature else None


def line_of(extent: Any) -> tuple[int, int] | None:
    """The factor and the summand by which an extent follows from the size; None if it is not a line."""
    if type(extent) is not SymbolicDim or len(extent.terms) > 1:
        return None
    ((atom, factor),) = extent.terms
    return (factor, extent.constant) if atom == 0 else None


def _is_bent(extent: Any) -> bool:
    return type(extent) is SymbolicDim and line_of(extent) is None


def shape_at(shape: Shape, values: Sequence[Any]) -> Shape:
    """A shape with extents, given the values of the atoms."""
    return tuple([valued(extent, values) for extent in shape])


def is_uniform(graph: Graph) -> bool:
    """Whether shapes follow from gluonic's own rules, without side effects or calls of user code."""
    operators = [node.application.op for node in graph.nodes if node.application is not None]
    return not any(op.calls_back or op.native or op.dynamic for op in operators)


def with_extents(
    arrays: Sequence[AbstractArray], lines: Lines, env: ShapeEnv
) -> list[AbstractArray]:
    """The arrays, with extents on the axes that follow from the size."""
    return [
        AbstractArray(
            tuple(
                extent if line is None else env.size * line[0] + line[1]
                for extent, line in zip(array.shape, own, strict=True)
            ),
            array.dtype,
        )
        for array, own in zip(arrays, lines, strict=True)
    ]


def leading_lines(arrays: Sequence[Any], data: Sequence[int]) -> tuple[Lines, int]:
    """The first axes whose length is that of the first array of data or, in matrices, a multiple of it.

    These may be the batch, or the batch with another axis folded into it.

    >>> leading_lines([AbstractArray((4, 3), "float32"), AbstractArray((4, 4), "float32")], [0])
    ([[(1, 0), None], [None, None]], 4)
    """
    sizes = [arrays[i].shape[0] for i in data if len(arrays[i].shape)]
    size = sizes[0] if sizes else 0
    lines: Lines = [[None] * len(array.shape) for array in arrays]
    for i in data:
        shape = arrays[i].shape
        factor, rest = divmod(shape[0], size) if size and shape else (0, 0)
        if factor and not rest and (factor == 1 or len(shape) > 1):
            lines[i][0] = (factor, 0)
    return lines, size


def lines_between(before: Sequence[Shape], after: Sequence[Shape]) -> tuple[Lines, int] | None:
    """How axes follow from one that differs between two calls; None if none differs, or they do not follow.

    >>> lines_between([(4, 3), (12,)], [(5, 3), (15,)])
    ([[(1, 0), None], [(3, 0)]], 5)
    """
    if [len(shape) for shape in before] != [len(shape) for shape in after]:
        return None
    pairs = [pair for a, b in zip(before, after, strict=True) for pair in zip(a, b, strict=True)]
    differing = [(old, new) for old, new in pairs if old != new]
    if not differing:
        return None
    start, end = min(differing, key=lambda pair: (abs(pair[1] - pair[0]), pair[1]))
    lines: Lines = []
    for old_shape, new_shape in zip(before, after, strict=True):
        own: list[tuple[int, int] | None] = []
        for old, new in zip(old_shape, new_shape, strict=True):
            factor, rest = divmod(new - old, end - start)
            if rest:
                return None
            own.append((factor, new - factor * end) if factor else None)
        lines.append(own)
    return lines, end
