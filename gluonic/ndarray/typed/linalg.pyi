"""The functions of ndarray.linalg that are made at run time; written by ``python -m gluonic.tools.stubs``."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import DTypeLike

from gluonic.ndarray.context import Context
from gluonic.ndarray.array import NDArray

__all__: list[str] = [
    "det",
    "extractdiag",
    "extracttrian",
    "gelqf",
    "gemm",
    "gemm2",
    "inverse",
    "makediag",
    "maketrian",
    "potrf",
    "potri",
    "slogdet",
    "sumlogdiag",
    "syevd",
    "syrk",
    "triangle",
    "trmm",
    "trsm",
]

def det(A: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Find the determinants of square matrices; that of a single matrix has the shape (1,)."""

def extractdiag(
    A: NDArray,
    offset: int = 0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Take a diagonal of square matrices, `offset` diagonals above the main one."""

def extracttrian(
    A: NDArray,
    offset: int = 0,
    lower: bool | int = True,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Take a triangle of square matrices as a vector, row by row."""

def gelqf(A: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]:
    """Find the LQ factorization ``A = L · Q``."""

def gemm(
    A: NDArray,
    B: NDArray,
    C: NDArray,
    transpose_a: bool | int = False,
    transpose_b: bool | int = False,
    alpha: float = 1.0,
    beta: float = 1.0,
    axis: int = -2,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Multiply and add matrices: ``alpha · A · B + beta · C``."""

def gemm2(
    A: NDArray,
    B: NDArray,
    transpose_a: bool | int = False,
    transpose_b: bool | int = False,
    alpha: float = 1.0,
    axis: int = -2,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Multiply matrices: ``alpha · A · B``."""

def inverse(A: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Invert square matrices."""

def makediag(
    A: NDArray,
    offset: int = 0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Make square matrices with one diagonal and zeros elsewhere: the inverse of `extractdiag`."""

def maketrian(
    A: NDArray,
    offset: int = 0,
    lower: bool | int = True,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Make square matrices with one triangle and zeros elsewhere: the inverse of `extracttrian`."""

def potrf(
    A: NDArray,
    lower: bool | int = True,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Find the Cholesky factor: the lower triangular L with ``A = L · Lᵀ``."""

def potri(
    A: NDArray,
    lower: bool | int = True,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Invert matrices, given their Cholesky factors."""

def slogdet(
    A: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> list[NDArray]:
    """Find the signs of determinants and the logarithms of their absolute values."""

def sumlogdiag(A: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Sum the logarithms of the main diagonal: for a Cholesky factor, half the log-determinant."""

def syevd(A: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]:
    """Find eigenvalues and eigenvectors: ``A = Uᵀ · diag(L) · U``."""

def syrk(
    A: NDArray,
    transpose: bool | int = False,
    alpha: float = 1.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Multiply matrices by their own transposes: ``alpha · A · Aᵀ``, or ``alpha · Aᵀ · A``."""

def triangle(
    A: NDArray,
    lower: bool | int = True,
    diagonal: float = 1.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Keep one triangle of each matrix, its diagonal times a number; zeros elsewhere."""

def trmm(
    A: NDArray,
    B: NDArray,
    transpose: bool | int = False,
    rightside: bool | int = False,
    lower: bool | int = True,
    alpha: float = 1.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Multiply by triangular matrices: ``alpha · A · B``, or ``alpha · B · A``."""

def trsm(
    A: NDArray,
    B: NDArray,
    transpose: bool | int = False,
    rightside: bool | int = False,
    lower: bool | int = True,
    alpha: float = 1.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Solve triangular systems: ``A · X = alpha · B``, or ``X · A = alpha · B``."""
