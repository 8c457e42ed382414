"""The classes of sparse arrays. Methods that need operators are added by `storage.methods`."""

from collections.abc import Iterator
from typing import Any, ClassVar, NoReturn, Self

import numpy as np

from gluonic.graph import Array
from gluonic.graph.dtypes import as_dtype
from gluonic.graph.errors import MXNetError, NotThereError, describe
from gluonic.graph.handles import held_by
from gluonic.graph.storage.values import (
    CSR,
    ROW_SPARSE,
    Csr,
    RowSparse,
    Value,
    dense,
    stored_as,
    stored_zeros,
)
from gluonic.ndarray.array import NDArray, NoElementsError
from gluonic.ndarray.context import Context, usable
from gluonic.ndarray.placing import device_of
from gluonic.ndarray.recording import wrap
from gluonic.ndarray.tape import TapeEntry

_new = object.__new__


class NotDenseError(NotThereError, NoElementsError):
    """A sparse array was given where a dense one is needed."""


class NotForSparseError(NotThereError, MXNetError):
    """A method that sparse arrays do not have."""


class BaseSparseNDArray(NDArray):
    """The base of sparse arrays: NDArrays of which only a part is stored.

    Parameters
    ----------
    handle : the value, or the `handle` of another sparse array
    writable : whether it can be assigned to

    Attributes
    ----------
    stored : the value: the stored elements and their indices
    """

    __slots__ = ("_writable", "stored")

    kind: ClassVar[str] = ""
    is_sparse: ClassVar[bool] = True
    stored: Csr | RowSparse

    def __init__(self, handle: Any, writable: bool = True) -> None:
        if handle is None:  # as MXNet's pickles create an array, before they set its state
            handle = stored_zeros(self.kind, (0, 0), np.float32)
        elif not isinstance(handle, (Csr, RowSparse)):
            handle = held_by(handle, type(self)).stored
        self.stored, self._writable = handle, writable
        self.tape_entry, self.stated_context, self.last_reader = None, None, None

    @property
    def elements(self) -> NoReturn:  # type: ignore[override]
        """Raise an error: only a part of the elements is stored."""
        raise NotDenseError(
            describe(
                f"a {self.kind} array was given where a dense one is needed",
                facts=[f"its shape is {self.shape}"],
                hint="x.tostype('default')",
            )
        )

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return self.stored.shape

    @property
    def dtype(self) -> Any:
        """The element type, as a NumPy type such as ``numpy.float32``."""
        return self.stored.dtype.type

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.stored.shape)

    @property
    def size(self) -> int:
        """Raise an error: the size of a sparse array is ambiguous."""
        raise NotForSparseError("size: a sparse array has none; x.data.size counts what is stored")

    @property
    def stype(self) -> str:
        """The storage type: ``"csr"`` or ``"row_sparse"``."""
        return self.kind

    @property
    def writable(self) -> bool:
        """Whether the array can be assigned to."""
        return self._writable

    @property
    def data(self) -> NDArray:
        """A copy of the stored elements."""
        return wrap(self.stored.data.copy(), None, self.stated_context)

    @property
    def indices(self) -> NDArray:
        """A copy of the indices of the stored elements, int64."""
        return wrap(self.stored.indices.copy(), None, self.stated_context)

    @property
    def _num_aux(self) -> int:
        return len(self.stored.parts)

    @property
    def _aux_types(self) -> list[Any]:
        return [part.dtype.type for part in self.stored.parts]

    def _aux_type(self, i: int) -> Any:
        return self.stored.parts[i].dtype.type

    def _aux_data(self, i: int) -> NDArray:
        return wrap(self.stored.parts[i].copy(), None, self.stated_context)

    def check_format(self, full_check: bool = True) -> None:
        """Check that the parts are consistent.

        Parameters
        ----------
        full_check : whether to check that all indices are within bounds and ascend

        Raises
        ------
        MXNetError
            if they are not
        """
        self.stored.check(full_check)

    def asnumpy(self) -> Array:
        """Return all elements as a NumPy array."""
        return self.stored.dense()

    def asscalar(self) -> Any:
        """Return the only element as a NumPy scalar."""
        return NDArray(self.stored.dense()).asscalar()

    def todense(self) -> NDArray:
        """Return a dense copy."""
        return self.tostype("default")  # type: ignore[no-any-return]

    def detach(self) -> Self:
        """Return the same elements off the tape."""
        return made(self.stored, self.stated_context)  # type: ignore[return-value]

    def reshape(self, *shape: Any, **keywords: Any) -> NoReturn:
        """Raise an error: sparse arrays cannot be reshaped."""
        raise NotForSparseError(
            "reshape is not supported for a sparse array and only available in NDArray; "
            "x.tostype('default').reshape(shape)"
        )

    def _at(self, idx: int) -> NoReturn:
        raise NotForSparseError("_at is not supported for a sparse array; x[idx:idx + 1]")

    def _slice(self, start: int, stop: int) -> NoReturn:
        raise NotForSparseError("_slice is not supported for a sparse array; x[start:stop]")

    def to_dlpack_for_read(self) -> NoReturn:
        """Raise an error: DLPack supports only dense arrays."""
        raise NotForSparseError(
            f"DLPack: a {self.kind} array cannot be handed over; x.tostype('default')"
        )

    to_dlpack_for_write = to_dlpack_for_read

    def __dlpack__(self, *arguments: Any, **keywords: Any) -> NoReturn:
        self.to_dlpack_for_read()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        found = self.stored.dense()
        return found if dtype is None else found.astype(dtype, copy=False)

    def __repr__(self) -> str:
        lengths = "x".join(map(str, self.shape))
        return f"\n<{type(self).__name__} {lengths} @{self.context}>"

    def __len__(self) -> int:
        return self.stored.shape[0]

    def __iter__(self) -> Iterator[NDArray]:
        return (self[index] for index in range(len(self)))

    def __bool__(self) -> bool:
        return bool(NDArray(self.stored.dense()))

    def _only(self, kind: str) -> Any:
        return NDArray(self.stored.dense())._only(kind)

    def __copy__(self) -> Self:
        return made(self.stored.mapped(np.copy), self.stated_context)  # type: ignore[return-value]

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.__copy__()

    def overwrite_stored(self, value: Value) -> None:
        """Replace the value, converted to this array's storage kind and dtype."""
        kept = stored_as(value, self.kind)
        assert isinstance(kept, (Csr, RowSparse))
        self.stored = kept.mapped(lambda data: data.astype(self.stored.dtype))


