"""Cholesky factors and triangular systems, row by row: ONNX has no operators of linear algebra but products."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gluonic.onnx.errors import NotExportable
from gluonic.onnx.families.products import transposed
from gluonic.onnx.table import family
from gluonic.onnx.use import dtype_of, fixed, shape_of
from gluonic.onnx.writer import INT64, OnnxValue

factors = family("factors of matrices")
factors.leave_out(
    "ONNX has no decompositions, and no inverse",
    "_linalg_gelqf", "_linalg_inverse", "_linalg_syevd", "_npi_eig", "_npi_eigh", "_npi_eigvals",
    "_npi_eigvalsh", "_npi_pinv", "_npi_solve", "_npi_svd", "_npi_tensorinv", "_npi_tensorsolve",
)  # fmt: skip


def _row_by_row(
    o: Any, begin: OnnxValue, rows: range, step: Callable[[Any, Any], OnnxValue]
) -> OnnxValue:
    """The last of the states that `step` makes of a state and the number of a row, beginning with zeros."""
    state, row = OnnxValue(begin.dtype), OnnxValue(INT64, is_scalar=True)
    zeros = o.Expand(o.constant(np.zeros((), begin.dtype)), o.Shape(begin))
    body = o.body([state, row], lambda: [step(state, row)])
    numbers = np.array(rows, np.int64)
    last: OnnxValue = o.Scan(zeros, numbers, result=begin.dtype, body=body, num_scan_inputs=1)
    return last


def _cholesky(o: Any, matrices: OnnxValue, size: int) -> OnnxValue:
    """The factors L of matrices, whose lower triangles are read."""
    rows = np.arange(size)[:, None]

    def step(factor: Any, row: Any) -> OnnxValue:
        """Add the column with the number of the row."""
        there = o.unsqueeze(o.Gather(factor, row, axis=-2), -1)
        column = o.unsqueeze(o.Gather(matrices, row, axis=-1), -1)
        left = o.Sub(column, o.MatMul(factor, there))
        pivot = o.unsqueeze(o.Gather(left, row, axis=-2), -2)
        place = o.And(o.GreaterOrEqual(rows, row), o.Equal(rows.T, row))
        added: OnnxValue = o.Where(place, o.Div(left, o.Sqrt(pivot)), factor, result=factor.dtype)
        return added

    return _row_by_row(o, matrices, range(size), step)


def _solution(o: Any, matrices: Any, sides: Any, size: int, *, lower: bool) -> OnnxValue:
    """X, where the products of triangular matrices with it are the right sides."""
    rows = np.arange(size)[:, None]
    triangles = o.Trilu(matrices, None, upper=int(not lower))

    def step(solved: Any, row: Any) -> OnnxValue:
        """Add a row."""
        factors = o.unsqueeze(o.Gather(triangles, row, axis=-2), -2)
        pivot = o.unsqueeze(o.Gather(factors, row, axis=-1), -1)
        side = o.unsqueeze(o.Gather(sides, row, axis=-2), -2)
        left = o.Sub(side, o.MatMul(factors, solved))
        added: OnnxValue = o.Where(
            o.Equal(rows, row), o.Div(left, pivot), solved, result=solved.dtype
        )
        return added

    return _row_by_row(o, sides, range(size) if lower else range(size)[::-1], step)


def _size(n: Any) -> int:
    """The number of rows of matrices."""
    if dtype_of(n).kind != "f":
        raise NotExportable("matrices of integers")
    return fixed(shape_of(n, 0)[-1], "the size of its matrices")


@factors.write("_linalg_potrf")
def _(o: Any, n: Any) -> Any:
    rank = len(shape_of(n, 0))
    if n.lower:
        return _cholesky(o, n.A, _size(n))
    return transposed(o, _cholesky(o, transposed(o, n.A, rank), _size(n)), rank)


@factors.write("_linalg_potri")
def _(o: Any, n: Any) -> Any:
    rank, size = len(shape_of(n, 0)), _size(n)
    factor = n.A if n.lower else transposed(o, n.A, rank)
    ones = o.Expand(o.constant(np.eye(size, dtype=n.A.dtype)), o.Shape(factor))
    inverse = _solution(o, factor, ones, size, lower=True)
    return o.MatMul(transposed(o, inverse, rank), inverse)


@factors.write("_linalg_trsm")
def _(o: Any, n: Any) -> Any:
    rank, size, sides = len(shape_of(n, 0)), _size(n), n.B
    flipped = n.transpose != n.rightside
    matrices = transposed(o, n.A, rank) if flipped else n.A
    sides = transposed(o, sides, rank) if n.rightside else sides
    sides = sides if n.alpha == 1 else o.Mul(sides, n.alpha)
    solved = _solution(o, matrices, sides, size, lower=n.lower != flipped)
    return transposed(o, solved, rank) if n.rightside else solved
