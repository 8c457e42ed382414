"""Sums over stored elements."""

from typing import Any

import numpy as np

from gluonic.graph.application import Application
from gluonic.graph.operator import Array
from gluonic.graph.storage.forms import Kinds, setting, stored
from gluonic.graph.storage.pairs import apply, take_rows
from gluonic.graph.storage.values import (
    CSR,
    DEFAULT,
    ROW_SPARSE,
    Csr,
    RowSparse,
    Value,
    dense,
    known_rows,
)


def _axis(application: Application) -> int | None:
    """The single axis of a matrix that is summed over; None if it is not a single one."""
    axis = setting(application, "axis")
    axes = axis if isinstance(axis, tuple) else (axis,)
    if len(axes) != 1 or axes[0] is None or setting(application, "exclude"):
        return None
    return int(axes[0]) % 2


def _sum_kind(application: Application, kinds: Kinds) -> str | None:
    return DEFAULT if kinds == (CSR,) and _axis(application) is not None else None


@stored("sum", "mean", gives=_sum_kind)
def _sum(application: Application, value: Csr) -> Array:
    value.sound()
    axis = _axis(application)
    index, count = (value.indices, value.shape[1]) if axis == 0 else (value.rows, value.shape[0])
    total: Array = np.bincount(index, value.data, count)
    if application.op.name == "mean":
        total = total / value.shape[axis or 0]
    shape = (1, count) if axis == 0 else (count, 1)
    result: Array = total.reshape(shape) if setting(application, "keepdims") else total
    return result


def _norm_kind(application: Application, kinds: Kinds) -> str | None:
    is_plain = setting(application, "axis") is None and setting(application, "ord") == 2
    return DEFAULT if is_plain and not setting(application, "keepdims") else None


@stored("norm", gives=_norm_kind)
def _norm(application: Application, value: Csr | RowSparse) -> Array:
    value.sound()
    return apply(application, value.data.ravel() if value.data.size else np.zeros(1, value.dtype))


def _square_sum_kind(application: Application, kinds: Kinds) -> str | None:
    if kinds != (ROW_SPARSE,) or _axis(application) is None:
        return None
    by_row = _axis(application) == 1 and setting(application, "keepdims")
    return ROW_SPARSE if by_row else DEFAULT


@stored("_square_sum", gives=_square_sum_kind)
def _square_sum(application: Application, value: Any) -> Value:
    value = value.ordered()
    squares = np.square(value.data)
    keepdims = setting(application, "keepdims")
    if _axis(application) == 0:
        return np.asarray(squares.sum(axis=0, keepdims=keepdims))
    sums = squares.sum(axis=1, keepdims=keepdims)
    shape = (value.shape[0], *sums.shape[1:])
    rows = known_rows(sums, value.indices.copy(), shape)
    return rows if keepdims else rows.dense()


@stored(
    "_backward_square_sum",
    gives=lambda application, kinds: (
        ROW_SPARSE if kinds[1] == ROW_SPARSE and _axis(application) is not None else None
    ),
)
def _square_sum_gradient(application: Application, grad: Value, value: Any) -> Value:
    value = value.ordered()
    if isinstance(grad, RowSparse):  # from one sum per row: the gradient of other rows is zero
        grad = grad.ordered()
        known = take_rows(value, grad.indices)
        return known_rows(known * grad.data * 2, grad.indices.copy(), value.shape)
    if _axis(application) == 0:
        slopes = dense(grad).reshape(1, -1)
    else:
        slopes = dense(grad).reshape(-1, 1)[value.indices]
    return known_rows(value.data * slopes * 2, value.indices.copy(), value.shape)
