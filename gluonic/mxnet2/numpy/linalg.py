"""``mx.np.linalg`` of MXNet 2.0: 1.x's functions, with the array API's names and arguments."""

from typing import TYPE_CHECKING, Any

import numpy as np

from gluonic.mxnet2.functions import of_two
from gluonic.mxnet2.numpy import base, shapes
from gluonic.mxnet2.numpy.results import in_numpy
from gluonic.numpy import linalg as of_one
from gluonic.symbol.numpy.linalg import functions as of_symbols

_names = of_one.__all__
_f = of_two({name: getattr(of_one, name) for name in _names}, of_symbols, __name__)
_np = base.functions
globals().update(_f)


def cholesky(a: Any, upper: bool = False) -> Any:
    """Return the triangular factor of positive definite matrices: L with ``L Lᵀ = a``, or its transpose."""
    lower = _f["cholesky"](a)
    return matrix_transpose(lower) if upper else lower


def eigh(a: Any, upper: bool = False, *, UPLO: str | None = None) -> Any:
    """Return eigenvalues and eigenvectors of symmetric matrices, of which one triangle is read."""
    return _f["eigh"](a, UPLO or ("U" if upper else "L"))


def eigvalsh(a: Any, upper: bool = False, *, UPLO: str | None = None) -> Any:
    """Return the eigenvalues of symmetric matrices, of which one triangle is read."""
    return _f["eigvalsh"](a, UPLO or ("U" if upper else "L"))


def pinv(a: Any, rtol: Any = None, hermitian: bool = False, *, rcond: Any = None) -> Any:
    """Return the pseudo-inverse; singular values below `rtol` times the greatest count as zero."""
    given = rcond if rtol is None else rtol
    return _f["pinv"](a, 1e-15 if given is None else given, hermitian)


def matrix_rank(M: Any, rtol: Any = None, hermitian: bool = False, *, tol: Any = None) -> Any:
    """Return the number of singular values that are greater than `tol`, or than `rtol` times the greatest."""

    def rank(matrix: Any) -> Any:
        if tol is not None or rtol is None:
            return np.linalg.matrix_rank(matrix, tol, hermitian)
        values = np.linalg.svd(matrix, compute_uv=False, hermitian=hermitian)
        limits = np.asarray(rtol)[..., None] * values.max(axis=-1, keepdims=True)
        return np.count_nonzero(values > limits, axis=-1)

    return in_numpy(rank, M)


def matrix_transpose(a: Any) -> Any:
    """Return the array with its last two axes exchanged."""
    return _np["swapaxes"](a, -1, -2)


def trace(a: Any, offset: int = 0) -> Any:
    """Return the sums of a diagonal of the matrices of the last two axes."""
    return _np["trace"](a, offset, -2, -1)


def diagonal(a: Any, offset: int = 0) -> Any:
    """Return a diagonal of the matrices of the last two axes."""
    return _np["diagonal"](a, offset, -2, -1)


def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """Return sums of products over axes of two arrays."""
    return _np["tensordot"](a, b, axes)


def outer(a: Any, b: Any) -> Any:
    """Return the products of all pairs of elements."""
    return _np["outer"](a, b)


def cross(a: Any, b: Any, axis: int = -1) -> Any:
    """Return the vector products of vectors of three elements."""
    return shapes.cross(a, b, axis=axis)


def vecdot(a: Any, b: Any, axis: int | None = None) -> Any:
    """Return the sums of products of the elements along an axis, by default the last one."""
    return _np["sum"](_np["multiply"](a, b), -1 if axis is None else axis)


def vector_norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the norms of vectors along axes; None takes all elements as one vector.

    Parameters
    ----------
    x : any array
    ord : the order of the norm, by default 2
    axis : an axis or several
    keepdims : whether the axes stay, with one element
    """
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple | range) else (axis,)
    places = tuple(one % x.ndim for one in axes)
    kept = [one for one in range(x.ndim) if one not in places]
    shape = tuple(x.shape[one] for one in kept)
    flat = _np["transpose"](x, (*kept, *places)).reshape((*shape, -1))
    found = _f["norm"](flat, 2 if ord is None else ord, -1)
    if keepdims:
        found = found.reshape(tuple(1 if i in places else n for i, n in enumerate(x.shape)))
    return found


def matrix_norm(x: Any, ord: Any = "fro", axis: Any = (-2, -1), keepdims: bool = False) -> Any:
    """Return the norms of matrices of two axes."""
    return _f["norm"](x, ord, axis, keepdims)


def svdvals(a: Any) -> Any:
    """Return the singular values of matrices."""
    _, values, _ = _f["svd"](a)
    return values


def lstsq(a: Any, b: Any, rcond: Any = "warn") -> Any:
    """Return least-squares solutions, sums of squared residuals, the rank and the singular values."""
    return _f["lstsq"](a, b, rcond=None if rcond == "warn" else rcond)


__all__ = sorted(
    {
        *_names, "cross", "diagonal", "matrix_norm", "matrix_transpose", "outer", "svdvals", "tensordot",
        "trace",
        "vecdot", "vector_norm",
    }
)  # fmt: skip

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
