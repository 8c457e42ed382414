"""Norms, factors and solutions: ``np.linalg``."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gluonic.graph.arithmetic import is_number
from gluonic.graph.errors import NotThereError
from gluonic.numpy_functions.table import Operators, function


@function("np.linalg")
def det(F: Operators, a: Any) -> Any:
    """Return the determinants of square matrices."""
    return F._npi_det(a)


@function("np.linalg")
def slogdet(F: Operators, a: Any) -> Any:
    """Return the signs of determinants, and the logarithms of their sizes."""
    return F._npi_slogdet(a)


@function("np.linalg")
def inv(F: Operators, a: Any) -> Any:
    """Return the inverses of square matrices."""
    return F._npi_inv(a)


@function("np.linalg")
def cholesky(F: Operators, a: Any) -> Any:
    """Return the lower triangular factors of symmetric positive definite matrices."""
    return F._npi_cholesky(a)


@function("np.linalg")
def eig(F: Operators, a: Any) -> Any:
    """Return the eigenvalues and eigenvectors of square matrices, without imaginary parts."""
    return F._npi_eig(a)


@function("np.linalg")
def eigh(F: Operators, a: Any, UPLO: str = "L") -> Any:
    """Return the eigenvalues, in ascending order, and eigenvectors of symmetric matrices."""
    return F._npi_eigh(a, UPLO=UPLO)


@function("np.linalg")
def eigvals(F: Operators, a: Any) -> Any:
    """Return the eigenvalues of square matrices, without imaginary parts."""
    return F._npi_eigvals(a)


@function("np.linalg")
def eigvalsh(F: Operators, a: Any, UPLO: str = "L") -> Any:
    """Return the eigenvalues, in ascending order, of symmetric matrices."""
    return F._npi_eigvalsh(a, UPLO=UPLO)


@function("np.linalg")
def svd(F: Operators, a: Any) -> Any:
    """Return orthonormal columns, singular values and orthonormal rows, whose product is `a`."""
    found = F._npi_svd(a)
    return found if F.is_symbolic else tuple(found)


@function("np.linalg")
def solve(F: Operators, a: Any, b: Any) -> Any:
    """Return the solution x of ``a · x = b``."""
    return F._npi_solve(a, b)


@function("np.linalg")
def tensorinv(F: Operators, a: Any, ind: int = 2) -> Any:
    """Return the inverse of the linear map that contracts the axes behind the first `ind`."""
    return F._npi_tensorinv(a, ind=ind)


@function("np.linalg")
def tensorsolve(F: Operators, a: Any, b: Any, axes: Any = None) -> Any:
    """Return the solution x of ``tensordot(a, x, x.ndim) = b``, after `axes` of `a` are moved to its end."""
    return F._npi_tensorsolve(a, b, a_axes=() if axes is None else axes)


@function("np.linalg")
def pinv(F: Operators, a: Any, rcond: Any = 1e-15, hermitian: bool = False) -> Any:
    """Return the pseudo-inverses of matrices; singular values below `rcond` times the largest count as 0."""
    if hermitian:
        raise NotImplementedError("np.linalg.pinv: hermitian=True is not there")
    if is_number(rcond):
        return F._npi_pinv_scalar_rcond(a, rcond=float(rcond), hermitian=False)
    return F._npi_pinv(a, rcond, hermitian=False)


def _power(order: float) -> Callable[..., Any]:
    def norm_of(F: Operators, x: Any, axis: Any, keepdims: bool) -> Any:
        sizes = F._npi_power_scalar(F._npi_absolute(x), scalar=float(order))
        total = F._np_sum(sizes, axis=axis, keepdims=keepdims)
        return F._npi_power_scalar(total, scalar=1.0 / order)

    return norm_of


def _root_of_squares(F: Operators, x: Any, axis: Any, keepdims: bool) -> Any:
    return F._npi_sqrt(F._np_sum(F._npi_square(x), axis=axis, keepdims=keepdims))


def _largest(F: Operators, x: Any, axis: Any, keepdims: bool) -> Any:
    return F._np_max(F._npi_absolute(x), axis=axis, keepdims=keepdims)


def _smallest(F: Operators, x: Any, axis: Any, keepdims: bool) -> Any:
    return F._np_min(F._npi_absolute(x), axis=axis, keepdims=keepdims)


def _sum_of_sizes(F: Operators, x: Any, axis: Any, keepdims: bool) -> Any:
    return F._np_sum(F._npi_absolute(x), axis=axis, keepdims=keepdims)


def _how_many(F: Operators, x: Any, axis: Any, keepdims: bool) -> Any:
    differs = F._npi_not_equal_scalar(x, scalar=0.0)
    return F._np_sum(F._cast_like(differs, x), axis=axis, keepdims=keepdims)


_VECTOR_NORMS = {
    None: _root_of_squares,
    2: _root_of_squares,
    1: _sum_of_sizes,
    0: _how_many,
    np.inf: _largest,
    -np.inf: _smallest,
}


def _matrix_norm(F: Operators, x: Any, order: Any, axes: tuple[int, int], keepdims: bool) -> Any:
    rows, columns = axes
    if order in (None, "fro", "f"):
        return _root_of_squares(F, x, axes, keepdims)
    if order in (1, -1, np.inf, -np.inf):
        summed, left = (rows, columns) if abs(order) == 1 else (columns, rows)
        sums = F._np_sum(F._npi_absolute(x), axis=summed, keepdims=True)
        extreme = F._np_max if order > 0 else F._np_min
        found = extreme(sums, axis=left, keepdims=True)
        return found if keepdims else F._np_squeeze(found, axis=axes)
    if order in (2, -2, "nuc"):
        moved = F._np_moveaxis(x, source=axes, destination=(-2, -1))
        _, values, _ = F._npi_svd(moved)
        reduce = {2: F._np_max, -2: F._np_min, "nuc": F._np_sum}[order]
        found = reduce(values, axis=-1, keepdims=keepdims)
        if keepdims:
            found = F._npi_expand_dims(found, axis=-1)
            found = F._np_moveaxis(found, source=(-2, -1), destination=axes)
        return found
    raise ValueError(f"np.linalg.norm: ord={order!r} is no norm of matrices")


@function("np.linalg")
def norm(F: Operators, x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Return norms of vectors or matrices.

    Parameters
    ----------
    x : array
    ord : of vectors a number, the root of the sum of such powers; of matrices 1, -1, 2, -2, inf, -inf, "fro" or
        "nuc"; default the root of the sum of squares
    axis : the axis of vectors, or both of matrices; none means all
    keepdims : whether reduced axes remain, with length one
    """
    if axis is None and ord is None:
        return _root_of_squares(F, x, None, keepdims)
    if axis is None:
        if F.is_symbolic:
            raise NotThereError("np.linalg.norm: of a symbol, ord= needs axis=")
        if x.ndim > 2:
            raise ValueError("np.linalg.norm: improper number of dimensions: give axis=")
        axis = tuple(range(x.ndim))
    axes = tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
    if len(axes) == 2:
        return _matrix_norm(F, x, ord, (axes[0], axes[1]), keepdims)
    if len(axes) != 1 or isinstance(ord, str):
        raise ValueError("np.linalg.norm: invalid norm order for vectors")
    norm_of = _VECTOR_NORMS.get(ord) or _power(ord)
    return norm_of(F, x, axes[0], keepdims)
