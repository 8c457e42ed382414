"""The sizes that image files state, read from their first bytes: decoding a small file may take gigabytes.

All formats that OpenCV reads are here. What states no size where its format has it is left to the decoder.
"""

import re
import struct
from collections.abc import Callable
from math import prod
from typing import Any

_JPEG_FRAMES = {0xC0 + i for i in range(16)} - {0xC4, 0xC8, 0xCC}
_MARKER = re.compile(rb"\xff[^\0\xff]", re.DOTALL)  # decoders skip what is before it
_JPEG_ALONE = {0x01, *range(0xD0, 0xD9)}  # markers without a length
_TIFF_WIDTH, _TIFF_HEIGHT = 256, 257
_TIFF_CODES = {1: "B", 3: "H", 4: "I", 16: "Q"}

Size = tuple[int, int]


def stated_pixels(data: memoryview) -> int:
    """The number of pixels of the image that a file of these bytes holds; 0 if it does not state it."""
    for beginning, read in _FORMATS:
        if beginning.match(data):
            try:
                width, height = read(data)
            except (struct.error, ValueError):  # the file is damaged here
                return 0
            return abs(width * height)
    return 0


def _at(code: str, offset: int) -> Callable[[Any], Size]:
    """The reader of a format that has width and height, in this order, at one place."""

    def read(data: Any) -> Size:
        width, height = struct.unpack_from(code, data, offset)
        return width, height

    return read


def _matched(pattern: bytes, code: str = "") -> Callable[[Any], Size]:
    """The reader of a format that has width and height, as digits or as numbers, after something else.

    Of several, which may be there to hide one, it returns the largest.
    """
    place = re.compile(pattern, re.DOTALL)

    def number(text: bytes) -> int:
        return int(struct.unpack(code, text)[0]) if code else int(text)

    def read(data: Any) -> Size:
        sizes = [(number(found["w"]), number(found["h"])) for found in place.finditer(data)]
        return max(sizes, key=prod, default=(0, 0))

    return read


def _of_bitmap(data: Any) -> Size:
    return _at("<HH" if data[14:18] == b"\x0c\0\0\0" else "<ii", 18)(data)


def _of_jpeg(data: Any) -> Size:
    at = 2
    while marker := _MARKER.search(data, at):
        (kind,), at = data[marker.end() - 1 : marker.end()], marker.end()
        if kind in _JPEG_FRAMES:
            height, width = struct.unpack_from(">HH", data, at + 3)
            return width, height
        if kind not in _JPEG_ALONE:
            at += max(2, *struct.unpack_from(">H", data, at))
    return 0, 0


def _of_webp(data: Any) -> Size:
    kind = data[12:16]
    if kind == b"VP8 ":
        width, height = struct.unpack_from("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF
    if kind == b"VP8L":
        (word,) = struct.unpack_from("<I", data, 21)
        return 1 + (word & 0x3FFF), 1 + (word >> 14 & 0x3FFF)
    return tuple(1 + int.from_bytes(data[at : at + 3], "little") for at in (24, 27))  # type: ignore[return-value]


def _of_tiff(data: Any) -> Size:
    order = "<" if data[:2] == b"II" else ">"
    is_big = data[2:4] in (b"+\0", b"\0+")  # with offsets of 8 bytes
    offset, count = ("Q", "Q") if is_big else ("I", "H")
    entry = struct.Struct(f"{order}HH{offset}")
    value, length = entry.size, entry.size + struct.calcsize(f"{order}{offset}")
    (at,) = struct.unpack_from(order + offset, data, 8 if is_big else 4)
    (entries,) = struct.unpack_from(order + count, data, at)
    at += struct.calcsize(order + count)
    sizes = {_TIFF_WIDTH: 0, _TIFF_HEIGHT: 0}
    for place in range(at, min(at + entries * length, len(data)), length):
        tag, kind, _ = entry.unpack_from(data, place)
        if tag in sizes and kind in _TIFF_CODES:
            (length_of_side,) = struct.unpack_from(order + _TIFF_CODES[kind], data, place + value)
            sizes[tag] = max(sizes[tag], length_of_side)
    return sizes[_TIFF_WIDTH], sizes[_TIFF_HEIGHT]


_SPACE = rb"(?:\s|#[^\n]*\n)+"
_CODESTREAM = rb"\xff\x4f\xff\x51....(?P<w>....)(?P<h>....)"
_FORMATS = [
    (re.compile(beginning, re.DOTALL), read)
    for beginning, read in (
        (rb"\xff\xd8", _of_jpeg),
        (rb"\x89PNG\r\n\x1a\n", _at(">II", 16)),
        (rb"BM", _of_bitmap),
        (rb"GIF8", _at("<HH", 6)),
        (rb"RIFF....WEBP", _of_webp),
        (rb"II[*+]\0|MM\0[*+]", _of_tiff),
        (
            rb"P[1-6Ff]\s",
            _matched(rb"\AP." + _SPACE + rb"(?P<w>\d{1,18})" + _SPACE + rb"(?P<h>\d{1,18})"),
        ),
        (
            rb"P7\s",
            _matched(rb"\A(?=.*?WIDTH\s+(?P<w>\d{1,18}))(?=.*?HEIGHT\s+(?P<h>\d{1,18}))"),
        ),
        (rb"\x59\xa6\x6a\x95", _at(">II", 4)),
        (rb"#\?R", _matched(rb"[-+]Y\s+(?P<h>\d{1,18})\s+[-+]X\s+(?P<w>\d{1,18})")),
        (rb"....jP  |\xff\x4f\xff\x51", _matched(_CODESTREAM, ">I")),
        (rb"....ftyp", _matched(rb"ispe....(?P<w>....)(?P<h>....)", ">I")),
    )
]
