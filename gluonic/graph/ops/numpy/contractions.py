"""Products of arrays summed over axes: each is a cycle of three bilinear operators.

For a product P(a, b) there are A(grad, a, b), the gradient of `a`, and B(grad, a, b), that of `b`. A reads only
the shape of `a`, and B that of `b`. The gradients of each of the three are the other two.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gluonic.graph.attributes import Shape
from gluonic.graph.axes import axes_of
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import REGISTRY, Array, Operator, operator
from gluonic.graph.ops.companions import companion
from gluonic.graph.ops.layer_rules import floating, wide
from gluonic.graph.rules import broadcast_shapes
from gluonic.graph.view import PartialShape, settings_of, title_of, unify, written

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
Letters = Callable[[dict[str, Any], int, int], tuple[str, str, str]]
"""From attributes and ranks, a letter for each axis of both factors and of the product."""


def _contracted(
    rank_a: int, rank_b: int, axes_a: Sequence[int], axes_b: Sequence[int]
) -> tuple[str, str, str]:
    """Letters of a product summed over pairs of axes."""
    a, b = list(_LETTERS[:rank_a]), list(_LETTERS[rank_a : rank_a + rank_b])
    for one, other in zip(axes_a, axes_b, strict=True):
        b[other] = a[one]
    left = [letter for letter in a if letter not in b] + [letter for letter in b if letter not in a]
    return "".join(a), "".join(b), "".join(left)


def dot_letters(settings: dict[str, Any], rank_a: int, rank_b: int) -> tuple[str, str, str]:
    """The last axis of `a` against the second to last of `b`, or its only one."""
    if 0 in (rank_a, rank_b):
        return _contracted(rank_a, rank_b, (), ())
    return _contracted(rank_a, rank_b, (rank_a - 1,), (max(rank_b - 2, 0),))


def matmul_letters(settings: dict[str, Any], rank_a: int, rank_b: int) -> tuple[str, str, str]:
    """Matrices in the last two axes; the batch axes before are aligned at the right."""
    if 0 in (rank_a, rank_b):
        raise InferenceError("matmul: both factors need an axis")
    summed, row, column = "xyz"
    batch = "abcdefghijklmnopqrstuvw"
    a = batch[: max(rank_a - 2, 0)][::-1] + ("" if rank_a == 1 else row) + summed
    b = batch[: max(rank_b - 2, 0)][::-1] + summed + ("" if rank_b == 1 else column)
    longest = max(a, b, key=len)[: max(rank_a, rank_b, 2) - 2]
    out = longest + ("" if rank_a == 1 else row) + ("" if rank_b == 1 else column)
    return a, b, out


def tensordot_letters(settings: dict[str, Any], rank_a: int, rank_b: int) -> tuple[str, str, str]:
    """The pairs of axes in the attributes."""
    first = axes_of(settings["a_axes_summed"], rank_a, "tensordot: a_axes_summed")
    second = axes_of(settings["b_axes_summed"], rank_b, "tensordot: b_axes_summed")
    if len(first) != len(second):
        raise InferenceError(f"tensordot: axes {first} and {second} must be equally many")
    return _contracted(rank_a, rank_b, first, second)


def inner_axes_letters(settings: dict[str, Any], rank_a: int, rank_b: int) -> tuple[str, str, str]:
    """The last axes of `a` against the first of `b`."""
    count = settings["axes"]
    if not 0 <= count <= min(rank_a, rank_b):
        raise InferenceError(f"tensordot: axes={count} must be at most {min(rank_a, rank_b)}")
    return _contracted(rank_a, rank_b, range(rank_a - count, rank_a), range(count))


def product_shape(
    letters: tuple[str, str, str], a: PartialShape, b: PartialShape, title: str
) -> PartialShape:
    """The shape of a product; batch axes of length one are broadcast."""
    extents: dict[str, Any] = {}
    for text, shape in zip(letters, (a, b), strict=False):
        for letter, extent in zip(text, shape, strict=True):
            if letter not in extents:
                extents[letter] = extent
            elif letter in letters[2]:
                (extents[letter],) = broadcast_shapes((extents[letter],), (extent,), title)
            else:
                try:
                    (extents[letter],) = unify((extents[letter],), (extent,), "")
                except InferenceError:
                    raise InferenceError(
                        f"{title}: shapes {written(a)} and {written(b)} do not match:"
                        f" axes of {extents[letter]} and {extent} are summed over together"
                    ) from None
    return tuple(extents[letter] for letter in letters[2])


def _with_equal_sums(
    letters: tuple[str, str, str], a: PartialShape, b: PartialShape
) -> list[PartialShape]:
    """The shapes of the factors, where axes that are summed over together have the same extent."""
    pairs = [*zip(letters[0], a, strict=True), *zip(letters[1], b, strict=True)]
    summed = {letter: n for letter, n in pairs if n is not None and letter not in letters[2]}
    return [
        tuple(summed.get(letter, n) for letter, n in zip(text, shape, strict=True))
        for text, shape in zip(letters, (a, b), strict=False)
    ]


def summed_to(array: Array, shape: tuple[int, ...]) -> Array:
    """An array summed over the axes along which one of the given shape was broadcast."""
    axes = tuple(i for i, n in enumerate(shape) if n == 1 and array.shape[i] != 1)
    return array.sum(axis=axes, keepdims=True) if axes else array


def _towards(which: int, letters: Letters) -> Callable[..., Array]:
    """The kernel of the gradient of the first factor (0) or the second (1)."""

    def kernel(grad: Array, a: Array, b: Array, **settings: Any) -> Array:
        texts = letters(settings, a.ndim, b.ndim)
        target, other = (a, b) if which == 0 else (b, a)
        own, others = texts[which], texts[1 - which]
        found = np.einsum(f"{texts[2]},{others}->{own}", wide(grad), wide(other), optimize=True)
        return summed_to(found, target.shape)

    return kernel


def _declare(op: Operator, letters: Letters) -> None:
    """Declare the shape and dtype rules, and register the gradient operators."""

    def shape(n: Any) -> None:
        texts = letters(settings_of(n), len(n.a), len(n.b))
        n.output = product_shape(texts, n.a, n.b, title_of(n))
        n.a, n.b = _with_equal_sums(texts, n.a, n.b)

    op.infer_shape(shape)
    op.infer_dtype(floating())
    toward_a, toward_b = (
        companion(
            op,
            f"_backward{op.name}_{target}",
            ("grad", "a", "b"),
            _towards(which, letters),
            output_like=target,
            documentation=f"The gradient of {target} through {op.name}.",
        )
        for which, target in enumerate("ab")
    )

    def call(made: Operator) -> Callable[..., Any]:
        return lambda F, n, *values: getattr(F, made.name)(*values, **settings_of(n))

    forward, to_a, to_b = call(op), call(toward_a), call(toward_b)
    op.gradient(
        a=lambda F, n, g: to_a(F, n, g, n.a, n.b), b=lambda F, n, g: to_b(F, n, g, n.a, n.b)
    )
    toward_a.gradient(
        grad=lambda F, n, g: forward(F, n, g, n.b), b=lambda F, n, g: to_b(F, n, n.grad, g, n.b)
    )
    toward_b.gradient(
        grad=lambda F, n, g: forward(F, n, n.a, g), a=lambda F, n, g: to_a(F, n, n.grad, n.a, g)
    )


def _as_dot(n: Any, shapes: Sequence[tuple[int, ...]]) -> dict[str, Any] | None:
    """The attributes of `dot`, for the product of an array and a matrix or vector."""
    a, b = map(len, shapes)
    return {} if (a >= 2 and b in (1, 2)) or (a == 1 and b == 2) else None


@operator("_np_dot", base=REGISTRY["dot"], as_base=_as_dot)
def dot(a: Array, b: Array) -> Any:
    """Multiply arrays along one axis of each: the last of `a`, the second to last or only one of `b`.

    Parameters
    ----------
    a, b : floating arrays; one without axes is a factor of all elements

    Returns
    -------
    output : with the remaining axes of `a`, then those of `b`
    """
    return np.dot(wide(a), wide(b))


def _as_matrices(n: Any, shapes: Sequence[tuple[int, ...]]) -> dict[str, Any] | None:
    return _as_dot(n, shapes)


@operator("_npi_matmul", base=REGISTRY["dot"], as_base=_as_matrices)
def matmul(a: Array, b: Array) -> Any:
    """Multiply matrices in the last two axes; the batch axes before are broadcast.

    Parameters
    ----------
    a, b : floating arrays of at least one axis; a vector is a row on the left, a column on the right
    """
    return np.matmul(wide(a), wide(b))


@operator("_npi_tensordot")
def tensordot(a: Array, b: Array, *, a_axes_summed: Shape, b_axes_summed: Shape) -> Any:
    """Multiply arrays, summing over pairs of axes.

    Parameters
    ----------
    a, b : floating arrays
    a_axes_summed, b_axes_summed : the axes of each that are summed over, in pairs
    """
    return np.tensordot(wide(a), wide(b), (a_axes_summed, b_axes_summed))


@operator("_npi_tensordot_int_axes")
def tensordot_int_axes(a: Array, b: Array, *, axes: int) -> Any:
    """Multiply arrays, summing over the last `axes` axes of `a` and the first `axes` of `b`."""
    return np.tensordot(wide(a), wide(b), axes)


_declare(dot, dot_letters)
_declare(matmul, matmul_letters)
_declare(tensordot, tensordot_letters)
_declare(tensordot_int_axes, inner_axes_letters)
