"""Operators on two or more arrays, element by element."""

from typing import Any

import numpy as np

from gluonic.graph.application import Application
from gluonic.graph.operator import Array
from gluonic.graph.storage.forms import Kinds, by_kinds, stored
from gluonic.graph.storage.values import (
    CSR,
    DEFAULT,
    ROW_SPARSE,
    Csr,
    RowSparse,
    Value,
    dense,
    known_csr,
    known_rows,
    stored_as,
)
from gluonic.support.suppress_fp_warnings import quietly

_SAME = {"row_sparse row_sparse": ROW_SPARSE, "csr csr": CSR}
_WITH_DENSE = ("default row_sparse", "row_sparse default", "default csr", "csr default")
_SUMS = by_kinds({**_SAME, **dict.fromkeys(_WITH_DENSE, DEFAULT)})
_PRODUCTS = by_kinds(
    {
        **_SAME,
        "default row_sparse": ROW_SPARSE,
        "row_sparse default": ROW_SPARSE,
        "default csr": CSR,
        "csr default": CSR,
    }
)


def apply(application: Application, *arrays: Array) -> Array:
    """The operator on NumPy arrays, without warnings."""
    result: Array = np.asarray(quietly(application.execute, arrays, None)[0])
    return result


# ------------------------------------------------------------------------- elements of either


def _rows_of(value: RowSparse, rows: Array) -> Array:
    """Some rows of a value with ascending rows; zeros where none is stored."""
    found = np.zeros((len(rows), *value.shape[1:]), value.dtype)
    if len(value.indices):
        indices = np.searchsorted(value.indices, rows)
        indices[indices == len(value.indices)] = 0
        there = value.indices[indices] == rows
        found[there] = value.data[indices[there]]
    return found


def take_rows(value: RowSparse, rows: Array) -> Array:
    """Some rows of a value; zeros where none is stored."""
    return _rows_of(value.ordered(), rows)


def on_rows(application: Application, lhs: RowSparse, rhs: RowSparse) -> RowSparse:
    """Apply an operator that is zero where both operands are, on the rows that either stores."""
    lhs, rhs = lhs.ordered(), rhs.ordered()
    if len(lhs.indices) == len(rhs.indices) and (lhs.indices == rhs.indices).all():
        return known_rows(apply(application, lhs.data, rhs.data), lhs.indices.copy(), lhs.shape)
    rows = np.union1d(lhs.indices, rhs.indices)
    found = apply(application, _rows_of(lhs, rows), _rows_of(rhs, rows))
    return known_rows(found, rows, lhs.shape)


def keyed(value: Csr) -> tuple[Array, Array]:
    """The flat indices of the stored elements of a csr value, ascending, and these elements."""
    keys = value.rows * value.shape[1] + value.indices
    if value.is_sorted():
        return keys, value.data
    keys, last = np.unique(keys[::-1], return_index=True)
    return keys, value.data[len(value.data) - 1 - last]


def on_elements(application: Application, lhs: Csr, rhs: Csr) -> Csr:
    """Apply an operator that is zero where both operands are, on the elements that either stores."""
    (a, x), (b, y) = keyed(lhs), keyed(rhs)
    keys = np.union1d(a, b)
    left, right = np.zeros(len(keys), x.dtype), np.zeros(len(keys), y.dtype)
    left[np.searchsorted(keys, a)] = x
    right[np.searchsorted(keys, b)] = y
    starts = np.searchsorted(keys, np.arange(lhs.shape[0] + 1) * lhs.shape[1])
    columns = keys % max(lhs.shape[1], 1)
    return known_csr(apply(application, left, right), columns, starts, lhs.shape)


def _on_both(application: Application, lhs: Any, rhs: Any) -> Csr | RowSparse:
    if isinstance(lhs, RowSparse):
        return on_rows(application, lhs, rhs)
    return on_elements(application, lhs, rhs)


stored("_maximum", "_minimum", "_hypot", gives=by_kinds(_SAME))(_on_both)


@stored("elemwise_add", "elemwise_sub", gives=_SUMS)
def _sum(application: Application, lhs: Any, rhs: Any) -> Value:
    if isinstance(lhs, np.ndarray) or isinstance(rhs, np.ndarray):
        return _sum_with_dense(lhs, rhs, -1 if application.op.name == "elemwise_sub" else 1)
    return _on_both(application, lhs, rhs)


