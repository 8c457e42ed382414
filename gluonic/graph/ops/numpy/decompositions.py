"""NumPy's linear algebra: factorizations, inverses and solutions; results of one matrix may have no axes."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from gluonic.graph.attributes import Shape
from gluonic.graph.derivation import FLOAT32, derived
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, operator
from gluonic.graph.ops.linalg import single_or_double, square
from gluonic.graph.rules import like
from gluonic.graph.view import NodeView, PartialShape, put, slots_of, title_of


def _determinants(n: NodeView) -> None:
    n.A = square(n.A, f"{title_of(n)}: A")
    for name in list(slots_of(n))[1:]:
        put(n, name, n.A[:-2])


derived("_npi_det", "_linalg_det", shape=_determinants)
derived("_npi_slogdet", "_linalg_slogdet", shape=_determinants)
derived("_npi_cholesky", "_linalg_potrf")

Triangle = Literal["L", "U"]


def _factored(n: NodeView) -> None:
    """The dtype rule of factorizations: integers are factored in float32."""
    if n.A.kind not in "iu":
        single_or_double(n)
        return
    for name in list(slots_of(n))[1:]:
        put(n, name, FLOAT32)


def _real(A: Array) -> Array:
    return A.astype(np.float32) if A.dtype.kind in "iu" else A


def _values(n: NodeView) -> None:
    n.A = square(n.A, f"{title_of(n)}: A")
    n.output = n.A[:-1]


def _values_and_vectors(n: NodeView) -> None:
    n.A = square(n.A, f"{title_of(n)}: A")
    n.output0, n.output1 = n.A[:-1], n.A


@operator("_npi_eigvals", shape=_values, dtype=_factored)
def eigvals(A: Array) -> Any:
    """The real parts of the eigenvalues of square matrices."""
    return np.linalg.eigvals(_real(A)).real


@operator("_npi_eigvalsh", shape=_values, dtype=_factored)
def eigvalsh(A: Array, *, UPLO: Triangle = "L") -> Any:
    """The eigenvalues of symmetric matrices, of which one triangle is read, in ascending order."""
    return np.linalg.eigvalsh(_real(A), UPLO)


@operator("_npi_eig", outputs=("output0", "output1"), shape=_values_and_vectors, dtype=_factored)
def eig(A: Array) -> tuple[Array, Array]:
    """The real parts of the eigenvalues and of the eigenvectors (columns) of square matrices."""
    values, vectors = np.linalg.eig(_real(A))
    return values.real, vectors.real


@operator("_npi_eigh", outputs=("output0", "output1"), shape=_values_and_vectors, dtype=_factored)
def eigh(A: Array, *, UPLO: Triangle = "L") -> tuple[Array, Array]:
    """The eigenvalues, in ascending order, and the eigenvectors (columns) of symmetric matrices."""
    values, vectors = np.linalg.eigh(_real(A), UPLO)
    return values, vectors


def _pseudo_inverse_shape(n: NodeView) -> None:
    shape: PartialShape = n.A
    if len(shape) < 2:
        raise InferenceError(f"{title_of(n)}: A must be matrices")
    n.output = (*shape[:-2], shape[-1], shape[-2])


@operator("_npi_pinv_scalar_rcond", shape=_pseudo_inverse_shape, dtype=single_or_double)
def pinv_with_number(A: Array, *, rcond: float = 1e-15, hermitian: bool = False) -> Any:
    """The pseudo-inverses of matrices; singular values up to `rcond` times the largest count as 0."""
    return np.linalg.pinv(A, rcond, hermitian)


@operator("_npi_pinv", shape=_pseudo_inverse_shape, dtype=single_or_double)
def pinv(A: Array, rcond: Array, *, hermitian: bool = False) -> Any:
    """The pseudo-inverses of matrices; see `_npi_pinv_scalar_rcond`."""
    return np.linalg.pinv(A, rcond, hermitian)


for _op in (eigvals, eigvalsh, eig, eigh, pinv, pinv_with_number):
    _op.gradient()  # no gradient, as in MXNet


@operator("_npi_svd", outputs=("output0", "output1", "output2"), dtype=single_or_double)
def svd(A: Array) -> tuple[Array, Array, Array]:
    """The singular value decomposition, ``output0 · diag(output1) · output2`` with orthonormal vectors."""
    left, values, right = np.linalg.svd(A, full_matrices=False)
    return left, values, right


@svd.infer_shape
def _(n: NodeView) -> None:
    shape: PartialShape = n.A
    if len(shape) < 2:
        raise InferenceError(f"{title_of(n)}: A must be matrices")
    *batch, rows, columns = shape
    if rows is None or columns is None:
        return
    if rows > columns:
        raise InferenceError(
            f"{title_of(n)}: matrices have {rows} rows, more than their {columns} columns"
        )
    n.output0, n.output1 = (*batch, rows, rows), (*batch, rows)
    n.output2 = (*batch, rows, columns)


def _turn(F: Any, matrices: Any) -> Any:
    return F.SwapAxis(matrices, dim1=-1, dim2=-2)


@svd.all_gradients
def _(F: Any, n: NodeView, heads: Sequence[Any]) -> dict[str, Any]:
    given = [
        F.zeros_like(x) if h is None else h
        for h, x in zip(heads, (n.output0, n.output1, n.output2), strict=True)
    ]
    return {"A": F._backward_npi_svd(*given, n.output0, n.output1, n.output2)}


@operator("_backward_npi_svd", dtype=like("right", "output"))
def svd_back(
    grad_left: Array,
    grad_values: Array,
    grad_right: Array,
    left: Array,
    values: Array,
    right: Array,
) -> Any:
    """The gradient through `_npi_svd`, for distinct singular values (Walter and Lehmann, 2018)."""

    def turn(matrices: Array) -> Array:
        return matrices.swapaxes(-1, -2)

    squares = values * values
    gaps = squares[..., None, :] - squares[..., :, None]
    np.einsum("...ii->...i", gaps)[...] = np.inf
    scale = values[..., None, :]
    leftwards, rightwards = turn(left) @ grad_left, right @ turn(grad_right)
    middle = (leftwards - turn(leftwards)) / gaps * scale
    middle += turn(scale) * (rightwards - turn(rightwards)) / gaps
    np.einsum("...ii->...i", middle)[...] += grad_values
    over = grad_right / turn(scale)
    return left @ (middle @ right + over - (over @ turn(right)) @ right)


@svd_back.infer_shape
def _(n: NodeView) -> None:
    n.output = n.right


def _solution_shape(n: NodeView) -> None:
    n.A = square(n.A, f"{title_of(n)}: A")
    n.output = n.B
    n.B = n.output


@operator("_npi_solve", shape=_solution_shape, dtype=single_or_double)
def solve(A: Array, B: Array) -> Any:
    """Solve ``A · output = B``.

    Parameters
    ----------
    A : square matrices
    B : matrices, or vectors with one axis less than `A`
    """
    if B.ndim == A.ndim - 1:
        return np.linalg.solve(A, B[..., None])[..., 0]
    return np.linalg.solve(A, B)


@operator("_backward_npi_solve_A", shape=like("A"), dtype=single_or_double)
def solve_back(solved: Array, A: Array, solution: Array) -> Any:
    """The gradient of the matrices through `_npi_solve`, from that of the right-hand sides."""
    if solved.ndim == A.ndim - 1:
        return -(solved[..., :, None] * solution[..., None, :])
    return -(solved @ solution.swapaxes(-1, -2))


def _solved_back(F: Any, n: NodeView, g: Any) -> Any:
    return F._npi_solve(_turn(F, n.A), g)


solve.gradient(
    A=lambda F, n, g: F._backward_npi_solve_A(_solved_back(F, n, g), n.A, n.output),
    B=_solved_back,
)


@operator("_npi_tensorinv", dtype=single_or_double)
def tensorinv(a: Array, *, ind: int = 2) -> Any:
    """The inverse of the linear map that contracts the axes after the first `ind`."""
    return np.linalg.tensorinv(a, ind)


@tensorinv.infer_shape
def _(n: Any) -> None:
    if not n.ind > 0:
        raise InferenceError(f"{title_of(n)}: ind={n.ind} must be positive")
    n.output = (*n.a[n.ind :], *n.a[: n.ind])


tensorinv.gradient(a=lambda F, n, g: F._backward_npi_tensorinv(g, n.output, n.a, ind=n.ind))


@operator("_backward_npi_tensorinv", shape=like("a"), dtype=single_or_double)
def tensorinv_back(grad: Array, inverse: Array, a: Array, *, ind: int = 2) -> Any:
    """The gradient through `_npi_tensorinv`."""
    side = int(np.prod(a.shape[:ind]))
    matrix, g = (x.reshape(side, side) for x in (inverse, grad))
    return -(matrix.T @ g @ matrix.T).reshape(a.shape)


def _moved(a: Array, a_axes: tuple[int, ...]) -> Array:
    """Move the axes to be summed over behind the others."""
    axes = [axis % a.ndim for axis in a_axes]
    return a.transpose([i for i in range(a.ndim) if i not in axes] + axes)


@operator("_npi_tensorsolve", dtype=single_or_double)
def tensorsolve(a: Array, b: Array, *, a_axes: Shape = ()) -> Any:
    """Solve ``tensordot(a, output) = b``, summed over the axes of `output`.

    Parameters
    ----------
    a : an array whose last axes, those of the output, have as many elements as the others
    b : the right-hand side, with the first axes of `a`
    a_axes : axes of `a` that are first moved to its end
    """
    return np.linalg.tensorsolve(a, b, a_axes or None)


def _solved_shape(n: Any) -> PartialShape:
    moved = _moved_shape(n)
    return moved[len(n.b) - len(moved) :]  # as NumPy slices, also if `b` has all axes or more


def _moved_shape(n: Any) -> PartialShape:
    axes = [axis % len(n.a) for axis in n.a_axes]
    order = [i for i in range(len(n.a)) if i not in axes] + axes
    return tuple(n.a[i] for i in order)


@tensorsolve.infer_shape
def _(n: Any) -> None:
    n.output = _solved_shape(n)


def _flat_solution(a: Array, b: Array, a_axes: tuple[int, ...]) -> Array:
    return _moved(a, a_axes).reshape(b.size, b.size)


@operator("_backward_npi_tensorsolve_b", shape=like("b"), dtype=single_or_double)
def tensorsolve_back_b(grad: Array, a: Array, b: Array, *, a_axes: Shape = ()) -> Any:
    """The gradient of the right-hand side through `_npi_tensorsolve`."""
    return np.linalg.solve(_flat_solution(a, b, a_axes).T, grad.reshape(-1)).reshape(b.shape)


@operator("_backward_npi_tensorsolve_a", shape=like("a"), dtype=single_or_double)
def tensorsolve_back_a(solved: Array, solution: Array, a: Array, *, a_axes: Shape = ()) -> Any:
    """The gradient of `a` through `_npi_tensorsolve`, from that of the right-hand side."""
    result = np.zeros_like(a)
    moved = _moved(result, a_axes)
    moved[...] = -np.outer(solved, solution).reshape(moved.shape)
    return result


tensorsolve.gradient(
    b=lambda F, n, g: F._backward_npi_tensorsolve_b(g, n.a, n.b, a_axes=n.a_axes),
    a=lambda F, n, g: F._backward_npi_tensorsolve_a(
        F._backward_npi_tensorsolve_b(g, n.a, n.b, a_axes=n.a_axes), n.output, n.a, a_axes=n.a_axes
    ),
)
