"""Linking one object file to a module of WebAssembly: addresses of data, a stack, exports."""

from collections.abc import Mapping, Sequence

from gluonic.codegen.library.web.object_file import (
    CODE,
    DATA,
    FUNCTION,
    SEGMENT,
    LinkedPlace,
    ObjectSymbol,
    WasmObject,
    unsigned,
)

_TYPES, _IMPORTS, _FUNCTIONS, _TABLES, _MEMORIES, _GLOBALS, _EXPORTS = range(1, 8)
_ELEMENTS, _DATA_COUNT = 9, 12
_STACK = 1 << 20
"""The bytes of the stack. It lies below all data, so that what outgrows it ends in a trap."""
_PAGE = 1 << 16
_ALIGNMENT = 16
_I32 = 0x7F
HEAP_BASE = "__heap_base"
"""The name of the first address behind all data."""


def link(file: WasmObject, exported: Sequence[str], contents: Mapping[str, bytes]) -> bytes:
    """Link an object file; returns the module.

    Parameters
    ----------
    file : the object file; its code is changed
    exported : names of functions that the module exports, beside its ``memory``
    contents : the bytes of segments, by name, in place of those in the file
    """
    for segment in file.segments:
        segment.contents = bytearray(contents.get(segment.name, segment.contents))
    layout = _Layout(file)
    for section in (CODE, DATA):
        for place in file.places.get(section, ()):
            _fill(file, section, place, layout)
    needed = [each for each in file.imports if each.kind == FUNCTION]
    imports = [_name("env") + _name(e.name) + b"\0" + e.description for e in needed]
    pages = unsigned(-(-layout.end // _PAGE))
    stack_pointer = bytes([_I32, 1, 0x41]) + _signed(_STACK) + b"\x0b"
    functions = {s.name: s.index for s in file.symbols if s.kind == FUNCTION and s.is_defined}
    exports = [_name("memory") + b"\2\0"]
    exports += [_name(name) + b"\0" + unsigned(functions[name]) for name in exported]
    data = [
        b"\0\x41" + _signed(base) + b"\x0b" + unsigned(len(segment.contents)) + segment.contents
        for segment, base in zip(file.segments, layout.bases, strict=True)
        if any(segment.contents)
    ]
    sections = {
        _TYPES: bytes(file.sections[_TYPES]),
        _IMPORTS: _listed(imports) if imports else b"",
        _FUNCTIONS: bytes(file.sections[_FUNCTIONS]),
        _TABLES: _listed([b"\x70\0" + unsigned(len(layout.called) + 1)]) if layout.called else b"",
        _MEMORIES: _listed([b"\0" + pages]),
        _GLOBALS: _listed([stack_pointer]),
        _EXPORTS: _listed(exports),
        _ELEMENTS: _listed([b"\0\x41\1\x0b" + _listed([*map(unsigned, layout.called)])])
        if layout.called
        else b"",
        _DATA_COUNT: unsigned(len(data)),
        CODE: bytes(file.sections[CODE]),
        DATA: _listed(data),
    }
    parts = [bytes([n]) + unsigned(len(c)) + c for n, c in sections.items() if c]
    return b"\0asm\1\0\0\0" + b"".join(parts)


class _Layout:
    """Where things are in the module.

    Attributes
    ----------
    bases : the address of each segment
    end : the first address behind all
    called : the indices of the functions that are called by address, which is their place in this list plus one
    """

    def __init__(self, file: WasmObject) -> None:
        self.bases: list[int] = []
        end = _STACK
        for segment in file.segments:
            end = _aligned(end, segment.alignment)
            self.bases.append(end)
            end += len(segment.contents)
        self.end = _aligned(end, _ALIGNMENT)
        places = [place for each in file.places.values() for place in each]
        taken = [file.symbols[place.symbol].index for place in places if place.kind in (1, 2)]
        self.called = [*dict.fromkeys(taken)]

    def value(self, place: LinkedPlace, symbol: ObjectSymbol) -> int:
        """The index of a function or a global, the address of a function or of data."""
        if place.kind in (1, 2):
            return self.called.index(symbol.index) + 1
        if symbol.kind != SEGMENT:
            return symbol.index
        if symbol.is_defined:
            return self.bases[symbol.index] + symbol.offset + place.addend
        assert symbol.name == HEAP_BASE, f"the code needs the data {symbol.name}"
        return self.end + place.addend


def _aligned(address: int, alignment: int) -> int:
    return -(-address // alignment) * alignment


def _fill(file: WasmObject, section: int, place: LinkedPlace, layout: _Layout) -> None:
    """Fill in a place: of an index, five bytes of variable length; of an address, these or four bytes."""
    if place.kind in (6, 20):  # a type or the only table, whose indices stay
        return
    value = layout.value(place, file.symbols[place.symbol])
    if place.kind in (0, 3, 7):
        shown = _padded(value, signed=False)
    elif place.kind in (1, 4):
        shown = _padded(value, signed=True)
    else:
        assert place.kind in (2, 5), f"the code has a place of type {place.kind}"
        shown = value.to_bytes(4, "little")
    if section == CODE:
        file.sections[CODE][place.offset : place.offset + len(shown)] = shown
        return
    segment = next(s for s in reversed(file.segments) if s.begin <= place.offset)
    offset = place.offset - segment.begin
    segment.contents[offset : offset + len(shown)] = shown


def _padded(value: int, *, signed: bool) -> bytes:
    """A number of 32 bits in five bytes of variable length."""
    bits = value & 0xFFFFFFFF if not signed else value & (1 << 35) - 1
    return bytes([bits >> 7 * i & 0x7F | (0x80 if i < 4 else 0) for i in range(5)])


def _signed(value: int) -> bytes:
    """An address as the operand of ``i32.const``."""
    return _padded(value, signed=True)


def _name(text: str) -> bytes:
    shown = text.encode()
    return unsigned(len(shown)) + shown


def _listed(items: Sequence[bytes]) -> bytes:
    return unsigned(len(items)) + b"".join(items)
