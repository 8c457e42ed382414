"""Matrix products of attention heads, interleaved in memory: a row's stride is the width of all heads together.

A *matrix layout* states how matrices lie in an array: ``()``, contiguous, as (count, rows, columns);
``(parts, part)``, by head, as (batch, rows, heads, parts · columns), where every head takes the same part. The
number of matrices is then batch · heads.
"""

from typing import Any

import numpy as np

from gluonic.codegen.loops.inner_operators import inner_operator
from gluonic.codegen.lowerings.entry import lower
from gluonic.graph import Array
from gluonic.graph.attributes import Shape
from gluonic.graph.attributes import Shape as Numbers
from gluonic.graph.rules import like
from gluonic.graph.view import NodeView

MatrixLayout = tuple[int, ...]

WHOLE: MatrixLayout = ()
BY_HEAD: MatrixLayout = (1, 0)


def matrix_shape(shape: Shape, layout: MatrixLayout) -> Shape:
    """The shape (count, rows, columns) of the matrices in an array."""
    if not layout:
        return shape
    batch, rows, heads, width = shape
    return (batch * heads, rows, width // layout[0])


def _matrices(array: Array, layout: MatrixLayout) -> Array:
    if not layout:
        return array
    parts, part = layout
    width = array.shape[-1] // parts
    by_head = array[..., part * width : (part + 1) * width].swapaxes(1, 2)
    return by_head.reshape(matrix_shape(array.shape, layout))


@inner_operator("_heads_dot", dtype=like("lhs"))
def heads_dot(
    lhs: Array,
    rhs: Array,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    left: Numbers = WHOLE,
    right: Numbers = WHOLE,
    by_head: bool = False,
) -> Any:
    """Multiply matrices pairwise.

    Parameters
    ----------
    lhs, rhs : arrays with the same number of matrices; at least one has them by head
    transpose_a, transpose_b : transpose the matrices first
    left, right : the layouts of `lhs` and `rhs`
    by_head : whether the result has its matrices by head, with as many heads as the first such input
    """
    a, b = _matrices(lhs, left), _matrices(rhs, right)
    found = np.matmul(
        a.swapaxes(1, 2) if transpose_a else a, b.swapaxes(1, 2) if transpose_b else b
    )
    if not by_head:
        return found
    batch, _, heads, _ = (lhs if left else rhs).shape
    return found.reshape(batch, heads, *found.shape[1:]).swapaxes(1, 2)


@heads_dot.infer_shape
def _(n: NodeView) -> None:
    (count, *a), (_, *b) = matrix_shape(n.lhs, n.left), matrix_shape(n.rhs, n.right)
    rows, columns = a[1 if n.transpose_a else 0], b[0 if n.transpose_b else 1]
    if n.by_head:
        batch, _, heads, _ = n.lhs if n.left else n.rhs
        n.output = (batch, rows, heads, columns)
    else:
        n.output = (count, rows, columns)


lower(heads_dot, product="matmul.product:heads_dot", float16="upcast")
