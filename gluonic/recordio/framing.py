"""The framing of records in a file: parts, each after a magic number, its kind and its length.

A reader that starts anywhere finds the next record by the magic number. If a record contains it where a part
could begin, at a multiple of four bytes, it is split there; the number is left out, and readers restore it.
"""

import struct
from collections.abc import Callable, Iterator
from typing import IO

from gluonic.graph.errors import AttributeValueError, FileFormatError, describe

MAGIC = struct.pack("<I", 0xCED7230A)
_HEADER = struct.Struct("<4sI")
_WHOLE, _FIRST, _MIDDLE, _LAST = range(4)
_LENGTH_BITS = 29
LONGEST = (1 << _LENGTH_BITS) - 1
_STARTS, _ENDS = (_WHOLE, _FIRST), (_WHOLE, _LAST)


def framed(record: bytes) -> bytes:
    """Return the bytes that are written to a file for a record.

    Raises
    ------
    ValueError
        if the record is too long for the format

    Examples
    --------
    >>> framed(b"abc").hex(" ", 4)
    '0a23d7ce 03000000 61626300'
    """
    if len(record) > LONGEST:
        raise AttributeValueError(
            f"a record of {len(record)} bytes is too long for RecordIO: {LONGEST} at most"
        )
    cuts = list(_cuts(record))
    if not cuts:
        return _part(_WHOLE, record)
    begins, ends = [0, *(cut + len(MAGIC) for cut in cuts)], [*cuts, len(record)]
    kinds = [_FIRST, *[_MIDDLE] * (len(cuts) - 1), _LAST]
    return b"".join(
        _part(kind, record[begin:end]) for kind, begin, end in zip(kinds, begins, ends, strict=True)
    )


def _part(kind: int, content: bytes) -> bytes:
    header = _HEADER.pack(MAGIC, kind << _LENGTH_BITS | len(content))
    return header + content + bytes(-len(content) % 4)


def _cuts(record: bytes) -> Iterator[int]:
    """The positions of the magic number at multiples of four bytes."""
    offset = record.find(MAGIC)
    while offset >= 0:
        if offset % 4 == 0:
            yield offset
        offset = record.find(MAGIC, offset + (4 if offset % 4 == 0 else 1))


class Frames:
    """The records of a file, one after the other.

    Parameters
    ----------
    read : reads a number of bytes, fewer at the end
    name : the file, for errors
    offset : the offset, in bytes, where reading begins
    go_to : seeks to an offset

    Attributes
    ----------
    offset : the offset, in bytes, of the next record
    """

    def __init__(
        self,
        read: Callable[[int], bytes],
        name: str,
        offset: int = 0,
        go_to: Callable[[int], object] | None = None,
    ) -> None:
        self._read, self._name, self.offset, self._go_to = read, name, offset, go_to

    def seek(self, offset: int) -> None:
        """Go to the record that begins at an offset."""
        assert self._go_to is not None
        self._go_to(offset)
        self.offset = offset

    def next(self) -> bytes | None:
        """Return the next record; None at the end of the file.

        Raises
        ------
        FileFormatError
            if the file is damaged here; it names the byte
        """
        header = self._read(_HEADER.size)
        if not header:
            return None
        kind, content, length = self._part(header, self.offset, _STARTS)
        parts = [content]
        while kind not in _ENDS:
            header = self._read(_HEADER.size)
            kind, content, more = self._part(header, self.offset + length, (_MIDDLE, _LAST))
            parts.append(content)
            length += more
        self.offset += length
        return parts[0] if len(parts) == 1 else MAGIC.join(parts)

    def _part(self, header: bytes, offset: int, kinds: tuple[int, ...]) -> tuple[int, bytes, int]:
        """The kind and the content of a part whose header has been read, and the part's whole length."""
        if len(header) < _HEADER.size:
            raise self._damaged(offset, f"the file ends after {len(header)} bytes of a header")
        magic, word = _HEADER.unpack(header)
        kind, length = word >> _LENGTH_BITS, word & LONGEST
        if magic != MAGIC:
            raise self._damaged(
                offset, f"a record must begin with {MAGIC.hex()}, not {magic.hex()}"
            )
        if kind not in kinds:
            raise self._damaged(offset, f"a part of kind {kind} cannot be here")
        padded = length + -length % 4
        content = self._read(padded)
        if len(content) < padded:
            raise self._damaged(offset, f"the file has {len(content)} of a record's {padded} bytes")
        return kind, content[:length] if padded > length else content, _HEADER.size + padded

    def _damaged(self, offset: int, reason: str) -> FileFormatError:
        return FileFormatError(
            describe(f"{self._name}: damaged at byte {offset}: {reason}", where="RecordIO")
        )


def next_begin(stream: IO[bytes], offset: int) -> int:
    """The offset of the first record at or after an offset; the file's end if there is none."""
    stream.seek(offset)
    while len(header := stream.read(_HEADER.size)) == _HEADER.size:
        magic, word = _HEADER.unpack(header)
        if magic == MAGIC and word >> _LENGTH_BITS in _STARTS:
            return offset
        offset += len(MAGIC)
        stream.seek(offset)
    return stream.seek(0, 2)
