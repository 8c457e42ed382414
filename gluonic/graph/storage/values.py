"""Values of the three kinds of storage: NumPy arrays (``default``), `Csr` and `RowSparse`.

The parts of a value come from a user or a file. They are checked on first use (`Csr.sound`, `RowSparse.sound`),
so that no index leads out of bounds. Only lazy updates change a value; writing to an array replaces its value.
"""

from collections.abc import Callable
from typing import Any, ClassVar, TypeAlias

import numpy as np

from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.memory import allocated, allocating
from gluonic.graph.operator import Array
from gluonic.graph.storage.stored import Stored
from gluonic.support.suppress_fp_warnings import quietly

DEFAULT, ROW_SPARSE, CSR = KINDS = ("default", "row_sparse", "csr")


class StorageError(MXNetError, ValueError):
    """An array cannot have the requested kind of storage."""


class Csr(Stored):
    """A compressed sparse row matrix.

    Parameters
    ----------
    data : the stored elements, row by row
    indices : the column of each, int64
    indptr : the index in `data` of each row's first element, and the end of the last row, int64
    shape : the numbers of rows and columns
    """

    kind: ClassVar[str] = CSR
    _unsorted = "the columns of a row must ascend, each once"
    __slots__ = ("indptr",)

    def __init__(self, data: Array, indices: Array, indptr: Array, shape: tuple[int, ...]) -> None:
        self.data, self.indices, self.indptr, self.shape = data, indices, indptr, shape
        self.is_sound = False

    @property
    def parts(self) -> tuple[Array, ...]:
        """The index arrays, in MXNet's order."""
        return self.indptr, self.indices

    @property
    def rows(self) -> Array:
        """The row of each stored element."""
        self.sound()
        return np.repeat(np.arange(self.shape[0]), np.diff(self.indptr))

    def check_lengths(self) -> None:
        """Check that the parts have matching lengths; a `FormatError` names one that does not."""
        if len(self.shape) != 2:
            raise self._refused(f"a csr array has two axes, not {len(self.shape)}")
        starts = (self.shape[0] + 1,)
        if self.indptr.shape != starts:
            raise self._refused(f"indptr has the shape {self.indptr.shape}, not {starts}")
        if self.indices.ndim != 1 or self.indices.shape != self.data.shape:
            raise self._refused(
                f"indices have the shape {self.indices.shape}, data {self.data.shape}"
            )

    def _check_indices(self) -> None:
        if self.indptr[0] != 0 or self.indptr[-1] != len(self.data):
            raise self._refused(f"indptr must go from 0 to the {len(self.data)} stored elements")
        if (np.diff(self.indptr) < 0).any():
            raise self._refused("indptr goes back")
        self._check_within("column", self.shape[1])

    def is_sorted(self) -> bool:
        """Whether the columns of each row are strictly ascending."""
        rises = np.diff(self.indices) > 0
        first = self.indptr[1:-1]
        rises[first[(first > 0) & (first < len(self.indices))] - 1] = True
        return bool(rises.all())

    def dense(self) -> Array:
        """The dense matrix."""
        self.sound()
        found = allocated(np.zeros, self.shape, self.dtype, "a dense array")
        found[self.rows, self.indices] = self.data
        return found

    def with_data(self, data: Array) -> "Csr":
        """A matrix with the same indices and other elements."""
        made = Csr(data, self.indices, self.indptr, self.shape)
        made.is_sound = self.is_sound and len(data) == len(self.data)
        return made

    def mapped(self, change: Callable[[Array], Array]) -> "Csr":
        """A copy; `change` makes its elements."""
        with allocating("a sparse array"):
            data, indices, indptr = change(self.data), self.indices.copy(), self.indptr.copy()
        made = Csr(data, indices, indptr, self.shape)
        made.is_sound = self.is_sound
        return made

    def scipy(self) -> Any:
        """A SciPy matrix that shares the memory; float16 is converted to float32."""
        from scipy.sparse import csr_matrix

        self.sound()
        data = self.data.astype(np.float32) if self.dtype == np.float16 else self.data
        return csr_matrix((data, self.indices, self.indptr), self.shape)

    @classmethod
    def of_scipy(cls, matrix: Any, dtype: Any) -> "Csr":
        """The value of a SciPy matrix, with columns sorted and duplicates summed."""
        matrix = matrix.tocsr()
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        index = np.int64
        made = cls(
            matrix.data.astype(dtype, copy=False),
            matrix.indices.astype(index, copy=False),
            matrix.indptr.astype(index, copy=False),
            tuple(matrix.shape),
        )
        made.is_sound = True
        return made

    @classmethod
    def of(cls, array: Array) -> "Csr":
        """The non-zero elements of a matrix.

        Raises
        ------
        StorageError
            if the array is not a matrix
        """
        if array.ndim != 2:
            raise StorageError(
                describe(
                    f"only arrays of two axes can be csr, not one of shape {array.shape}",
                    where="cast_storage",
                )
            )
        rows, columns = np.nonzero(array)
        made = cls(array[rows, columns], columns, _starts(rows, array.shape[0]), array.shape)
        made.is_sound = True
        return made

    @classmethod
    def zeros(cls, shape: tuple[int, ...], dtype: Any) -> "Csr":
        """A matrix of zeros."""
        if len(shape) != 2:
            raise StorageError(f"only arrays of two axes can be csr, not one of shape {shape}")
        starts = allocated(np.zeros, (shape[0] + 1,), np.int64, "the rows of a csr array")
        return cls(np.zeros(0, dtype), np.zeros(0, np.int64), starts, shape)


