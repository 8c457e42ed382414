"""Norms, factors and solutions: ``np.linalg``."""

from typing import Any

from gluonic.graph.arithmetic import is_number
from gluonic.graph.ops.numpy.norms import BY_ORDER, BY_SQUARES, NUCLEAR, OF_ALL
from gluonic.numpy_functions.table import Operators, function


@function("np.linalg")
def det(F: Operators, a: Any) -> Any:
    """Return the determinants of square matrices."""
    return F._npi_det(a)


@function("np.linalg")
def slogdet(F: Operators, a: Any) -> Any:
    """Return the signs of determinants, and the logarithms of their absolute values."""
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
    """Return the pseudo-inverses of matrices; singular values below `rcond` times the largest are zero."""
    if hermitian:
        raise NotImplementedError("np.linalg.pinv: hermitian=True is not there")
    if is_number(rcond):
        return F._npi_pinv_scalar_rcond(a, rcond=float(rcond), hermitian=False)
    return F._npi_pinv(a, rcond, hermitian=False)


_EXTREMES = {"inf": "_np_max", "-inf": "_np_min", 1: "_np_max", -1: "_np_min"}


def _extreme_sum(F: Operators, x: Any, order: Any, axes: Any, keepdims: bool) -> Any:
    """The norm of matrices by the sums of their rows, or of their columns."""
    rows, columns = axes
    summed = rows if order in (1, -1) else columns
    sums = F._np_sum(F._npi_absolute(x), axis=summed, keepdims=True)
    return getattr(F, _EXTREMES[order])(sums, axis=axes, keepdims=keepdims)


def _flag_of(order: Any) -> tuple[float, int]:
    """The operator's flag for an order."""
    if order is None or order in ("fro", "f"):
        return 2, BY_SQUARES
    if order == "nuc":
        return 2, NUCLEAR
    if isinstance(order, str):
        raise ValueError(f"np.linalg.norm: ord={order!r} is no norm")
    return order, BY_ORDER


@function("np.linalg")
def norm(F: Operators, x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Return norms of vectors or matrices.

    Parameters
    ----------
    x : array
    ord : of vectors a number, the root of the sum of such powers; of matrices 1, -1, 2, -2, "inf", "-inf",
        "fro" or "nuc"; default the root of the sum of squares
    axis : the axis of vectors, or both of matrices; by default of vectors their only one, of all else the last
        two, but without `ord` all, and the largest of all for "inf"
    keepdims : whether reduced axes remain, with length one
    """
    if axis is None and ord is None:
        return F._npi_norm(x, ord=2, axis=None, keepdims=keepdims, flag=OF_ALL)
    if axis is not None and not isinstance(axis, (int, tuple)):
        raise TypeError("np.linalg.norm: axis must be None, an integer or a tuple of integers")
    axis = (axis,) if isinstance(axis, int) else axis
    if axis is not None and len(axis) == 2 and ord in _EXTREMES:
        return _extreme_sum(F, x, ord, axis, keepdims)
    if ord in ("inf", "-inf"):
        return getattr(F, _EXTREMES[ord])(F._npi_absolute(x), axis=axis, keepdims=keepdims)
    if axis is None and not F.is_symbolic:
        axis = tuple(range(max(x.ndim - 2, 0), x.ndim)) or None
    order, flag = _flag_of(ord)
    return F._npi_norm(x, ord=order, axis=axis, keepdims=keepdims, flag=flag)
