"""Reading arrays of bytes in the IDX format, the format of the MNIST files."""

import gzip
import struct
import zlib
from math import prod
from os import PathLike
from typing import Any

import numpy as np

from gluonic.graph.errors import FileFormatError
from gluonic.graph.memory import allocating
from gluonic.graph.unpacking import Unpacking, unpacking

_UNSIGNED_BYTES = b"\0\0\x08"
_MOST_AXES = 32
_PIECE = 1 << 20  # bytes


def read_idx(path: str | PathLike[str], rank: int | None = None) -> Any:
    """Read an IDX file of bytes, compressed or not.

    Parameters
    ----------
    path : the file
    rank : the number of axes that the array must have; None for any number

    Returns
    -------
    numpy.ndarray
        of uint8, read-only

    Raises
    ------
    FileFormatError
        if it is no such file, or damaged, or unpacks to more than `graph.unpacking` allows
    """
    with allocating(f"what {path} holds"), unpacking(path) as stream:
        try:
            return _read(stream, f"{path}", rank)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise FileFormatError(f"{path}: damaged: {error}") from error


def _read(stream: Unpacking, title: str, rank: int | None) -> Any:
    header = _read_most(stream, 4)
    if len(header) < 4 or header[:3] != _UNSIGNED_BYTES:
        raise FileFormatError(f"{title}: this is no IDX file of bytes")
    if header[3] > _MOST_AXES or rank not in (None, header[3]):
        needed = f"not {rank}" if rank is not None else f"more than {_MOST_AXES}"
        raise FileFormatError(f"{title}: its array has {header[3]} axes, {needed}")
    lengths = _read_most(stream, 4 * header[3])
    if len(lengths) < 4 * header[3]:
        raise FileFormatError(f"{title}: damaged: it ends within its header")
    shape = struct.unpack(f">{header[3]}I", lengths)
    size = prod(shape)
    elements = _read_most(stream, size + 1)
    if len(elements) != size:
        found = f"only {len(elements):,}" if len(elements) < size else "more"
        raise FileFormatError(
            f"{title}: damaged: {size:,} bytes should follow its header, but there are {found}"
        )
    return np.frombuffer(elements, np.uint8).reshape(shape)


def _read_most(stream: Unpacking, most: int) -> bytes:
    """Read up to `most` bytes; memory is allocated only for those that exist."""
    pieces = []
    while most and (piece := stream.read(min(most, _PIECE))):
        pieces.append(piece)
        most -= len(piece)
    return b"".join(pieces)
