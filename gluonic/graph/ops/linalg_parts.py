"""Diagonals and triangles of the matrices in the last two axes, as vectors and back."""

from math import isqrt
from typing import Any

import numpy as np

from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, operator
from gluonic.graph.ops.linalg import single_or_double, square
from gluonic.graph.view import NodeView, PartialShape, peek, settings_of, title_of, written


def _indices(kind: str, size: int, offset: int, lower: bool = True) -> tuple[Array, Array]:
    """List the rows and columns of a diagonal, or of a triangle, in the order of its vector."""
    length = size - abs(offset)
    rows, columns = (np.arange(length),) * 2 if kind == "diagonal" else np.tril_indices(length)
    rows = rows + abs(offset)
    return (columns, rows) if offset > 0 or (offset == 0 and not lower) else (rows, columns)


def _scattered(vector: Array, size: int, indices: tuple[Array, Array]) -> Array:
    result = np.zeros((*vector.shape[:-1], size, size), vector.dtype)
    result[..., indices[0], indices[1]] = vector
    return result


def _packed_length(kind: str, side: int) -> int:
    return side if kind == "diagonal" else side * (side + 1) // 2


def _side_of(kind: str, length: int) -> int:
    """Find the side of the matrix whose diagonal or triangle has `length` elements; -1: none."""
    if kind == "diagonal":
        return length
    side = (isqrt(8 * length + 1) - 1) // 2
    return side if _packed_length(kind, side) == length else -1


def _vector_shape(n: NodeView, matrices: PartialShape, kind: str) -> PartialShape:
    side = square(matrices, f"{title_of(n)}: A")[-1]
    if side is None:
        return (*matrices[:-2], None)
    if side and abs(n.offset) >= side:
        raise InferenceError(
            f"{title_of(n)}: offset {n.offset} is outside the matrices {written(matrices)}"
        )
    return (*matrices[:-2], _packed_length(kind, max(side - abs(n.offset), 0)))


def _matrix_shape(n: NodeView, vectors: PartialShape, kind: str) -> PartialShape:
    length = vectors[-1]
    if length is None:
        return (*vectors[:-1], None, None)
    side = _side_of(kind, length)
    if side < 0:
        raise InferenceError(f"{title_of(n)}: {length} elements do not fill a triangle of a matrix")
    return (*vectors[:-1], side + abs(n.offset), side + abs(n.offset))


def _extract_rule(kind: str) -> Any:
    def rule(n: NodeView) -> None:
        if (known := peek(n, "output")) is not None:
            n.A = _matrix_shape(n, known, kind)
        n.A = square(n.A, f"{title_of(n)}: A")
        n.output = _vector_shape(n, n.A, kind)

    return rule


def _make_rule(kind: str) -> Any:
    def rule(n: NodeView) -> None:
        if (known := peek(n, "output")) is not None:
            n.A = _vector_shape(n, known, kind)
        n.output = _matrix_shape(n, n.A, kind)

    return rule


@operator("_linalg_extractdiag", "linalg_extractdiag", dtype=single_or_double)
def extractdiag(A: Array, *, offset: int = 0) -> Any:
    """Take a diagonal of square matrices, `offset` diagonals above the main one."""
    rows, columns = _indices("diagonal", A.shape[-1], offset)
    return A[..., rows, columns]


@operator("_linalg_makediag", "linalg_makediag", dtype=single_or_double)
def makediag(A: Array, *, offset: int = 0) -> Any:
    """Make square matrices with one diagonal and zeros elsewhere: the inverse of `extractdiag`."""
    size = A.shape[-1] + abs(offset)
    return _scattered(A, size, _indices("diagonal", size, offset))


@operator("_linalg_extracttrian", "linalg_extracttrian", dtype=single_or_double)
def extracttrian(A: Array, *, offset: int = 0, lower: bool = True) -> Any:
    """Take a triangle of square matrices as a vector, row by row.

    Parameters
    ----------
    A : square matrices
    offset : the diagonal that bounds the triangle. A negative one bounds the triangle below it, a
        positive one the triangle above it, which is read column by column
    lower : with offset 0, whether to take the lower triangle, or the upper one
    """
    rows, columns = _indices("triangle", A.shape[-1], offset, lower)
    return A[..., rows, columns]


@operator("_linalg_maketrian", "linalg_maketrian", dtype=single_or_double)
def maketrian(A: Array, *, offset: int = 0, lower: bool = True) -> Any:
    """Make square matrices with one triangle and zeros elsewhere: the inverse of `extracttrian`."""
    size = _side_of("triangle", A.shape[-1]) + abs(offset)
    return _scattered(A, size, _indices("triangle", size, offset, lower))


for _kind, _extract, _make in (
    ("diagonal", extractdiag, makediag),
    ("triangle", extracttrian, maketrian),
):
    _extract.infer_shape(_extract_rule(_kind))
    _make.infer_shape(_make_rule(_kind))

extractdiag.gradient(A=lambda F, n, g: F._linalg_makediag(g, **settings_of(n)))
makediag.gradient(A=lambda F, n, g: F._linalg_extractdiag(g, **settings_of(n)))
extracttrian.gradient(A=lambda F, n, g: F._linalg_maketrian(g, **settings_of(n)))
maketrian.gradient(A=lambda F, n, g: F._linalg_extracttrian(g, **settings_of(n)))


@operator("_linalg_sumlogdiag", "linalg_sumlogdiag", dtype=single_or_double)
def sumlogdiag(A: Array) -> Any:
    """Sum the logarithms of the main diagonal: for a Cholesky factor, half the log-determinant."""
    return np.log(np.diagonal(A, axis1=-2, axis2=-1)).sum(-1)


@sumlogdiag.infer_shape
def _(n: NodeView) -> None:
    n.A = square(n.A, f"{title_of(n)}: A")
    n.output = n.A[:-2] or (1,)


def _sumlogdiag_gradient(F: Any, n: NodeView, g: Any) -> Any:
    diagonal = F._linalg_extractdiag(n.A)
    along = F.broadcast_div(F.expand_dims(g, axis=-1), diagonal)
    return F.reshape_like(F._linalg_makediag(along), n.A)


sumlogdiag.gradient(A=_sumlogdiag_gradient)
