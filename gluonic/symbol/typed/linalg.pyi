"""The functions of symbol.linalg that are made at run time; written by ``python -m gluonic.tools.stubs``."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import DTypeLike

from gluonic.ndarray.context import Context
from gluonic.symbol.symbol import Symbol

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

def det(A: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Find the determinants of square matrices; that of a single matrix has the shape (1,)."""

def extractdiag(
    A: Symbol | None = None,
    offset: int = 0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Take a diagonal of square matrices, `offset` diagonals above the main one."""

def extracttrian(
    A: Symbol | None = None,
    offset: int = 0,
    lower: bool | int = True,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Take a triangle of square matrices as a vector, row by row."""

def gelqf(A: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Find the LQ factorization ``A = L · Q``."""

def gemm(
    A: Symbol | None = None,
    B: Symbol | None = None,
    C: Symbol | None = None,
    transpose_a: bool | int = False,
    transpose_b: bool | int = False,
    alpha: float = 1.0,
    beta: float = 1.0,
    axis: int = -2,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Multiply and add matrices: ``alpha · A · B + beta · C``."""

def gemm2(
    A: Symbol | None = None,
    B: Symbol | None = None,
    transpose_a: bool | int = False,
    transpose_b: bool | int = False,
    alpha: float = 1.0,
    axis: int = -2,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Multiply matrices: ``alpha · A · B``."""

def inverse(A: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Invert square matrices."""

def makediag(
    A: Symbol | None = None,
    offset: int = 0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Make square matrices with one diagonal and zeros elsewhere: the inverse of `extractdiag`."""

def maketrian(
    A: Symbol | None = None,
    offset: int = 0,
    lower: bool | int = True,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Make square matrices with one triangle and zeros elsewhere: the inverse of `extracttrian`."""

def potrf(
    A: Symbol | None = None,
    lower: bool | int = True,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Find the Cholesky factor: the lower triangular L with ``A = L · Lᵀ``."""

def potri(
    A: Symbol | None = None,
    lower: bool | int = True,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Invert matrices, given their Cholesky factors."""

def slogdet(A: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Find the signs of determinants and the logarithms of their absolute values."""

def sumlogdiag(
    A: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Sum the logarithms of the main diagonal: for a Cholesky factor, half the log-determinant."""

def syevd(A: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Find eigenvalues and eigenvectors: ``A = Uᵀ · diag(L) · U``."""

def syrk(
    A: Symbol | None = None,
    transpose: bool | int = False,
    alpha: float = 1.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Multiply matrices by their own transposes: ``alpha · A · Aᵀ``, or ``alpha · Aᵀ · A``."""

def triangle(
    A: Symbol | None = None,
    lower: bool | int = True,
    diagonal: float = 1.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Keep one triangle of each matrix, its diagonal times a number; zeros elsewhere."""

def trmm(
    A: Symbol | None = None,
    B: Symbol | None = None,
    transpose: bool | int = False,
    rightside: bool | int = False,
    lower: bool | int = True,
    alpha: float = 1.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Multiply by triangular matrices: ``alpha · A · B``, or ``alpha · B · A``."""

def trsm(
    A: Symbol | None = None,
    B: Symbol | None = None,
    transpose: bool | int = False,
    rightside: bool | int = False,
    lower: bool | int = True,
    alpha: float = 1.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Solve triangular systems: ``A · X = alpha · B``, or ``X · A = alpha · B``."""