def _starts(rows: Array, count: int) -> Array:
    """The start of each row, given the rows of the elements in order."""
    starts = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(rows, minlength=count), out=starts[1:])
    return starts


class RowSparse(Stored):
    """An array that stores only some of its rows.

    Parameters
    ----------
    data : the stored rows
    indices : the index of each, int64
    shape : the shape of the whole array
    """

    kind: ClassVar[str] = ROW_SPARSE
    _unsorted = "the rows must ascend, each once"
    __slots__ = ("ascends",)

    def __init__(self, data: Array, indices: Array, shape: tuple[int, ...]) -> None:
        self.data, self.indices, self.shape = data, indices, shape
        self.is_sound = False
        self.ascends: bool | None = None  # whether the rows are sorted; None before the check

    @property
    def parts(self) -> tuple[Array, ...]:
        """The index array."""
        return (self.indices,)

    def check_lengths(self) -> None:
        """Check that there is an index for each row; raise `FormatError` otherwise."""
        if self.indices.ndim != 1 or self.data.shape != (len(self.indices), *self.shape[1:]):
            raise self._refused(
                f"indices have the shape {self.indices.shape}, data {self.data.shape}"
            )

    def _check_indices(self) -> None:
        self._check_within("row", self.shape[0])

    def is_sorted(self) -> bool:
        """Whether the rows are strictly ascending."""
        if self.ascends is None:
            self.ascends = bool((np.diff(self.indices) > 0).all())
        return self.ascends

    def ordered(self) -> "RowSparse":
        """The value with strictly ascending rows; the last of repeated rows is kept."""
        self.sound()
        if self.is_sorted():
            return self
        rows, last = np.unique(self.indices[::-1], return_index=True)
        return known_rows(self.data[len(self.indices) - 1 - last], rows, self.shape)

    def dense(self) -> Array:
        """The dense array."""
        self.sound()
        found = allocated(np.zeros, self.shape, self.dtype, "a dense array")
        found[self.indices] = self.data
        return found

    def with_data(self, data: Array) -> "RowSparse":
        """An array with the same rows and other elements."""
        made = RowSparse(data, self.indices, self.shape)
        made.is_sound = self.is_sound and data.shape == self.data.shape
        made.ascends = self.ascends
        return made

    def mapped(self, change: Callable[[Array], Array]) -> "RowSparse":
        """A copy; `change` makes its elements."""
        with allocating("a sparse array"):
            data, indices = change(self.data), self.indices.copy()
        made = RowSparse(data, indices, self.shape)
        made.is_sound, made.ascends = self.is_sound, self.ascends
        return made

    @classmethod
    def of(cls, array: Array) -> "RowSparse":
        """The rows of an array with non-zero elements.

        Raises
        ------
        StorageError
            if the array has no axes
        """
        if array.ndim < 1:
            raise StorageError("an array without axes cannot be row_sparse")
        rows = np.flatnonzero((array != 0).reshape(len(array), -1).any(axis=1))
        return known_rows(array[rows], rows, array.shape)

    @classmethod
    def zeros(cls, shape: tuple[int, ...], dtype: Any) -> "RowSparse":
        """An array of zeros."""
        if not shape:
            raise StorageError("an array without axes cannot be row_sparse")
        return known_rows(np.zeros((0, *shape[1:]), dtype), np.zeros(0, np.int64), shape)


def known_rows(data: Array, indices: Array, shape: tuple[int, ...]) -> RowSparse:
    """A row_sparse value whose rows are known to be within the array."""
    made = RowSparse(data, indices, shape)
    made.is_sound = True
    return made


def known_csr(data: Array, indices: Array, indptr: Array, shape: tuple[int, ...]) -> Csr:
    """A csr value whose indices are known to be within the matrix."""
    made = Csr(data, indices, indptr, shape)
    made.is_sound = True
    return made


Value: TypeAlias = Array | Csr | RowSparse
_CLASSES: dict[str, type[Csr] | type[RowSparse]] = {CSR: Csr, ROW_SPARSE: RowSparse}


def kind_of(value: Value) -> str:
    """The storage kind of a value."""
    return value.kind if isinstance(value, (Csr, RowSparse)) else DEFAULT


def dense(value: Value) -> Array:
    """A value as a dense array; a NumPy array is returned itself."""
    return value.dense() if isinstance(value, (Csr, RowSparse)) else value


def stored_zeros(kind: str, shape: tuple[int, ...], dtype: Any) -> Value:
    """Zeros of a storage kind; sparse kinds store nothing."""
    if kind == DEFAULT:
        return allocated(np.zeros, shape, dtype, "zeros")
    return _CLASSES[kind].zeros(shape, np.dtype(dtype))


def stored_as(value: Value, kind: str) -> Value:
    """A value converted to a storage kind; the value itself if it has that kind already.

    Raises
    ------
    StorageError
        if an array of that shape cannot have that kind
    """
    if kind_of(value) == kind:
        return value
    return dense(value) if kind == DEFAULT else _CLASSES[kind].of(dense(value))


def as_type(value: Value, dtype: Any) -> Value:
    """A value with its elements converted to another dtype."""
    if value.dtype == dtype:
        return value
    if isinstance(value, (Csr, RowSparse)):
        return value.with_data(quietly(value.data.astype, dtype))
    found: Array = quietly(value.astype, dtype)
    return found
