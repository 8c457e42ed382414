"""Factorizations, inverses and determinants of the matrices in the last two axes."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gluonic.graph.all_gradients import flowing
from gluonic.graph.errors import InferenceError, MXNetError, describe
from gluonic.graph.operator import Array, operator
from gluonic.graph.ops.linalg import (
    over_matrices,
    single_or_double,
    square,
    square_like_input,
    trsm,
)
from gluonic.graph.view import NodeView, peek, put, slots_of, title_of, written


def _turn(F: Any, matrices: Any) -> Any:
    return F.SwapAxis(matrices, dim1=-1, dim2=-2)


def _refusing(function: Callable[..., Any], matrices: Array, what: str) -> Any:
    """Call a function of NumPy's; where it fails, raise MXNetError with the message `what`."""
    try:
        return function(matrices)
    except np.linalg.LinAlgError:
        raise MXNetError(describe(what, facts=[f"shape {written(matrices.shape)}"])) from None


@operator("_linalg_potrf", "linalg_potrf", dtype=single_or_double)
def potrf(A: Array, *, lower: bool = True) -> Any:
    """Find the Cholesky factor: the lower triangular L with ``A = L · Lᵀ``.

    Parameters
    ----------
    A : symmetric positive definite matrices, of which one triangle is read; the gradient is that of a
        symmetric matrix
    lower : read the lower triangle; else the upper one, and return ``Lᵀ``

    Raises
    ------
    MXNetError
        if a matrix is not positive definite
    """
    wrong = "_linalg_potrf: a matrix is not symmetric or not positive definite"
    if lower:
        return _refusing(np.linalg.cholesky, A, wrong)
    return _refusing(np.linalg.cholesky, A.swapaxes(-1, -2), wrong).swapaxes(-1, -2)


def _lower(F: Any, n: NodeView, matrices: Any) -> Any:
    """Transpose matrices so that the chosen triangle is the lower one, or undo that."""
    return matrices if n.lower else _turn(F, matrices)


def _potrf_gradient(F: Any, n: NodeView, g: Any) -> Any:
    factor, g = _lower(F, n, n.output), _lower(F, n, g)
    middle = F._linalg_gemm2(factor, g, transpose_a=True)
    middle = F._linalg_triangle(middle, diagonal=0.5)
    half = F._linalg_trsm(factor, middle, transpose=True)
    whole = F._linalg_trsm(factor, half, rightside=True)
    return (whole + _turn(F, whole)) * 0.5


potrf.infer_shape(square_like_input)
potrf.gradient(A=_potrf_gradient)


@operator("_linalg_potri", "linalg_potri", dtype=single_or_double)
def potri(A: Array, *, lower: bool = True) -> Any:
    """Invert matrices, given their Cholesky factors.

    Parameters
    ----------
    A : the factors L, of which the lower triangle is read
    lower : if false, `A` is ``Lᵀ``, of which the upper triangle is read

    Returns
    -------
    array
        the inverse of ``L · Lᵀ``
    """
    A = A if lower else A.swapaxes(-1, -2)
    inverse = trsm.kernel(A, np.broadcast_to(np.eye(A.shape[-1], dtype=A.dtype), A.shape))
    return np.matmul(inverse.swapaxes(-1, -2), inverse)


def _potri_gradient(F: Any, n: NodeView, g: Any) -> Any:
    back = F._linalg_gemm2(n.output, g + _turn(F, g), alpha=-1.0)
    full = F._linalg_trsm(_lower(F, n, n.A), back, transpose=True, rightside=True)
    return _lower(F, n, F._linalg_triangle(full))


potri.infer_shape(square_like_input)
potri.gradient(A=_potri_gradient)


@operator("_linalg_gelqf", "linalg_gelqf", outputs=("output0", "output1"), dtype=single_or_double)
def gelqf(A: Array) -> tuple[Array, Array]:
    """Find the LQ factorization ``A = L · Q``.

    Parameters
    ----------
    A : matrices of full rank with no more rows than columns

    Returns
    -------
    array, array
        Q, of the shape of `A`, whose rows are orthonormal, and L, lower triangular
    """
    q, r = np.linalg.qr(A.swapaxes(-1, -2))
    return q.swapaxes(-1, -2), r.swapaxes(-1, -2)


@gelqf.infer_shape
def _(n: NodeView) -> None:
    if (known := peek(n, "output0")) is not None:
        n.A = known
    if len(n.A) < 2:
        raise InferenceError(f"{title_of(n)}: A is {written(n.A)} but must be matrices")
    *batch, rows, columns = n.A
    if rows is not None and columns is not None and rows > columns:
        raise InferenceError(f"{title_of(n)}: A is {written(n.A)}, with more rows than columns")
    n.output0, n.output1 = n.A, (*batch, rows, rows)
    n.output0 = n.A = (*square(n.output1, f"{title_of(n)}: L")[:-1], columns)


@gelqf.all_gradients
def _(F: Any, n: NodeView, heads: Sequence[Any]) -> dict[str, Any]:
    q, lower = n.output0, n.output1
    g_q, g_lower = flowing(F, n, heads)
    middle = F._linalg_gemm2(lower, g_lower, transpose_a=True) - F._linalg_gemm2(
        g_q, q, transpose_b=True
    )
    strictly = F._linalg_triangle(middle, diagonal=0.0)
    symmetric = F._linalg_triangle(middle) + _turn(F, strictly)
    return {"A": F._linalg_trsm(lower, g_q + F._linalg_gemm2(symmetric, q), transpose=True)}


