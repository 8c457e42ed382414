"""Slices and concatenations of arrays, and casts of storage."""

from typing import Any

import numpy as np

from gluonic.graph.application import Application
from gluonic.graph.indices import positions
from gluonic.graph.operator import Array
from gluonic.graph.storage.forms import Kinds, setting, stored
from gluonic.graph.storage.pairs import keyed, take_rows
from gluonic.graph.storage.values import (
    CSR,
    DEFAULT,
    ROW_SPARSE,
    Csr,
    RowSparse,
    Value,
    kind_of,
    known_csr,
    known_rows,
    stored_as,
)


@stored(
    "cast_storage", gives=lambda application, kinds: setting(application, "stype"), of_dense=True
)
def _cast(application: Application, value: Any) -> Value:
    kind = setting(application, "stype")
    if kind_of(value) == kind:
        return value.copy() if isinstance(value, np.ndarray) else value.mapped(np.copy)
    return stored_as(value, kind)


def lines(value: Csr, chosen: Array) -> Csr:
    """Some rows of a csr value, in that order."""
    value.sound()
    counts = np.diff(value.indptr)[chosen]
    starts = np.zeros(len(chosen) + 1, np.int64)
    np.cumsum(counts, out=starts[1:])
    indices = np.arange(starts[-1]) + np.repeat(value.indptr[chosen] - starts[:-1], counts)
    shape = (len(chosen), value.shape[1])
    return known_csr(value.data[indices], value.indices[indices], starts, shape)


def _columns(value: Csr, begin: int, end: int) -> Csr:
    """The columns from `begin` up to `end`."""
    kept = (value.indices >= begin) & (value.indices < end)
    starts = np.concatenate([[0], np.cumsum(kept)])[value.indptr]
    indices = value.indices[kept] - begin
    return known_csr(value.data[kept], indices, starts, (value.shape[0], end - begin))


def _slice_kind(application: Application, kinds: Kinds) -> str | None:
    steps = setting(application, "step") or ()
    steps = steps if isinstance(steps, tuple) else (steps,)
    return CSR if kinds == (CSR,) and all(step in (None, 1) for step in steps) else None


@stored("slice", gives=_slice_kind)
def _slice(application: Application, value: Csr) -> Csr:
    bounds = zip(setting(application, "begin"), setting(application, "end"), strict=False)
    ranges = [slice(*b).indices(n) for b, n in zip(bounds, value.shape, strict=False)]
    begin, end, _ = ranges[0]
    value.sound()
    first, last = value.indptr[begin], value.indptr[max(end, begin)]
    found = known_csr(
        value.data[first:last].copy(),
        value.indices[first:last].copy(),
        value.indptr[begin : max(end, begin) + 1] - first,
        (max(end - begin, 0), value.shape[1]),
    )
    return _columns(found, *ranges[1][:2]) if len(ranges) > 1 else found


def _take_kind(application: Application, kinds: Kinds) -> str | None:
    is_by_row = setting(application, "axis") == 0
    return CSR if kinds == (CSR, DEFAULT) and is_by_row else None


@stored("take", gives=_take_kind)
def _take(application: Application, value: Csr, indices: Array) -> Csr:
    return lines(value, positions(indices, value.shape[0], setting(application, "mode"), "take"))


@stored(
    "where",
    gives=lambda application, kinds: DEFAULT if kinds == (CSR, DEFAULT, DEFAULT) else None,
)
def _where(application: Application, condition: Csr, x: Array, y: Array) -> Array:
    result = y.copy()
    holds = condition.data != 0
    rows, columns = condition.rows[holds], condition.indices[holds]
    result[rows, columns] = x[rows, columns]
    return result


def _concat_kind(application: Application, kinds: Kinds) -> str | None:
    return CSR if set(kinds) == {CSR} and setting(application, "dim") == 0 else None


@stored("Concat", gives=_concat_kind)
def _concat(application: Application, *values: Csr) -> Csr:
    ends = np.cumsum([0, *(len(value.sound().data) for value in values)])
    starts = [value.indptr[1:] + end for value, end in zip(values, ends, strict=False)]
    rows = sum(value.shape[0] for value in values)
    return known_csr(
        np.concatenate([value.data for value in values]),
        np.concatenate([value.indices for value in values]),
        np.concatenate([[0], *starts]),
        (rows, values[0].shape[1]),
    )


def _retained_kind(application: Application, kinds: Kinds) -> str | None:
    return ROW_SPARSE if kinds[1] == DEFAULT and kinds[0] != CSR else None


@stored("_sparse_retain", gives=_retained_kind, of_dense=True)
def _retain(application: Application, value: Any, indices: Array) -> RowSparse:
    rows = np.unique(positions(indices, value.shape[0], "raise", "_sparse_retain"))
    if isinstance(value, np.ndarray):
        return known_rows(value[rows], rows, value.shape)
    return known_rows(take_rows(value, rows), rows, value.shape)


@stored("_contrib_getnnz", gives=lambda application, kinds: DEFAULT if kinds == (CSR,) else None)
def _stored_count(application: Application, value: Csr) -> Array:
    value.sound()
    return np.asarray(
        len(value.data) if setting(application, "axis") is None else np.diff(value.indptr)
    )


@stored(
    "_contrib_edge_id",
    gives=lambda application, kinds: DEFAULT if kinds == (CSR, DEFAULT, DEFAULT) else None,
)
def _stored_at(application: Application, value: Csr, u: Array, v: Array) -> Array:
    keys, data = keyed(value)
    rows, columns = u.astype(np.int64), v.astype(np.int64)
    within = (rows >= 0) & (rows < value.shape[0]) & (columns >= 0) & (columns < value.shape[1])
    wanted = np.where(within, rows * value.shape[1] + columns, -1)
    indices = np.searchsorted(keys, wanted)
    indices[indices == len(keys)] = 0
    found = np.full(len(rows), -1).astype(value.dtype)
    there = (keys[indices] == wanted) if len(keys) else np.zeros(len(rows), bool)
    found[there] = data[indices[there]]
    return found
