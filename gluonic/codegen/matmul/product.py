"""Operators that are matrix products, and their dimensions."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any

from gluonic.codegen.lowerings.entry import lowering_at, rule_at
from gluonic.codegen.matmul.attention_heads import BY_HEAD, WHOLE, MatrixLayout, matrix_shape
from gluonic.graph import Entry, Node
from gluonic.graph.attributes import Shape
from gluonic.support.record import record


@record
class Product:
    """``output = a · b (+ bias along each row)``, `batch` times, over contiguous arrays.

    Attributes
    ----------
    a, b : the indices of the factors among the node's inputs
    bias : the index of the bias, None if there is none
    packed : the index of the packed right factor, None if there is none
    transposed_a, transposed_b : whether the factor is transposed in memory
    batch, rows, columns, inner : the extents
    layouts : the layouts of the matrices in the factors and the output
    heads : number of heads of the arrays that have their matrices by head
    """

    a: int
    b: int
    bias: int | None
    transposed_a: bool
    transposed_b: bool
    batch: int
    rows: int
    columns: int
    inner: int
    packed: int | None = None
    layouts: tuple[MatrixLayout, MatrixLayout, MatrixLayout] = (WHOLE, WHOLE, WHOLE)
    heads: tuple[int, ...] = ()


def product_of(node: Node, shapes: Mapping[Entry, Shape]) -> Product | None:
    """The operator as a matrix product; None if it is none."""
    rule = lowering_at(node).product
    if rule is None:
        return None
    found: Product = rule_at(rule)(node.applied.settings, [shapes[e] for e in node.inputs])
    return found


def dense(settings: Mapping[str, Any], shapes: Sequence[Shape]) -> Product:
    """The product of a dense layer."""
    columns, inner = shapes[1]
    rows = shapes[0][0] if settings["flatten"] else prod(shapes[0][:-1])
    bias = 2 if len(shapes) > 2 else None
    return Product(0, 1, bias, False, True, 1, rows, columns, inner)


def extended(settings: Mapping[str, Any], shapes: Sequence[Shape]) -> Product:
    """The product of a dense layer with fused operators."""
    product = dense(settings, shapes[: 2 + (not settings["no_bias"])])
    return replace(product, packed=len(shapes) - 1 if settings["is_packed"] else None)


def dot(settings: Mapping[str, Any], shapes: Sequence[Shape]) -> Product:
    """The product of arrays reshaped to matrices."""
    return _matrices(settings, 0, shapes[0], 1, shapes[1])


def _matrices(settings: Mapping[str, Any], a: int, left: Shape, b: int, right: Shape) -> Product:
    """The product of arrays reshaped to matrices, as by `dot`."""
    ta, tb = settings["transpose_a"], settings["transpose_b"]
    inner = left[0] if ta else left[-1]
    rows = prod(left[1:] if ta else left[:-1])
    columns = prod(right[:-1] if tb else right[1:])
    return Product(a, b, None, ta, tb, 1, rows, columns, inner)


def dot_lhs(settings: Mapping[str, Any], shapes: Sequence[Shape]) -> Product:
    """The gradient of `dot` with respect to its first factor: ``g · rhsᵀ``, or its transpose."""
    whole = _matrices(settings, 1, shapes[1], 2, shapes[2])
    rows, columns, inner = whole.rows, whole.columns, whole.inner
    tb = settings["transpose_b"]
    if settings["transpose_a"]:  # rhs · gradᵀ, of shape (inner, rows)
        return Product(2, 0, None, tb, True, 1, inner, rows, columns)
    return Product(0, 2, None, False, not tb, 1, rows, inner, columns)


def dot_rhs(settings: Mapping[str, Any], shapes: Sequence[Shape]) -> Product:
    """The gradient of `dot` with respect to its second factor: ``lhsᵀ · g``, or its transpose."""
    whole = _matrices(settings, 1, shapes[1], 2, shapes[2])
    rows, columns, inner = whole.rows, whole.columns, whole.inner
    ta = settings["transpose_a"]
    if settings["transpose_b"]:  # gradᵀ · lhs, of shape (columns, inner)
        return Product(0, 1, None, True, ta, 1, columns, inner, rows)
    return Product(1, 0, None, not ta, False, 1, inner, columns, rows)


def batch_dot(settings: Mapping[str, Any], shapes: Sequence[Shape]) -> Product:
    """The products of many matrices."""
    ta, tb = settings["transpose_a"], settings["transpose_b"]
    rows, inner = shapes[0][-2:][::-1] if ta else shapes[0][-2:]
    columns = shapes[1][-2] if tb else shapes[1][-1]
    return Product(0, 1, None, ta, tb, prod(shapes[0][:-2]), rows, columns, inner)


def heads_dot(settings: Mapping[str, Any], shapes: Sequence[Shape]) -> Product:
    """The products of attention heads."""
    layouts = settings["left"], settings["right"]
    matrices = [matrix_shape(s, layout) for s, layout in zip(shapes, layouts, strict=True)]
    heads = [shape[2] for shape, layout in zip(shapes, layouts, strict=True) if layout]
    if settings["by_head"]:
        heads.append(heads[0])
    output = BY_HEAD if settings["by_head"] else WHOLE
    return replace(batch_dot(settings, matrices), layouts=(*layouts, output), heads=tuple(heads))
