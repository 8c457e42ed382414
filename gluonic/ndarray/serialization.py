"""MXNet's parameter files: ``nd.save``, ``nd.load`` and ``nd.load_frombuffer``.

A file holds a header, the number of arrays, the arrays, the number of names (none or as many) and the names.
Files of all MXNet versions are read; those written are identical, byte for byte, to what MXNet 1.9.1
writes. Files are untrusted: every number is checked before memory is allocated for it.
"""

import io
import os
import struct
from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Any, BinaryIO

import numpy as np

from gluonic.graph import Array
from gluonic.graph.dtypes import CODE_OF, dtype_of
from gluonic.graph.errors import FileFormatError, describe
from gluonic.graph.files import accessing, naming_copies, opened, write_atomically
from gluonic.graph.memory import allocated, allocating
from gluonic.graph.shape_semantics import is_np_shape
from gluonic.graph.versions import mark_replaced
from gluonic.ndarray.array import NDArray, method
from gluonic.ndarray.context import Context
from gluonic.ndarray.placing import placed_if_there
from gluonic.ndarray.storage.arrays import BaseSparseNDArray
from gluonic.ndarray.storage.file_blocks import NUMBERS as SPARSE
from gluonic.ndarray.storage.file_blocks import pieces, read_sparse

_HEADER = 0x112
V1, V2, V3 = 0xF993FAC8, 0xF993FAC9, 0xF993FACA
_MOST_AXES = 32
_LONGEST_NAME = 1 << 20
_LARGEST = (1 << 63) - 1  # bytes, in NumPy; lengths of 0 count as 1
_DENSE, _UNDEFINED = 0, -1
_GPU = Context.devstr2type["gpu"]

Arrays = list[NDArray] | dict[str, NDArray]


# ----------------------------------------------------------------------------------------- writing


def save(fname: str | os.PathLike[str], data: Any) -> None:
    """Save arrays to a file; an interruption leaves an old file unharmed.

    Parameters
    ----------
    fname : the file
    data : an NDArray, a list of NDArrays, or a dict of them by name

    Raises
    ------
    MXNetError
        if the file cannot be written
    """
    arrays, names = _listed(data)
    write_atomically(fname, _pieces(arrays, names))


def _listed(data: Any) -> tuple[list[NDArray], list[str]]:
    if isinstance(data, NDArray):
        return [data], []
    if isinstance(data, Mapping):
        names, arrays = list(data), list(data.values())
    elif isinstance(data, list):
        names, arrays = [], data
    else:
        raise ValueError(
            "save: data needs to either be a NDArray, a dict of str to NDArray or a list of NDArrays, "
            f"not {type(data).__name__}"
        )
    for part, kind in ((names, str), (arrays, NDArray)):
        for value in part:
            if not isinstance(value, kind):
                raise TypeError(
                    "save only accept dict str->NDArray or list of NDArray; "
                    f"it has a {type(value).__name__}"
                )
    return arrays, names


def _pieces(arrays: Sequence[NDArray], names: Sequence[str]) -> Iterator[bytes | memoryview]:
    yield struct.pack("<QQQ", _HEADER, 0, len(arrays))
    version = _version(arrays)
    for array in arrays:
        yield from _block(array, version)
    yield struct.pack("<Q", len(names))
    for name in names:
        encoded = name.encode()
        yield struct.pack("<Q", len(encoded)) + encoded


def _block(array: NDArray, version: int) -> Iterator[bytes | memoryview]:
    if isinstance(array, BaseSparseNDArray):
        yield from pieces(array, version)
    else:
        yield _array_header(array, version)
        yield _bytes_of(array)


def dump_array(array: NDArray) -> bytes:
    """The bytes of an array in MXNet's pickles; `load_array` reads them."""
    return b"".join(_block(array, _version([array])))


def _bytes_of(array: NDArray) -> bytes | memoryview:
    """The elements in the layout of a file; not copied if memory has the same layout."""
    if not array.size:
        return b""
    with allocating("the elements in the layout of a file"):
        return np.ascontiguousarray(_little(array.host_elements())).reshape(-1).view(np.uint8).data


def _little(array: Any) -> Any:
    return array.astype(array.dtype.newbyteorder("<"), copy=False)


def _version(arrays: Sequence[NDArray]) -> int:
    """The format version of a file; only V3, for MXNet's NumPy semantics, supports the shape ().

    MXNet reads either all arrays in these semantics, or none.
    """
    return V3 if is_np_shape() or any(not array.ndim for array in arrays) else V2


def _array_header(array: NDArray, version: int) -> bytes:
    """The header of an array."""
    context = array.context
    return struct.pack(
        f"<Iii{array.ndim}qiii",
        version, _DENSE, array.ndim, *array.shape,
        context.device_typeid, context.device_id, CODE_OF[np.dtype(array.dtype)],
    )  # fmt: skip


# ----------------------------------------------------------------------------------------- reading


def load(fname: str | os.PathLike[str]) -> Any:
    """Load the arrays of a file.

    Parameters
    ----------
    fname : the path of a file that `save` or MXNet wrote

    Returns
    -------
    list or dict
        as they were saved; an array saved alone is in a list

    Raises
    ------
    FileFormatError
        if the file is not a parameter file, or truncated or damaged; nothing is loaded then
    MXNetError
        if the file cannot be read
    """
    if not isinstance(fname, (str, os.PathLike)):
        raise TypeError(f"fname required to be a string, not {type(fname).__name__}")
    with opened(fname) as stream, accessing(fname), naming_copies(fname):
        return _Reader(stream, os.fspath(fname)).arrays()


