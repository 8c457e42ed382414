"""Shapes and gradients shared by all products of matrices."""

from collections.abc import Callable
from typing import Any, NamedTuple

from gluonic.graph.errors import InferenceError
from gluonic.graph.view import PartialShape, unify, written

Multiply = Callable[..., Any]


def turned(shape: PartialShape, transposed: bool) -> PartialShape:
    """Swap the last two axes if `transposed`."""
    return (*shape[:-2], shape[-1], shape[-2]) if transposed else shape


class Factors(NamedTuple):
    """Shapes of a batch of products."""

    lhs: PartialShape
    rhs: PartialShape
    output: PartialShape


def product_shapes(
    shapes: Factors, transpose_a: bool, transpose_b: bool, least_rank: int, title: str
) -> Factors:
    """Infer the shapes of products of the matrices in the last two axes from each other.

    Parameters
    ----------
    shapes : the known shapes; an output without axes is unknown
    transpose_a, transpose_b : whether the factors are transposed first
    least_rank : the minimum rank of the factors
    title : the node, for messages
    """
    left, right, output = shapes
    rank = len(left)
    if rank < least_rank or rank != len(right):
        raise InferenceError(
            f"{title}: {written(left)} and {written(right)} must have the same number of axes,"
            f" at least {least_rank}"
        )
    lhs, rhs = turned(left, transpose_a), turned(right, transpose_b)
    output = output or (None,) * rank
    try:
        batch = unify(unify(lhs[:-2], rhs[:-2], ""), output[:-2], "")
        inner = unify(lhs[-1:], rhs[-2:-1], "")
        result = unify((*batch, lhs[-2], rhs[-1]), output, "")
    except InferenceError:
        raise InferenceError(
            f"{title}: cannot multiply {written(left)}{' transposed' * transpose_a} by"
            f" {written(right)}{' transposed' * transpose_b}"
            f"{f' to get {written(output)}' if any(output) else ''}"
        ) from None
    return Factors(
        turned((*batch, result[-2], *inner), transpose_a),
        turned((*batch, *inner, result[-1]), transpose_b),
        result,
    )


def lhs_gradient(multiply: Multiply, g: Any, rhs: Any, transpose_a: bool, transpose_b: bool) -> Any:
    """The gradient of the first factor of a product: another product."""
    if transpose_a:
        return multiply(rhs, g, transpose_a=transpose_b, transpose_b=True)
    return multiply(g, rhs, transpose_b=not transpose_b)


def rhs_gradient(multiply: Multiply, g: Any, lhs: Any, transpose_a: bool, transpose_b: bool) -> Any:
    """The gradient of the second factor of a product: another product."""
    if transpose_b:
        return multiply(g, lhs, transpose_a=True, transpose_b=transpose_a)
    return multiply(lhs, g, transpose_a=not transpose_a)
