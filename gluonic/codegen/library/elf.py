"""Object files in ELF: the contents of a section, and the names that a file needs from elsewhere."""

import struct
from collections.abc import Iterator
from typing import NamedTuple

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_SYMBOL_TABLES = 2, 11
"""The types of tables of symbols: of all, and of those that dynamic linking needs."""


class Section(NamedTuple):
    """A section: its name, its type, its bytes in the file, and the index of the table of its names."""

    name: str
    kind: int
    offset: int
    size: int
    names: int


def sections(image: bytes | bytearray) -> list[Section]:
    """The sections of an object file or a shared library of 64 bits."""
    fields = _HEADER.unpack_from(image)
    start, size, count, names = fields[6], fields[11], fields[12], fields[13]
    headers = [_SECTION.unpack_from(image, start + number * size) for number in range(count)]
    text = headers[names][4]
    return [Section(_text(image, text + h[0]), h[1], h[4], h[5], h[6]) for h in headers]


def section(image: bytes | bytearray, name: str) -> Section:
    """The section of a name."""
    return next(found for found in sections(image) if found.name == name)


def undefined_names(image: bytes | bytearray) -> list[str]:
    """The names of symbols that are defined elsewhere, sorted."""
    return sorted({name for name, is_defined in _symbols(image) if name and not is_defined})


def defined_names(image: bytes | bytearray) -> list[str]:
    """The names of global symbols that are defined here, sorted."""
    return sorted({name for name, is_defined in _symbols(image) if name and is_defined})


def _symbols(image: bytes | bytearray) -> Iterator[tuple[str, bool]]:
    """The names of global symbols, and whether they are defined."""
    listed = sections(image)
    for table in listed:
        if table.kind not in _SYMBOL_TABLES:
            continue
        names = listed[table.names].offset
        for offset in range(table.offset, table.offset + table.size, _SYMBOL.size):
            name, information, _, where, _, _ = _SYMBOL.unpack_from(image, offset)
            if information >> 4:  # not local
                yield _text(image, names + name).partition("@")[0], where != 0  # without version


def _text(image: bytes | bytearray, offset: int) -> str:
    return bytes(image[offset : image.index(b"\0", offset)]).decode()
