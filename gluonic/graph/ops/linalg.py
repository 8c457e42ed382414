"""Products with general, symmetric and triangular matrices, and systems of equations.

The last two axes of each array are matrices; all others are batch axes.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gluonic.graph.errors import InferenceError
from gluonic.graph.matrices import (
    Factors,
    lhs_gradient,
    product_shapes,
    rhs_gradient,
    turned,
)
from gluonic.graph.operator import Array, operator
from gluonic.graph.rules import same
from gluonic.graph.view import NodeView, PartialShape, peek, slots_of, title_of, unify, written

_SMALL = 64
"""The largest triangular matrices of which a batch is multiplied at once, with the zeros of the other triangle:
that takes less time than a call of a BLAS routine for each."""


def single_or_double(n: NodeView) -> None:
    """The dtype rule: all inputs and outputs have one dtype, float32 or float64."""
    same(n)
    name, dtype = next(iter(slots_of(n).items()))
    if dtype is not None and dtype not in (np.float32, np.float64):
        raise InferenceError(f"{title_of(n)}: {name} must be float32 or float64, not {dtype.name}")


def square(shape: PartialShape, where: str) -> PartialShape:
    """Unify the last two axes; raise InferenceError if the matrices are not square."""
    try:
        if len(shape) < 2:
            raise InferenceError
        (side,) = unify(shape[-1:], shape[-2:-1], where)
    except InferenceError:
        raise InferenceError(f"{where} is {written(shape)} but must be square matrices") from None
    return (*shape[:-2], side, side)


def over_matrices(function: Callable[..., Array], *operands: Array) -> Array:
    """Call a function of matrices for each matrix of a batch."""
    batch = operands[0].shape[:-2]
    if not batch:
        return function(*operands)
    flat = [each.reshape(-1, *each.shape[-2:]) for each in operands]
    found = [function(*each) for each in zip(*flat, strict=True)]
    if not found:
        return np.zeros_like(operands[-1])
    return np.stack(found).reshape(*batch, *found[0].shape)


def _matmul(a: Array, b: Array, transpose_a: bool, transpose_b: bool, axis: int) -> Any:
    """Multiply matrices whose rows are along `axis`."""
    a, b = (np.moveaxis(each, axis, -2) for each in (a, b))
    product = np.matmul(
        a.swapaxes(-1, -2) if transpose_a else a, b.swapaxes(-1, -2) if transpose_b else b
    )
    return np.moveaxis(product, -2, axis)


def _gemm_shapes(n: NodeView) -> None:
    rank = len(n.A)
    axis = n.axis % rank if -rank <= n.axis < rank else rank
    if rank == len(n.B) and not 0 <= axis < rank - 1:
        raise InferenceError(f"{title_of(n)}: axis {n.axis} cannot hold the rows of {written(n.A)}")
    order = [i for i in range(rank) if i != axis]
    order.insert(rank - 2, axis)
    back = [order.index(i) for i in range(rank)]
    output = peek(n, "output")
    known = [n.A, n.B, () if output is None else output]
    rows_last = [tuple(shape[i] for i in order) if len(shape) == rank else shape for shape in known]
    found = product_shapes(Factors(*rows_last), n.transpose_a, n.transpose_b, 2, title_of(n))
    n.A, n.B, n.output = (tuple(shape[i] for i in back) for shape in found)


@operator("_linalg_gemm2", "linalg_gemm2", dtype=single_or_double)
def gemm2(
    A: Array,
    B: Array,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    alpha: float = 1.0,
    axis: int = -2,
) -> Any:
    """Multiply matrices: ``alpha · A · B``.

    Parameters
    ----------
    A, B : matrices, equally many
    transpose_a, transpose_b : transpose `A`, `B` first
    alpha : a factor
    axis : the axis of the rows; that of the columns is the last
    """
    product = _matmul(A, B, transpose_a, transpose_b, axis)
    return product if alpha == 1 else alpha * product


gemm2.infer_shape(_gemm_shapes)


def _product(F: Any, n: NodeView) -> Callable[..., Any]:
    return partial(F._linalg_gemm2, alpha=n.alpha, axis=n.axis)


_factor_gradients: dict[str, Any] = {
    "A": lambda F, n, g: lhs_gradient(_product(F, n), g, n.B, n.transpose_a, n.transpose_b),
    "B": lambda F, n, g: rhs_gradient(_product(F, n), g, n.A, n.transpose_a, n.transpose_b),
}
gemm2.gradient(**_factor_gradients)


@operator("_linalg_gemm", "linalg_gemm", dtype=single_or_double)
def gemm(
    A: Array,
    B: Array,
    C: Array,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    alpha: float = 1.0,
    beta: float = 1.0,
    axis: int = -2,
) -> Any:
    """Multiply and add matrices: ``alpha · A · B + beta · C``.

    Parameters
    ----------
    A, B, C : matrices, equally many
    transpose_a, transpose_b : transpose `A`, `B` first
    alpha, beta : factors
    axis : the axis of the rows; that of the columns is the last
    """
    return alpha * _matmul(A, B, transpose_a, transpose_b, axis) + beta * C


@gemm.infer_shape
def _(n: NodeView) -> None:
    if (known := peek(n, "C")) is not None:
        n.output = known
    _gemm_shapes(n)
    n.C = n.output


gemm.gradient(**_factor_gradients, C=lambda F, n, g: g * n.beta)


@operator("_linalg_syrk", "linalg_syrk", dtype=single_or_double)
def syrk(A: Array, *, transpose: bool = False, alpha: float = 1.0) -> Any:
    """Multiply matrices by their own transposes: ``alpha · A · Aᵀ``, or ``alpha · Aᵀ · A``."""
    a = A.swapaxes(-1, -2) if transpose else A
    return alpha * np.matmul(a, a.swapaxes(-1, -2))


@syrk.infer_shape
def _(n: NodeView) -> None:
    if len(n.A) < 2:
        raise InferenceError(f"{title_of(n)}: A is {written(n.A)} but must be matrices")
    *batch, rows, columns = turned(n.A, n.transpose)
    n.output = (*batch, rows, rows)
    square(n.output, f"{title_of(n)}: output")
    n.A = turned((*n.output[:-1], columns), n.transpose)


def _syrk_gradient(F: Any, n: NodeView, g: Any) -> Any:
    both = g + F.SwapAxis(g, dim1=-1, dim2=-2)
    factors = (n.A, both) if n.transpose else (both, n.A)
    return F._linalg_gemm2(*factors, alpha=n.alpha)


syrk.gradient(A=_syrk_gradient)


@operator("_linalg_triangle", dtype=single_or_double)
def triangle(A: Array, *, lower: bool = True, diagonal: float = 1.0) -> Any:
    """Keep one triangle of each matrix, its diagonal times a number; zeros elsewhere."""
    kept = np.tril(A, -1) if lower else np.triu(A, 1)
    if diagonal:
        along = np.arange(A.shape[-1])
        kept[..., along, along] = diagonal * A[..., along, along]
    return kept


@triangle.infer_shape
def square_like_input(n: NodeView) -> None:
    """The shape rule: square matrices of one size."""
    same(n)
    n.A = n.output = square(n.A, f"{title_of(n)}: A")


triangle.gradient(
    A=lambda F, n, g: F._linalg_triangle(g, lower=n.lower, diagonal=n.diagonal),
)


def _triangular_shapes(n: NodeView) -> None:
    """Infer from each other: square matrices `A`, and `B` and the output of one shape."""
    same_slots = [each for each in (peek(n, "B"), peek(n, "output")) if each is not None]
    for shape in same_slots:
        n.B = n.output = shape
    side = n.B[-1] if n.rightside else n.B[-2]
    if (known := peek(n, "A")) is not None:
        n.A = square(known, f"{title_of(n)}: A")
    n.A = (*n.B[:-2], side, side)
    n.B = n.output = (*n.A[:-2], n.B[-2], n.A[-1]) if n.rightside else (*n.A[:-1], n.B[-1])


def _blas(name: str, a: Array, b: Array, n: dict[str, Any]) -> Array:
    """Call a triangular BLAS routine on matrices in C order, which it reads as transposed."""
    from scipy.linalg.blas import get_blas_funcs

    (routine,) = get_blas_funcs((name,), (a, b))
    result: Array = routine(
        n["alpha"],
        a.T,
        b.T,
        side=not n["rightside"],
        lower=not n["lower"],
        trans_a=n["transpose"],
    )
    return result.T


def _triangular(name: str, a: Array, b: Array, **settings: Any) -> Array:
    if not b.size:
        return b.view()
    return over_matrices(lambda x, y: _blas(name, x, y, settings), a, b)


def _products(a: Array, b: Array, **n: Any) -> Array:
    """Multiply many small matrices, each with zeros in the triangle that is not read."""
    triangles = (np.tril if n["lower"] else np.triu)(a)
    factor = triangles.swapaxes(-1, -2) if n["transpose"] else triangles
    result: Array = b @ factor if n["rightside"] else factor @ b
    result *= b.dtype.type(n["alpha"])
    return result


@operator("_linalg_trmm", "linalg_trmm", dtype=single_or_double)
def trmm(
    A: Array,
    B: Array,
    *,
    transpose: bool = False,
    rightside: bool = False,
    lower: bool = True,
    alpha: float = 1.0,
) -> Any:
    """Multiply by triangular matrices: ``alpha · A · B``, or ``alpha · B · A``.

    Parameters
    ----------
    A : square matrices, of which one triangle is read
    B : matrices
    transpose : transpose `A` first
    rightside : multiply from the right
    lower : whether the lower triangle of `A` is read, or the upper one
    alpha : a factor
    """
    settings = {"transpose": transpose, "rightside": rightside, "lower": lower, "alpha": alpha}
    if A.ndim > 2 and A.shape[-1] <= _SMALL:
        return _products(A, B, **settings)
    return _triangular("trmm", A, B, **settings)


@operator("_linalg_trsm", "linalg_trsm", dtype=single_or_double)
def trsm(
    A: Array,
    B: Array,
    *,
    transpose: bool = False,
    rightside: bool = False,
    lower: bool = True,
    alpha: float = 1.0,
) -> Any:
    """Solve triangular systems: ``A · X = alpha · B``, or ``X · A = alpha · B``.

    Parameters
    ----------
    A : square matrices, of which one triangle is read
    B : right-hand sides
    transpose : transpose `A` first
    rightside : solve with `A` to the right of ``X``
    lower : whether the lower triangle of `A` is read, or the upper one
    alpha : a factor
    """
    settings = {"transpose": transpose, "rightside": rightside, "lower": lower, "alpha": alpha}
    return _triangular("trsm", A, B, **settings)


trmm.infer_shape(_triangular_shapes)
trsm.infer_shape(_triangular_shapes)


def _transposed(n: NodeView) -> dict[str, Any]:
    return {"transpose": not n.transpose, "rightside": n.rightside, "lower": n.lower}


def _outer(F: Any, n: NodeView, g: Any, other: Any, alpha: float) -> Any:
    """The gradient of a triangular factor: one triangle of a gradient times the other factor."""
    left, right = (g, other) if n.transpose == n.rightside else (other, g)
    full = F._linalg_gemm2(
        left, right, transpose_a=n.rightside, transpose_b=not n.rightside, alpha=alpha
    )
    return F._linalg_triangle(full, lower=n.lower)


def _trsm_triangle(F: Any, n: NodeView, g: Any) -> Any:
    back = F._linalg_trsm(n.A, g, **_transposed(n))
    return _outer(F, n, back, n.output, -1.0)


trmm.gradient(
    A=lambda F, n, g: _outer(F, n, g, n.B, n.alpha),
    B=lambda F, n, g: F._linalg_trmm(n.A, g, alpha=n.alpha, **_transposed(n)),
)
trsm.gradient(
    A=_trsm_triangle,
    B=lambda F, n, g: F._linalg_trsm(n.A, g, alpha=n.alpha, **_transposed(n)),
)
