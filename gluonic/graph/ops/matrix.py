"""Products of matrices, and of arrays viewed as matrices."""

from math import prod
from typing import Any, Literal

import numpy as np

from gluonic.graph.axes import Extent, product, require_rank
from gluonic.graph.errors import InferenceError
from gluonic.graph.matrices import Factors, lhs_gradient, product_shapes, rhs_gradient
from gluonic.graph.operator import Array, operator
from gluonic.graph.ops.layer_rules import floating, wide
from gluonic.graph.view import (
    NodeView,
    PartialShape,
    Unknown,
    peek,
    put,
    slots_of,
    title_of,
    unify,
    written,
)

Storage = Literal["csr", "default", "row_sparse"] | None


def _as_matrix(array: Array, contracted: int) -> Array:
    """View an array as a matrix: the axis `contracted`, first or last, and all others collapsed."""
    if array.ndim == 2:
        return wide(array)
    length, others = array.shape[contracted], _free_size(array, contracted)
    return wide(array).reshape((length, others) if contracted == 0 else (others, length))


def _free_size(array: Array, contracted: int) -> int:
    return prod(array.shape[1:] if contracted == 0 else array.shape[:-1])


def _contracted(transpose_a: bool, transpose_b: bool) -> tuple[int, int]:
    """The axis of each operand that `dot` sums over."""
    return (0 if transpose_a else -1, -1 if transpose_b else 0)


@operator("dot")
def dot(
    lhs: Array,
    rhs: Array,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    forward_stype: Storage = None,
) -> Any:
    """Multiply two matrices, or vectors, or arrays along one axis of each.

    The last axis of `lhs` is summed against the first axis of `rhs`; the result has the remaining
    axes of `lhs`, then those of `rhs`. Two vectors give their inner product, of shape (1,).

    Parameters
    ----------
    lhs, rhs : floating arrays of at least one axis
    transpose_a : sum over the first axis of `lhs` instead
    transpose_b : sum over the last axis of `rhs` instead
    forward_stype : accepted for compatibility; the result is dense
    """
    left, right = _contracted(transpose_a, transpose_b)
    a, b = _as_matrix(lhs, left), _as_matrix(rhs, right)
    result = (a.T if transpose_a else a) @ (b.T if transpose_b else b)
    if lhs.ndim == rhs.ndim == 2:
        return result
    return result.reshape(_free(lhs.shape, left) + _free(rhs.shape, right))


def _dot_shapes(n: NodeView) -> None:
    """Unify the contracted axes and join the others, which a known result determines too."""
    lhs, rhs = n.lhs, n.rhs
    if not lhs or not rhs:
        raise InferenceError(f"{title_of(n)}: needs at least one axis in each operand")
    if len(lhs) == len(rhs) == 1 and (n.transpose_a or n.transpose_b):
        raise InferenceError(f"{title_of(n)}: vectors cannot be transposed")
    left, right = _contracted(n.transpose_a, n.transpose_b)
    try:
        length: Extent = unify((lhs[left],), (rhs[right],), "")[0]
    except InferenceError:
        raise InferenceError(
            f"{title_of(n)}: axis {left} of {written(lhs)} and axis {right} of {written(rhs)}"
            f" are summed over together but differ in length"
        ) from None
    free_left, free_right = _free(lhs, left), _free(rhs, right)
    result = (*free_left, *free_right) or (1,)
    output = peek(n, "output" if "grad" not in slots_of(n) else "grad")
    if output is not None and free_left + free_right:
        result = unify(result, output, f"{title_of(n)}: the result")
        free_left, free_right = result[: len(free_left)], result[len(free_left) :]
    n.lhs = _with_contracted(free_left, left, length)
    n.rhs = _with_contracted(free_right, right, length)
    put(n, "output" if "grad" not in slots_of(n) else "grad", result)


def _free(shape: PartialShape, contracted: int) -> PartialShape:
    return shape[1:] if contracted == 0 else shape[:-1]


def _with_contracted(free: PartialShape, contracted: int, length: Extent) -> PartialShape:
    return (length, *free) if contracted == 0 else (*free, length)


dot.infer_shape(_dot_shapes)
dot.infer_dtype(floating())


def _settings(n: NodeView) -> dict[str, bool]:
    return {"transpose_a": n.transpose_a, "transpose_b": n.transpose_b}


dot.gradient(
    lhs=lambda F, n, g: F._backward_dot_lhs(g, n.lhs, n.rhs, **_settings(n)),
    rhs=lambda F, n, g: F._backward_dot_rhs(g, n.lhs, n.rhs, **_settings(n)),
)