@operator("_linalg_syevd", "linalg_syevd", outputs=("output0", "output1"), dtype=single_or_double)
def syevd(A: Array) -> tuple[Array, Array]:
    """Find eigenvalues and eigenvectors: ``A = Uᵀ · diag(L) · U``.

    Parameters
    ----------
    A : symmetric matrices, of which the lower triangle is read; the gradient is that of a symmetric
        matrix, and infinite for eigenvectors where eigenvalues are equal

    Returns
    -------
    array, array
        U, whose rows are the eigenvectors, the largest element of each being positive, and L, the
        eigenvalues in ascending order
    """
    values, columns = np.linalg.eigh(A)
    rows = columns.swapaxes(-1, -2)
    if rows.size:
        largest = np.argmax(np.abs(rows), -1)[..., None]
        rows = np.where(np.take_along_axis(rows, largest, -1) < 0, -rows, rows)
    return rows, values


@syevd.infer_shape
def _(n: NodeView) -> None:
    if (known := peek(n, "output0")) is not None:
        n.A = known
    n.A = square(n.A, f"{title_of(n)}: A")
    n.output0, n.output1 = n.A, n.A[:-1]
    n.A = n.output0 = (*n.output1, n.output1[-1])


@syevd.all_gradients
def _(F: Any, n: NodeView, heads: Sequence[Any]) -> dict[str, Any]:
    vectors, values = n.output0, n.output1
    parts = []
    if heads[1] is not None:
        parts.append(F._linalg_makediag(heads[1]))
    if heads[0] is not None:
        turning = F._linalg_gemm2(heads[0], vectors, transpose_b=True)
        unit = F._linalg_makediag(F.ones_like(values))
        rows, columns = F.expand_dims(values, axis=-1), F.expand_dims(values, axis=-2)
        gaps = F.broadcast_sub(rows, columns) + unit  # the diagonal may be any number but zero
        parts.append((turning - _turn(F, turning)) / (gaps * 2))
    inner = parts[0] if len(parts) == 1 else parts[0] + parts[1]
    return {"A": F._linalg_gemm2(F._linalg_gemm2(vectors, inner, transpose_a=True), vectors)}


def _inverse_gradient(F: Any, n: NodeView, g: Any) -> Any:
    half = F._linalg_gemm2(g, n.output, transpose_b=True)
    return F._linalg_gemm2(n.output, half, transpose_a=True, alpha=-1.0)


@operator("_linalg_inverse", "linalg_inverse", dtype=single_or_double)
def inverse(A: Array) -> Any:
    """Invert square matrices.

    Raises
    ------
    MXNetError
        if a matrix is singular
    """
    return _refusing(np.linalg.inv, A, "_linalg_inverse: a matrix is singular")


def _inverse_or_zero(matrix: Array) -> Array:
    try:
        return np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        return np.zeros_like(matrix)


@operator("_backward_linalg_det", dtype=single_or_double)
def inverse_or_zero(A: Array) -> Any:
    """Invert square matrices; a singular one gives zeros, so its determinant has no gradient."""
    try:
        return np.linalg.inv(A)
    except np.linalg.LinAlgError:
        return over_matrices(_inverse_or_zero, A)


for _op in (inverse, inverse_or_zero):
    _op.infer_shape(square_like_input)
    _op.gradient(A=_inverse_gradient)


@operator("_linalg_det", "linalg_det", outputs=("output0",), dtype=single_or_double)
def det(A: Array) -> Any:
    """Find the determinants of square matrices; that of a single matrix has the shape (1,)."""
    return np.linalg.det(A)


@operator(
    "_linalg_slogdet", "linalg_slogdet", outputs=("output0", "output1"), dtype=single_or_double
)
def slogdet(A: Array) -> tuple[Array, Array]:
    """Find the signs of determinants and the logarithms of their absolute values."""
    sign, logarithm = np.linalg.slogdet(A)
    return sign, logarithm


def _determinant_shapes(n: NodeView) -> None:
    n.A = square(n.A, f"{title_of(n)}: A")
    for name in list(slots_of(n))[1:]:
        put(n, name, n.A[:-2] or (1,))


def _times_inverse(F: Any, n: NodeView, scale: Any) -> Any:
    """Multiply each transposed inverse by a number."""
    inverse = _turn(F, F._backward_linalg_det(n.A))
    stretched = F.expand_dims(F.expand_dims(scale, axis=-1), axis=-1)
    return F.reshape_like(F.broadcast_mul(stretched, inverse), n.A)


@slogdet.all_gradients
def _(F: Any, n: NodeView, heads: Sequence[Any]) -> dict[str, Any]:
    return {} if heads[1] is None else {"A": _times_inverse(F, n, heads[1])}


det.infer_shape(_determinant_shapes)
slogdet.infer_shape(_determinant_shapes)
det.gradient(A=lambda F, n, g: _times_inverse(F, n, g * n.output0))