def _sum_with_dense(lhs: Any, rhs: Any, sign: int) -> Array:
    """``lhs + sign * rhs``, where one is dense: the stored elements of the other are added to it."""
    result, other, factor = (
        (lhs.copy(), rhs, sign) if isinstance(lhs, np.ndarray) else (sign * rhs, lhs, 1)
    )
    if isinstance(other, RowSparse):
        other = other.ordered()
        result[other.indices] += factor * other.data
    else:
        np.add.at(result, (other.rows, other.indices), factor * other.data)
    return np.asarray(result)


@stored("elemwise_mul", gives=_PRODUCTS)
def _product(application: Application, lhs: Any, rhs: Any) -> Value:
    if isinstance(lhs, np.ndarray):
        return at_stored(application, rhs, lhs, swapped=True)
    if isinstance(rhs, np.ndarray):
        return at_stored(application, lhs, rhs)
    return _on_both(application, lhs, rhs)


def at_stored(
    application: Application, value: Csr | RowSparse, array: Array, *, swapped: bool = False
) -> Csr | RowSparse:
    """Apply an operator to the stored elements of a value and those of a dense array at the same indices."""
    value.sound()
    if isinstance(value, RowSparse):
        there = array[value.indices]
    else:
        there = np.broadcast_to(array, value.shape)[value.rows, value.indices]
    return value.mapped(
        lambda data: apply(application, there, data) if swapped else apply(application, data, there)
    )


@stored(
    "_scatter_elemwise_div",
    gives=lambda application, kinds: ROW_SPARSE if kinds[0] == ROW_SPARSE else None,
)
def _quotient_of_rows(application: Application, lhs: RowSparse, rhs: Value) -> RowSparse:
    lhs = lhs.ordered()
    divisor = take_rows(rhs, lhs.indices) if isinstance(rhs, RowSparse) else dense(rhs)[lhs.indices]
    return known_rows(apply(application, lhs.data, divisor), lhs.indices, lhs.shape)


# ------------------------------------------------------------------------------- with broadcasting


stored("broadcast_mul", "broadcast_div", gives=by_kinds({"csr default": CSR}))(at_stored)


@stored(
    "broadcast_add",
    "broadcast_sub",
    gives=by_kinds({"csr default": DEFAULT, "default csr": DEFAULT}),
)
def _broadcast_sum(application: Application, lhs: Value, rhs: Value) -> Value:
    return apply(application, dense(lhs), dense(rhs))


# ------------------------------------------------------------------------------- by the kind of one


@stored(
    "_identity_with_attr_like_rhs",
    gives=lambda application, kinds: kinds[1] if kinds != (DEFAULT, DEFAULT) else None,
)
def _like_second(application: Application, lhs: Value, rhs: Any) -> Value:
    kind = DEFAULT if isinstance(rhs, np.ndarray) else rhs.kind
    return stored_as(lhs, kind) if isinstance(lhs, np.ndarray) else stored_as(dense(lhs), kind)


def _sum_of_all(application: Application, kinds: Kinds) -> str | None:
    """The kind of a sum: row_sparse if all inputs are; dense if some are dense."""
    if set(kinds) == {ROW_SPARSE}:
        return ROW_SPARSE
    return DEFAULT if set(kinds) == {ROW_SPARSE, DEFAULT} else None


@stored("add_n", gives=_sum_of_all)
def _add_n(application: Application, *values: Any) -> Value:
    if all(isinstance(value, RowSparse) for value in values):
        return add_rows_of(values)
    result = next(value for value in values if isinstance(value, np.ndarray)).copy()
    seen = False
    for value in values:
        if isinstance(value, RowSparse):
            value = value.ordered()
            result[value.indices] += value.data
        elif seen:
            result += value
        else:
            seen = True
    return np.asarray(result)


def add_rows_of(values: Any) -> RowSparse:
    """The sum of row_sparse values: the rows that any of them stores."""
    ordered = [value.ordered() for value in values]
    rows = np.unique(np.concatenate([value.indices for value in ordered]))
    total = np.zeros((len(rows), *ordered[0].shape[1:]), ordered[0].dtype)
    for value in ordered:
        total[np.searchsorted(rows, value.indices)] += value.data
    return known_rows(total, rows, ordered[0].shape)