class CSRNDArray(BaseSparseNDArray):
    """A matrix in compressed sparse row format: elements and columns by row; see `csr_matrix`."""

    __slots__ = ()
    kind = CSR
    stored: Csr

    @property
    def indptr(self) -> NDArray:
        """A copy of the row pointers, int64: the start of each row in `data`, and the end of the last one."""
        return wrap(self.stored.indptr.copy(), None, self.stated_context)

    def asscipy(self) -> Any:
        """Return a ``scipy.sparse.csr_matrix`` with a copy of the stored elements."""
        from scipy.sparse import csr_matrix

        value = self.stored.sound().mapped(np.copy)
        return csr_matrix((value.data, value.indices, value.indptr), value.shape, value.dtype)


class RowSparseNDArray(BaseSparseNDArray):
    """An array that stores only some rows, such as the gradient of an embedding; see `row_sparse_array`."""

    __slots__ = ()
    kind = ROW_SPARSE
    stored: RowSparse


_CLASSES: dict[str, type[BaseSparseNDArray]] = {CSR: CSRNDArray, ROW_SPARSE: RowSparseNDArray}


def host_context(context: Any) -> Context:
    """The context of a sparse array: the current one for None.

    Raises
    ------
    NotImplementedError
        for a GPU
    """
    wanted = usable(context)
    if device_of(wanted) is not None:
        raise NotThereError(
            describe(
                f"there are no sparse arrays on {wanted}",
                hint="ctx=mx.cpu() for a sparse array, x.tostype('default').as_in_context(…) for a dense copy",
            )
        )
    return wanted


def made(value: Value, context: Context | None = None, entry: TapeEntry | None = None) -> NDArray:
    """An NDArray around a value of any storage kind, without a copy."""
    if isinstance(value, np.ndarray):
        return wrap(value, entry, context)
    array = _new(_CLASSES[value.kind])
    array.stored, array._writable = value, True
    array.tape_entry, array.stated_context, array.last_reader = entry, context, None
    return array


def value_of(array: NDArray) -> Value:
    """The value of an NDArray of any storage kind, without a copy."""
    return array.stored if isinstance(array, BaseSparseNDArray) else array.elements


def dense_of(array: NDArray) -> Array:
    """All elements of an NDArray; those of a dense one without a copy."""
    return dense(value_of(array))


def zeros_of(
    kind: str, shape: tuple[int, ...], dtype: Any, context: Context | None = None
) -> NDArray:
    """Zeros of any storage kind."""
    return made(stored_zeros(kind, shape, as_dtype(dtype)), context)
