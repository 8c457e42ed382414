"""Object files of WebAssembly, as LLVM writes them: sections, symbols, and the places that linking fills in.

The format is that of the tool conventions of WebAssembly (Linking.md), version 2.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

IMPORTS, CODE, DATA = 2, 10, 11
"""The numbers of sections."""
FUNCTION, SEGMENT, GLOBAL = 0, 1, 2
"""Kinds of symbols: functions, places in segments of data, globals."""
_UNDEFINED, _NAMED = 0x10, 0x40
_SEGMENTS, _SYMBOLS = 5, 8
_WITH_ADDENDS = (3, 4, 5, 8, 9)
"""The types of places whose contents are an address and a number that is added to it."""
_CONSTANT, _END = 0x41, 0x0B
"""Instructions: ``i32.const``, ``end``."""
_Item = TypeVar("_Item")


@dataclass
class ObjectSymbol:
    """A name of an object file.

    Attributes
    ----------
    kind : `FUNCTION`, `SEGMENT` or `GLOBAL`; others are not read
    name : the name
    is_defined : whether this file defines it
    index : the function's or the segment's
    offset : in the segment, in bytes
    """

    kind: int
    name: str
    is_defined: bool
    index: int = 0
    offset: int = 0


@dataclass
class LinkedPlace:
    """A place that linking fills in.

    Attributes
    ----------
    kind : its type
    offset : in the section's contents, in bytes
    symbol : the index of the symbol that it refers to, or that of a type
    addend : is added to an address
    """

    kind: int
    offset: int
    symbol: int
    addend: int


@dataclass
class DataSegment:
    """A segment of data.

    Attributes
    ----------
    name : its name
    alignment : in bytes
    begin : where its contents begin in the section, in bytes
    contents : its bytes
    """

    name: str
    alignment: int
    begin: int
    contents: bytearray


@dataclass
class NeededImport:
    """What a file needs from elsewhere: its name, its kind (0 is a function), and its description in bytes."""

    name: str
    kind: int
    description: bytes


@dataclass
class WasmObject:
    """An object file.

    Attributes
    ----------
    sections : the contents of sections by number, without custom ones
    imports : what it needs
    symbols, segments : in order
    places : those in the code and in the data, by section
    """

    sections: dict[int, bytearray] = field(default_factory=dict)
    imports: list[NeededImport] = field(default_factory=list)
    symbols: list[ObjectSymbol] = field(default_factory=list)
    segments: list[DataSegment] = field(default_factory=list)
    places: dict[int, list[LinkedPlace]] = field(default_factory=dict)

    def needed(self) -> list[str]:
        """The names of the functions that it needs from elsewhere."""
        return [each.name for each in self.imports if each.kind == FUNCTION]


class WasmReader:
    """Reads numbers and names from bytes, one after the other."""

    def __init__(self, contents: bytes | bytearray, offset: int = 0) -> None:
        self.contents, self.offset = contents, offset

    def byte(self) -> int:
        """A byte."""
        self.offset += 1
        return self.contents[self.offset - 1]

    def number(self) -> int:
        """An unsigned number of variable length (LEB128)."""
        return self._number()[0]

    def signed(self) -> int:
        """A signed number of variable length."""
        value, bits, last = self._number()
        return value - (1 << bits) if last & 0x40 else value

    def _number(self) -> tuple[int, int, int]:
        value = bits = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << bits
            bits += 7
            if not byte & 0x80:
                return value, bits, byte

    def bytes(self) -> bytes:
        """Bytes, after their number."""
        size = self.number()
        self.offset += size
        return bytes(self.contents[self.offset - size : self.offset])

    def name(self) -> str:
        """A name."""
        return self.bytes().decode()

    def all(self, read: Callable[[], _Item]) -> list[_Item]:
        """Items, after their number."""
        return [read() for _ in range(self.number())]


def unsigned(value: int) -> bytes:
    """A number of variable length.

    >>> unsigned(300).hex()
    'ac02'
    """
    shown = bytearray()
    while value >= 0x80:
        shown.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*shown, value])


def read_object(image: bytes) -> WasmObject:
    """Read an object file."""
    assert image[:8] == b"\0asm\1\0\0\0"
    found, order = WasmObject(), []
    reader = WasmReader(image, 8)
    while reader.offset < len(image):
        number = reader.byte()
        contents = reader.bytes()
        if number:
            order.append(number)
            found.sections[number] = bytearray(contents)
            continue
        custom = WasmReader(contents)
        name = custom.name()
        if name == "linking":
            _read_linking(custom, found)
        elif name in ("reloc.CODE", "reloc.DATA"):
            section = order[custom.number()] if len(order) > 1 else order[0]
            found.places[section] = custom.all(partial(_place, custom))
    return found


def _place(reader: WasmReader) -> LinkedPlace:
    kind, offset, symbol = reader.byte(), reader.number(), reader.number()
    return LinkedPlace(kind, offset, symbol, reader.signed() if kind in _WITH_ADDENDS else 0)


def _read_linking(reader: WasmReader, found: WasmObject) -> None:
    assert reader.number() == 2
    _read_segments(found)
    _read_imports(found)
    while reader.offset < len(reader.contents):
        kind, part = reader.byte(), WasmReader(reader.bytes())
        if kind == _SEGMENTS:
            for segment in found.segments[: part.number()]:
                segment.name, segment.alignment = part.name(), 1 << part.number()
                part.number()
        elif kind == _SYMBOLS:
            found.symbols = part.all(partial(_symbol, part, found))


def _read_segments(found: WasmObject) -> None:
    reader = WasmReader(found.sections.get(DATA, b"\0"))

    def segment() -> DataSegment:
        assert (reader.number(), reader.byte()) == (0, _CONSTANT)
        reader.signed()  # an address that the linker replaces
        assert reader.byte() == _END
        size = reader.number()
        begin = reader.offset
        reader.offset += size
        return DataSegment("", 1, begin, bytearray(reader.contents[begin : reader.offset]))

    found.segments = reader.all(segment)


def _read_imports(found: WasmObject) -> None:
    reader = WasmReader(found.sections.get(IMPORTS, b"\0"))

    def needed() -> NeededImport:
        reader.name()
        name, kind = reader.name(), reader.byte()
        begin = reader.offset
        if kind == 1:  # a table: its type
            reader.byte()
        if kind in (1, 2):  # limits
            if reader.byte() & 1:
                reader.number()
            reader.number()
        elif kind == 3:  # a global: its type, and whether it changes
            reader.offset += 2
        else:
            reader.number()
        return NeededImport(name, kind, bytes(reader.contents[begin : reader.offset]))

    found.imports = reader.all(needed)


def _symbol(reader: WasmReader, found: WasmObject) -> ObjectSymbol:
    kind, flags = reader.byte(), reader.number()
    is_defined = not flags & _UNDEFINED
    if kind == SEGMENT:
        name = reader.name()
        if not is_defined:
            return ObjectSymbol(kind, name, False)
        index, offset = reader.number(), reader.number()
        reader.number()
        return ObjectSymbol(kind, name, True, index, offset)
    index = reader.number()
    if kind == 3:  # a section
        return ObjectSymbol(kind, "", True, index)
    if is_defined or flags & _NAMED:
        return ObjectSymbol(kind, reader.name(), is_defined, index)
    return ObjectSymbol(
        kind, [i for i in found.imports if i.kind == _IMPORT_KINDS[kind]][index].name, False, index
    )


_IMPORT_KINDS = {FUNCTION: 0, GLOBAL: 3, 5: 1}
"""The kinds of imports by kinds of symbols."""
