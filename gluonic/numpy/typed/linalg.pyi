"""The functions of numpy.linalg that are made at run time; written by ``python -m gluonic.tools.stubs``."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import DTypeLike

from gluonic.ndarray.context import Context
from gluonic.ndarray.numpy.array import ndarray

__all__: list[str] = [
    "cholesky",
    "cond",
    "det",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "tensorinv",
    "tensorsolve",
]

def cholesky(a: Any) -> ndarray:
    """Return the lower triangular factors of symmetric positive definite matrices."""

def cond(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `cond` does."""

def det(a: Any) -> ndarray:
    """Return the determinants of square matrices."""

def eig(a: Any) -> Any:
    """Return the eigenvalues and eigenvectors of square matrices, without imaginary parts."""

def eigh(a: Any, UPLO: str = 'L') -> Any:
    """Return the eigenvalues, in ascending order, and eigenvectors of symmetric matrices."""

def eigvals(a: Any) -> ndarray:
    """Return the eigenvalues of square matrices, without imaginary parts."""

def eigvalsh(a: Any, UPLO: str = 'L') -> ndarray:
    """Return the eigenvalues, in ascending order, of symmetric matrices."""

def inv(a: Any) -> ndarray:
    """Return the inverses of square matrices."""

def lstsq(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `lstsq` does."""

def matrix_power(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `matrix_power` does."""

def matrix_rank(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `matrix_rank` does."""

def multi_dot(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `multi_dot` does."""

def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> ndarray:
    """Return norms of vectors or matrices."""

def pinv(a: Any, rcond: Any = 1e-15, hermitian: bool = False) -> ndarray:
    """Return the pseudo-inverses of matrices; singular values below `rcond` times the largest are zero."""

def qr(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `qr` does."""

def slogdet(a: Any) -> Any:
    """Return the signs of determinants, and the logarithms of their absolute values."""

def solve(a: Any, b: Any) -> ndarray:
    """Return the solution x of ``a · x = b``."""

def svd(a: Any) -> Any:
    """Return orthonormal columns, singular values and orthonormal rows, whose product is `a`."""

def tensorinv(a: Any, ind: int = 2) -> ndarray:
    """Return the inverse of the linear map that contracts the axes behind the first `ind`."""

def tensorsolve(a: Any, b: Any, axes: Any = None) -> ndarray:
    """Return the solution x of ``tensordot(a, x, x.ndim) = b``, after `axes` of `a` are moved to its end."""
