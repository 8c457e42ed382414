"""Sparse arrays in MXNet's parameter files.

Before its shape, a sparse array has the shape of the stored elements; the dtypes and
shapes of the index arrays follow the element type, and these arrays the elements.
"""

import struct
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from gluonic.graph import Array
from gluonic.graph.dtypes import CODE_OF, CODES
from gluonic.graph.errors import FileFormatError
from gluonic.graph.storage.stored import FormatError
from gluonic.graph.storage.values import CSR, ROW_SPARSE, Csr, RowSparse
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.storage.arrays import BaseSparseNDArray, made

NUMBERS = {1: ROW_SPARSE, 2: CSR}
"""The storage types by the numbers that files use for them."""
_NUMBER_OF = {kind: number for number, kind in NUMBERS.items()}
_INDEX = np.dtype(np.int64)
_INDEX_ARRAYS = {CSR: 2, ROW_SPARSE: 1}


class Reader(Protocol):
    """A reader of a file, from its beginning; see `gluonic.ndarray.serialization`."""

    def numbers(self, code: str) -> tuple[int, ...]:
        """Read numbers, given as to `struct.unpack`."""

    def lengths(self) -> tuple[int, ...]:
        """Read the number of axes of an array, and their lengths."""

    def block(self, shape: tuple[int, ...], code: int) -> Array:
        """Read the elements of an array of MXNet's dtype number `code`."""

    def error(self, what: str) -> FileFormatError:
        """Make an error that says where in the file something is wrong."""


def _shape(shape: tuple[int, ...]) -> bytes:
    return struct.pack(f"<i{len(shape)}q", len(shape), *shape)


def pieces(array: BaseSparseNDArray, magic: int) -> Iterator[bytes]:
    """The parts of a sparse array in a file."""
    value, context = array.stored, array.context
    yield struct.pack("<Ii", magic, _NUMBER_OF[array.kind])
    yield _shape(value.data.shape)
    yield _shape(value.shape)
    yield struct.pack("<iii", context.device_typeid, context.device_id, CODE_OF[value.dtype])
    for part in value.parts:
        yield struct.pack("<i", CODE_OF[part.dtype]) + _shape(part.shape)
    for part in (value.data, *value.parts):
        yield part.astype(part.dtype.newbyteorder("<"), copy=False).tobytes()


def read_sparse(reader: Reader, number: int) -> NDArray:
    """Read what follows the number of a sparse storage type in a file.

    Raises
    ------
    FileFormatError
        if the parts are not those of such an array, or an index is out of bounds
    """
    kind = NUMBERS[number]
    stored, shape = reader.lengths(), reader.lengths()
    _device, _number, code = reader.numbers("iii")
    if code not in CODES:
        raise reader.error(f"unknown dtype number {code}")
    index_shapes = [_index_shape(reader) for _ in range(_INDEX_ARRAYS[kind])]
    _check(reader, kind, shape, stored, index_shapes)
    data = reader.block(stored, code)
    parts = [reader.block(lengths, CODE_OF[_INDEX]) for lengths in index_shapes]
    value: Any = (
        Csr(data, parts[1], parts[0], shape) if kind == CSR else RowSparse(data, parts[0], shape)
    )
    try:
        value.sound()
    except FormatError as error:
        raise reader.error(str(error)) from None
    return made(value)


def _index_shape(reader: Reader) -> tuple[int, ...]:
    (code,) = reader.numbers("i")
    if CODES.get(code) != _INDEX:
        raise reader.error(f"indices of dtype number {code}, not int64")
    return reader.lengths()


def _check(
    reader: Reader,
    kind: str,
    shape: tuple[int, ...],
    stored: tuple[int, ...],
    index_shapes: list[tuple[int, ...]],
) -> None:
    """Refuse inconsistent lengths, before anything is allocated."""
    if kind == CSR:
        fits = len(shape) == 2 and len(stored) == 1 and index_shapes == [(shape[0] + 1,), stored]
    else:
        fits = len(shape) >= 1 and index_shapes == [stored[:1]] and stored[1:] == shape[1:]
    if not fits:
        raise reader.error(
            f"a {kind} array of shape {shape} cannot store elements of shape {stored} by indices of shapes "
            f"{', '.join(map(str, index_shapes))}"
        )
