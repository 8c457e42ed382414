"""NumPy's ``.npz`` and ``.npy`` files, which are untrusted: sizes are checked before memory is allocated."""

import io
import tokenize
import zipfile
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from gluonic.graph.archives import reading_archive
from gluonic.graph.errors import FileFormatError
from gluonic.graph.files import write_atomically

# The header is a Python literal, which NumPy parses.
_DAMAGE = (ValueError, EOFError, OverflowError, TypeError, SyntaxError, tokenize.TokenError)
Arrays = dict[str, np.ndarray[Any, Any]]


def read_npz(file: Path) -> Arrays:
    """Read arrays by name; the only one of a ``.npy`` file is ``arr_0``.

    Raises
    ------
    FileFormatError
        if the file is damaged, or holds Python objects
    """
    if not zipfile.is_zipfile(file):
        with file.open("rb") as stream:
            return {"arr_0": _read(stream, file.stat().st_size, file)}
    arrays = {}
    with reading_archive(f"{file} is damaged"), zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            with archive.open(member) as opened:
                contents = io.BytesIO(opened.read(member.file_size + 1))
            arrays[member.filename.removesuffix(".npy")] = _read(contents, member.file_size, file)
    return arrays


def write_npz(file: Path, arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
    """Write arrays by name; an interruption leaves an old file unharmed."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:  # np.savez takes no array of the name "file"
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(array), allow_pickle=False)
    write_atomically(file, stream.getvalue())


def _check_header(stream: BinaryIO, length_bytes: int, size: int) -> None:
    """Refuse a header that is longer than the file, before NumPy reads it: it may claim four gigabytes."""
    begin = stream.tell()
    length = int.from_bytes(stream.read(length_bytes), "little")
    if length > size:
        raise ValueError(f"it is too short for a header of {length:,} bytes")
    stream.seek(begin)


def _read(stream: BinaryIO, size: int, file: Path) -> np.ndarray[Any, Any]:
    """Read an array of `size` bytes, header included."""
    npy = np.lib.format
    try:
        version = npy.read_magic(stream)
        _check_header(stream, 2 if version == (1, 0) else 4, size)
        header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, dtype = header(stream)
        if prod(shape) * dtype.itemsize > size - stream.tell():
            raise ValueError(f"it is too short for shape {shape}")
        stream.seek(0)
        array: np.ndarray[Any, Any] = npy.read_array(stream, allow_pickle=False)
    except _DAMAGE as error:
        raise FileFormatError(f"{file}: not an array of NumPy: {error}") from error
    return array