def load_frombuffer(buf: bytes | bytearray | memoryview | str) -> Any:
    """Load arrays from the contents of a file; see `load`.

    Parameters
    ----------
    buf : the contents, as bytes; a string stands for its bytes in Latin-1
    """
    if isinstance(buf, str):
        buf = buf.encode("latin-1")
    if not isinstance(buf, (bytes, bytearray, memoryview)):
        raise TypeError(f"buf required to be a string or bytes, not {type(buf).__name__}")
    return _Reader(io.BytesIO(buf), "the buffer").arrays()


def load_array(data: bytes | bytearray | None) -> NDArray:
    """Load an array, or None, from MXNet's pickles, which store it as in a file."""
    return NDArray(None) if data is None else _Reader(io.BytesIO(data), "the pickle").array()


class _Reader:
    """Reads a parameter file from its beginning.

    Parameters
    ----------
    stream : the open file
    title : its name in messages
    """

    def __init__(self, stream: BinaryIO, title: str) -> None:
        self.stream, self.title = stream, title
        self.left = stream.seek(0, os.SEEK_END)
        self.part = "the header"
        stream.seek(0)

    def error(self, what: str) -> FileFormatError:
        position = self.stream.tell()
        return FileFormatError(
            describe(f"{self.title}: {what}", facts=[f"in {self.part}, before byte {position:,}"])
        )

    def need(self, count: int) -> None:
        """Check that `count` bytes are left."""
        if count > self.left:
            raise self.error(f"it is truncated: {count:,} bytes are needed, {self.left:,} are left")
        self.left -= count

    def numbers(self, code: str) -> tuple[int, ...]:
        """Read numbers; `code` is a format of `struct.unpack`."""
        size = struct.calcsize("<" + code)
        self.need(size)
        return struct.unpack("<" + code, self.stream.read(size))

    def number(self, code: str) -> int:
        return self.numbers(code)[0]

    def arrays(self) -> Arrays:
        """Read the file."""
        if self.left < 8 or self.number("Q") != _HEADER:
            raise self.error("Invalid NDArray file format: it does not begin like a parameter file")
        _, count = self.numbers("QQ")
        if count > self.left // 4:
            raise self.error(f"it is too short for the {count:,} arrays that it announces")
        arrays = []
        for number in range(count):
            self.part = f"array {number} of {count}"
            arrays.append(self.array())
        self.part = "the names"
        name_count = self.number("Q")
        if name_count == 0:
            return arrays
        if name_count != count:
            raise self.error(f"it has {name_count:,} names for {count:,} arrays")
        names = [self.name() for _ in range(count)]
        return dict(zip(names, arrays, strict=True))

    def name(self) -> str:
        length = self.number("Q")
        if length > _LONGEST_NAME:
            raise self.error(f"a name of {length:,} bytes is too long")
        self.need(length)
        try:
            return self.stream.read(length).decode()
        except UnicodeDecodeError:
            raise self.error("a name is not UTF-8") from None

    def array(self) -> NDArray:
        """Read one array of any version."""
        magic = self.number("I")
        if magic in (V2, V3):
            storage = self.number("i")
            if storage in SPARSE:
                return read_sparse(self, storage)
            if storage not in (_DENSE, _UNDEFINED):
                raise self.error(f"unknown storage type {storage}")
        if magic in (V1, V2, V3):
            rank = self.number("i")
            lengths = "q"
        else:
            rank, lengths = magic, "I"  # before version 1 the rank came first
        if magic == V3 and rank == -1:
            return NDArray(None)
        shape = self._lengths(rank, lengths)
        if rank == 0 and magic != V3:
            return NDArray(None)  # an array that never had a shape
        return self.elements(shape)

    def lengths(self) -> tuple[int, ...]:
        """Read the number of axes of an array, and their lengths."""
        return self._lengths(self.number("i"), "q")

    def _lengths(self, rank: int, code: str) -> tuple[int, ...]:
        if not 0 <= rank <= _MOST_AXES:
            raise self.error(f"{rank} axes: no array has that many")
        shape = self.numbers(f"{rank}{code}")
        if any(length < 0 for length in shape):
            raise self.error(f"shape {shape} has a negative length")
        return shape

    def elements(self, shape: tuple[int, ...]) -> NDArray:
        """Read the rest of an array whose shape is known: context, dtype and elements."""
        kind, number, code = self.numbers("iii")
        elements = self.block(shape, code)
        if kind != _GPU:
            return NDArray(elements)
        return placed_if_there(elements, Context("gpu", number))

    def block(self, shape: tuple[int, ...], code: int) -> Array:
        """Read the elements of an array of MXNet's dtype number `code`."""
        native = dtype_of(code)
        if native is None:
            raise self.error(f"unknown dtype number {code}")
        dtype = native.newbyteorder("<")
        if prod(max(length, 1) for length in shape) * dtype.itemsize > _LARGEST:
            raise self.error(f"shape {shape} is larger than memory can be")
        size = prod(shape) * dtype.itemsize
        self.need(size)
        data = allocated(np.empty, shape, dtype, self.part)
        read = self.stream.readinto(data.reshape(-1).view(np.uint8)) if size else 0  # type: ignore[attr-defined]
        if read != size:
            raise self.error(f"it is truncated: {size:,} bytes are needed, {read:,} could be read")
        return data.astype(native, copy=False)


@method("__setstate__")
def _set_state(self: NDArray, state: Mapping[str, Any]) -> None:
    """Set the state from MXNet's pickles: an array as in a file."""
    array = load_array(state["handle"])
    if isinstance(self, BaseSparseNDArray):
        if not isinstance(array, type(self)):
            raise FileFormatError(
                f"the pickle of a {type(self).__name__} holds another kind of array"
            )
        self.stored = array.stored
        self.tape_entry = self.stated_context = self.last_reader = None
        return
    self.elements, self.stated_context = array.host_elements(), None
    self.tape_entry = self.last_reader = None
    mark_replaced()
