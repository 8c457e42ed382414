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
    """Return what is written to a file for a record.

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
    place = record.find(MAGIC)
    while place >= 0:
        if place % 4 == 0:
            yield place
        place = record.find(MAGIC, place + (4 if place % 4 == 0 else 1))


class Frames:
    """The records of a file, one after the other.

    Parameters
    ----------
    read : reads a number of bytes, fewer at the end
    name : the file, for errors
    place : the offset, in bytes, where reading begins
    go_to : seeks to an offset

    Attributes
    ----------
    place : the offset, in bytes, of the next record
    """

    def __init__(
        self,
        read: Callable[[int], bytes],
        name: str,
        place: int = 0,
        go_to: Callable[[int], object] | None = None,
    ) -> None:
        self._read, self._name, self.place, self._go_to = read, name, place, go_to

    def seek(self, place: int) -> None:
        """Go to the record that begins at a byte."""
        assert self._go_to is not None
        self._go_to(place)
        self.place = place

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
        kind, content, length = self._part(header, self.place, _STARTS)
        parts = [content]
        while kind not in _ENDS:
            header = self._read(_HEADER.size)
            kind, content, more = self._part(header, self.place + length, (_MIDDLE, _LAST))
            parts.append(content)
            length += more
        self.place += length
        return parts[0] if len(parts) == 1 else MAGIC.join(parts)

    def _part(self, header: bytes, place: int, kinds: tuple[int, ...]) -> tuple[int, bytes, int]:
        """The kind and the content of a part whose header has been read, and how long the whole part is."""
        if len(header) < _HEADER.size:
            raise self._damaged(place, f"the file ends after {len(header)} bytes of a header")
        magic, word = _HEADER.unpack(header)
        kind, length = word >> _LENGTH_BITS, word & LONGEST
        if magic != MAGIC:
            raise self._damaged(place, f"a record must begin with {MAGIC.hex()}, not {magic.hex()}")
        if kind not in kinds:
            raise self._damaged(place, f"a part of kind {kind} cannot stand here")
        padded = length + -length % 4
        content = self._read(padded)
        if len(content) < padded:
            raise self._damaged(place, f"the file has {len(content)} of a record's {padded} bytes")
        return kind, content[:length] if padded > length else content, _HEADER.size + padded

    def _damaged(self, place: int, reason: str) -> FileFormatError:
        return FileFormatError(
            describe(f"{self._name}: damaged at byte {place}: {reason}", where="RecordIO")
        )


def next_begin(stream: IO[bytes], place: int) -> int:
    """The offset of the first record at or after an offset; the file's end if there is none."""
    stream.seek(place)
    while len(header := stream.read(_HEADER.size)) == _HEADER.size:
        magic, word = _HEADER.unpack(header)
        if magic == MAGIC and word >> _LENGTH_BITS in _STARTS:
            return place
        place += len(MAGIC)
        stream.seek(place)
    return stream.seek(0, 2)
