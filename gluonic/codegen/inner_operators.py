"""Operators that only rewritten graphs have; users never see them."""

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from gluonic.graph.attributes import Axes
from gluonic.graph.families import reduced_axes, reduction_shape
from gluonic.graph.node import Entry, Node
from gluonic.graph.operator import Array, Operator
from gluonic.graph.rules import like
from gluonic.graph.view import NodeView


def apply(op: Operator, *inputs: Entry, **attributes: Any) -> Entry:
    """The result of an operator that is in no registry."""
    return Node(op.apply(attributes), op.name.strip("_"), inputs).entry()


def _inner(name: str, **options: Any) -> Callable[[Callable[..., Any]], Operator]:
    def make(kernel: Callable[..., Any]) -> Operator:
        return Operator(name, kernel, **options)

    return make


@_inner("_overwrite", shape=like("state"), dtype=like("state"))
def overwrite(state: Array, value: Array) -> Any:
    """The value, in the memory of the variable `state`."""
    return value


@_inner("_average", shape=reduction_shape, dtype=like("data"))
def average(
    data: Array, *, axis: Axes = None, keepdims: bool = False, exclude: bool = False
) -> Any:
    """The mean over axes; of no elements it is 0."""
    axes = reduced_axes(axis, data.ndim, exclude)
    count = max(1, prod(data.shape[a] for a in axes))
    return data.sum(axis=axes, keepdims=keepdims) / count


@_inner("_piece", dtype=like("data"))
def piece(data: Array, *, axis: int, index: int, count: int) -> Any:
    """One of equal pieces along an axis."""
    return np.split(data, count, axis)[index]


@piece.infer_shape
def _(n: NodeView) -> None:
    shape = list(n.data)
    shape[n.axis] //= n.count
    n.output = tuple(shape)


@_inner("_concat_piece", count="num_args", dtype=like("grad"))
def concat_piece(grad: Array, *arg: Array, num_args: int, dim: int, index: int) -> Any:
    """The piece of `grad` that lies where one of several arrays lay in their concatenation."""
    ends = np.cumsum([part.shape[dim] for part in arg])
    return np.split(grad, ends[:-1], axis=dim)[index]


@concat_piece.infer_shape
def _(n: NodeView) -> None:
    n.output = n.arg[n.index]
