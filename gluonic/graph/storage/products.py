"""Products of matrices, tables of vectors, and their gradients."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from gluonic.graph.application import Application
from gluonic.graph.errors import describe
from gluonic.graph.indices import add_rows, positions
from gluonic.graph.operator import Array
from gluonic.graph.storage.forms import Kinds, setting, stored
from gluonic.graph.storage.pairs import apply, take_rows
from gluonic.graph.storage.values import (
    CSR,
    DEFAULT,
    ROW_SPARSE,
    Csr,
    RowSparse,
    StorageError,
    Value,
    dense,
    known_csr,
    known_rows,
    stored_as,
)

_NEARLY_ALL = 64  # if at most one in 64 columns is empty, compute all columns and remove the gaps
_FEW = 8  # with more columns per element than this, sorting the elements' columns is faster than marking all


def _dot_kind(application: Application, kinds: Kinds) -> str | None:
    wanted: str | None = setting(application, "forward_stype")
    lhs, rhs = kinds
    transposes = setting(application, "transpose_a"), setting(application, "transpose_b")
    if wanted is not None:
        return wanted
    if lhs == CSR and rhs != CSR and not transposes[1]:
        return ROW_SPARSE if transposes[0] else DEFAULT
    if kinds == (DEFAULT, CSR) and not transposes[0]:
        return CSR
    return None


@stored("dot", gives=_dot_kind, of_dense=True)
def _dot(application: Application, lhs: Any, rhs: Any) -> Value:
    transpose_a, transpose_b = (setting(application, f"transpose_{x}") for x in "ab")
    kind = setting(application, "forward_stype")
    if _is_matrices(lhs, rhs):
        if isinstance(lhs, Csr) and not isinstance(rhs, Csr) and not transpose_b:
            if isinstance(rhs, RowSparse) and not transpose_a and _reads_few(lhs, rhs):
                return _product_of_few(lhs, rhs)
            right = dense(rhs)
            if transpose_a and kind != DEFAULT:
                return _transposed_product(lhs, right)
            return _product(lhs, right, transposed=transpose_a)
        if isinstance(rhs, Csr) and isinstance(lhs, np.ndarray) and not transpose_a:
            return _stored_product(lhs, rhs.scipy().T if transpose_b else rhs.scipy(), kind)
    found = apply(application, dense(lhs), dense(rhs))
    return found if kind is None else stored_as(found, kind)


def _reads_few(lhs: Csr, rhs: RowSparse) -> bool:
    return len(lhs.indices) * _FEW < rhs.shape[0]


def _product_of_few(lhs: Csr, rhs: RowSparse) -> Array:
    """The product with a table, computed only from the rows that the csr matrix reads."""
    columns, indices = np.unique(lhs.sound().indices, return_inverse=True)
    shape = lhs.shape[0], len(columns)
    return _product(known_csr(lhs.data, indices, lhs.indptr, shape), take_rows(rhs, columns))


def _is_matrices(lhs: Value, rhs: Value) -> bool:
    return len(lhs.shape) == len(rhs.shape) == 2


def _wide(array: Array) -> Array:
    return array.astype(np.float32) if array.dtype == np.float16 else array


class Routines(Protocol):
    """Routines that are faster than SciPy's and NumPy's, for the cases that they support."""

    def product(self, value: Csr, array: Array, transposed: bool) -> Array | None:
        """The product of a csr value, or of its transpose, with a matrix; None if SciPy should compute it."""

    def mark(self, numbers: Array, marks: Array) -> bool:
        """Set the booleans at the listed indices to true; return whether that was done."""


_routines: list[Routines] = []
compute_products_by = _routines.append
"""Register an object with faster routines."""


def _product(value: Csr, array: Array, *, transposed: bool = False) -> Array:
    value.sound()
    for routine in _routines:
        found = routine.product(value, array, transposed)
        if found is not None:
            return found
    matrix = value.scipy()
    return np.asarray((matrix.T if transposed else matrix) @ _wide(array))


def _stored_product(lhs: Array, rhs: Any, kind: str | None) -> Value:
    """Dense times csr; the result is csr by default."""
    found = np.asarray((rhs.T @ _wide(lhs).T).T)
    if kind == DEFAULT:
        return np.ascontiguousarray(found)
    return stored_as(found, CSR if kind is None else kind)


def _stored_columns(matrix: Csr) -> Array:
    """The columns with stored elements of a csr value, ascending."""
    count, indices = matrix.shape[1], matrix.indices
    if count > _FEW * len(indices):
        return np.unique(indices)
    marks = np.zeros(count, bool)
    if not any(routine.mark(indices, marks) for routine in _routines):
        marks[indices] = True
    return np.flatnonzero(marks)


def _numbered(columns: Array, matrix: Csr) -> Array:
    """For each stored element of a csr value, the index of its column among `columns`."""
    count, indices = matrix.shape[1], matrix.indices
    if count > _FEW * len(indices):
        return np.searchsorted(columns, indices)
    numbers = np.empty(count, np.int64)
    numbers[columns] = np.arange(len(columns))
    return numbers[indices]


def _transposed_product(matrix: Csr, array: Array) -> RowSparse:
    """csrᵀ · dense: a row for each column with stored elements."""
    columns = _stored_columns(matrix.sound())
    rows, count = matrix.shape
    if (count - len(columns)) * _NEARLY_ALL <= count:
        found = _without_gaps(_product(matrix, array, transposed=True), columns)
    else:
        shape = rows, len(columns)
        narrow = known_csr(matrix.data, _numbered(columns, matrix), matrix.indptr, shape)
        found = _product(narrow, array, transposed=True)
    return known_rows(found, columns, (count, array.shape[1]))


def _without_gaps(array: Array, rows: Array) -> Array:
    """Some ascending rows of an array, moved to its beginning in place."""
    width, flat = array.shape[1], array.reshape(-1)
    ends = [*(np.flatnonzero(np.diff(rows) > 1) + 1), len(rows)]
    for begin, end in zip([0, *ends], ends, strict=False):
        source = rows[begin] * width if end else 0
        if source != begin * width:
            size = (end - begin) * width
            flat[begin * width : begin * width + size] = flat[source : source + size]
    return array[: len(rows)]


def _dot_gradient_kind(application: Application, kinds: Kinds) -> str | None:
    if kinds[1] != CSR or setting(application, "transpose_b"):
        return None
    return DEFAULT if setting(application, "transpose_a") else ROW_SPARSE


@stored("_backward_dot_rhs", gives=_dot_gradient_kind)
def _dot_gradient(application: Application, grad: Value, lhs: Csr, rhs: Value) -> Value:
    if setting(application, "transpose_a"):
        return _product(lhs, dense(grad))
    return _transposed_product(lhs, dense(grad))


# ------------------------------------------------------------------------------- tables of vectors


@stored(
    "Embedding",
    "_contrib_SparseEmbedding",
    gives=lambda application, kinds: DEFAULT if kinds == (DEFAULT, ROW_SPARSE) else None,
)
def _embedding(application: Application, data: Array, weight: RowSparse) -> Array:
    rows = positions(data, weight.shape[0], "clip", application.op.name)
    return take_rows(weight, rows.ravel()).reshape(*data.shape, weight.shape[1])


def _embedding_gradient_kind(application: Application, kinds: Kinds) -> str | None:
    if kinds[0] != DEFAULT or kinds[1] != DEFAULT:
        return None
    return ROW_SPARSE if setting(application, "sparse_grad") else None


@stored("_backward_Embedding", gives=_embedding_gradient_kind, of_dense=True)
def _embedding_gradient(
    application: Application, grad: Array, data: Array, weight: Value
) -> RowSparse:
    count = setting(application, "input_dim")
    index = positions(data, count, "clip", "Embedding").ravel()
    rows, indices = np.unique(index, return_inverse=True)
    total = add_rows(len(rows), indices, grad.reshape(index.size, -1))
    return known_rows(total.astype(grad.dtype, copy=False), rows, (count, *grad.shape[data.ndim :]))


def _layer_kind(application: Application, kinds: Kinds) -> str | None:
    """The kind for a dense batch and a row_sparse weight: no fallback, as in MXNet."""
    return DEFAULT if kinds[0] == DEFAULT else None


def _with_flat_bias(values: Sequence[Value]) -> list[Value]:
    """Flatten a bias that is a column."""
    found = list(values)
    if len(found) == 3 and len(found[2].shape) == 2 and found[2].shape[1] == 1:
        found[2] = dense(found[2]).ravel()
    return found


@stored("FullyConnected", gives=_layer_kind, read=_with_flat_bias)
def _layer(application: Application, *values: Value) -> Array:
    return apply(application, *map(dense, values))


def _batch_norm_kind(application: Application, kinds: Kinds) -> None:
    """Compute always densely; refuse what MXNet refuses.

    Raises
    ------
    StorageError
        with ``fix_gamma=True``, which is the default
    """
    if setting(application, "fix_gamma"):
        raise StorageError(
            describe(
                "fix_gamma=True is not supported for sparse arrays",
                where="BatchNorm",
                facts=[f"input storage types = [{', '.join(kinds)}]"],
                hint="fix_gamma=False, or x.tostype('default')",
            )
        )


stored("BatchNorm", gives=_batch_norm_kind)(apply)