@operator("_backward_dot_lhs")
def dot_lhs(
    grad: Array, lhs: Array, rhs: Array, *, transpose_a: bool = False, transpose_b: bool = False
) -> Any:
    """The gradient of `dot` with respect to `lhs`, of which only the shape matters.

    For matrices it is ``grad · rhsᵀ``, or ``rhs · gradᵀ`` with `transpose_a`; `transpose_b`
    transposes `rhs` in these.
    """
    left, right = _contracted(transpose_a, transpose_b)
    b = _as_matrix(rhs, right)
    b = b.T if transpose_b else b
    g = wide(grad).reshape(_free_size(lhs, left), b.shape[1])
    return b @ g.T if transpose_a else g @ b.T


@operator("_backward_dot_rhs")
def dot_rhs(
    grad: Array, lhs: Array, rhs: Array, *, transpose_a: bool = False, transpose_b: bool = False
) -> Any:
    """The gradient of `dot` with respect to `rhs`, of which only the shape matters.

    For matrices it is ``lhsᵀ · grad``, or ``gradᵀ · lhs`` with `transpose_b`; `transpose_a`
    transposes `lhs` in these.
    """
    left, right = _contracted(transpose_a, transpose_b)
    a = _as_matrix(lhs, left)
    a = a.T if transpose_a else a
    g = wide(grad).reshape(a.shape[0], _free_size(rhs, right))
    return g.T @ a if transpose_b else a.T @ g


def _backward_shapes(target: str) -> Any:
    def rule(n: NodeView) -> None:
        _dot_shapes(n)
        n.output = getattr(n, target)

    return rule


dot_lhs.infer_shape(_backward_shapes("lhs"))
dot_rhs.infer_shape(_backward_shapes("rhs"))

dot_lhs.gradient(
    grad=lambda F, n, g: F.dot(g, n.rhs, **_settings(n)),
    rhs=lambda F, n, g: F._backward_dot_rhs(n.grad, g, n.rhs, **_settings(n)),
)
dot_rhs.gradient(
    grad=lambda F, n, g: F.dot(n.lhs, g, **_settings(n)),
    lhs=lambda F, n, g: F._backward_dot_lhs(n.grad, n.lhs, g, **_settings(n)),
)


@operator("batch_dot", "_npx_batch_dot")
def batch_dot(
    lhs: Array,
    rhs: Array,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    forward_stype: Storage = None,
) -> Any:
    """Multiply matrices pairwise: the last two axes are matrices, all others are batch axes.

    Parameters
    ----------
    lhs, rhs : floating arrays of the same number of axes, at least three; all but two are equal
    transpose_a, transpose_b : transpose the matrices of `lhs` or of `rhs` first
    forward_stype : accepted for compatibility; the result is dense
    """
    a, b = wide(lhs), wide(rhs)
    return np.matmul(
        a.swapaxes(-1, -2) if transpose_a else a, b.swapaxes(-1, -2) if transpose_b else b
    )


@batch_dot.infer_shape
def _(n: NodeView) -> None:
    if None in n.lhs[1:] or None in n.rhs[1:]:  # as in MXNet: only the batch may be unknown
        raise Unknown
    shapes = Factors(n.lhs, n.rhs, peek(n, "output") or ())
    n.lhs, n.rhs, n.output = product_shapes(shapes, n.transpose_a, n.transpose_b, 3, title_of(n))


batch_dot.infer_dtype(floating())


batch_dot.gradient(
    lhs=lambda F, n, g: lhs_gradient(F.batch_dot, g, n.rhs, n.transpose_a, n.transpose_b),
    rhs=lambda F, n, g: rhs_gradient(F.batch_dot, g, n.lhs, n.transpose_a, n.transpose_b),
)


@operator("khatri_rao", count="num_args")
def khatri_rao(*arg: Array, num_args: int) -> Any:
    """Multiply matrices column by column: column j is the Kronecker product of their columns j.

    Parameters
    ----------
    arg : matrices with the same number of columns, (rows_i, columns)
    num_args : number of inputs
    """
    result = arg[0]
    for matrix in arg[1:]:
        result = (result[:, None, :] * matrix[None, :, :]).reshape(-1, matrix.shape[1])
    return result.view()


@khatri_rao.infer_shape
def _(n: NodeView) -> None:
    shapes = [(None, None) if shape is None else shape for shape in n.arg]
    columns: PartialShape = (None,)
    for shape in shapes:
        require_rank(shape, (2,), f"{title_of(n)}: an input")
        columns = unify(columns, shape[1:], f"{title_of(n)}: the number of columns")
    n.arg = [(shape[0], *columns) for shape in shapes]
    n.output = (product(shape[0] for shape in shapes), *columns)
