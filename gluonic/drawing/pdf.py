"""A picture as a PDF document of one page: rounded boxes, curves and Helvetica, which readers have."""

import re
import zlib
from collections.abc import Iterator

from gluonic.drawing.families import FAMILIES
from gluonic.drawing.layout import Point
from gluonic.drawing.picture import Box, Picture
from gluonic.drawing.svg import SMALL_SIZE, Text, baselines, curves, labels, place, text_width

_ROUND = 0.5523  # a quarter of a circle as a cubic curve
_LARGEST_PAGE = 14_400.0  # points; larger pictures are scaled down


def pdf(picture: Picture) -> bytes:
    """Write a picture as a PDF document."""
    sizes, found = place(picture)
    scale = min(1.0, _LARGEST_PAGE / max(found.width, found.height))
    commands = [f"{scale:.6f} 0 0 {-scale:.6f} 0 {found.height * scale:.2f} cm", "1.3 w"]
    drawn = curves(picture, sizes, found)
    for pieces in drawn:
        commands.append(f"{_rgb('#94a3b8')} RG {_rgb('#94a3b8')} rg")
        first = pieces[0].start
        path = [f"{first.x:.1f} {first.y:.1f} m"]
        for piece in pieces:
            points = (piece.control1, piece.control2, piece.end)
            path.append(" ".join(f"{p.x:.1f} {p.y:.1f}" for p in points) + " c")
        commands.append(" ".join(path) + " S")
        commands.append(_tip(pieces[-1].end))
    for box, size, middle in zip(picture.boxes, sizes, found.points, strict=True):
        commands += _box(box, size, middle)
    for spot, label in labels(picture, drawn):
        width = text_width(label, SMALL_SIZE)
        commands.append(f"1 1 1 rg {spot.x - width / 2:.1f} {spot.y - 8:.1f} {width:.1f} 10 re f")
        commands.append(_text(Text(label, SMALL_SIZE, False), spot.x, spot.y, "#475569"))
    page = (found.width * scale, found.height * scale)
    return b"".join(_file("\n".join(commands).encode("latin-1"), page, picture.title))


def _rgb(colour: str) -> str:
    return " ".join(f"{int(colour[i : i + 2], 16) / 255:.3f}" for i in (1, 3, 5))


def _tip(end: Point) -> str:
    x, y = end
    return f"{x - 3:.1f} {y - 2:.1f} m {x + 3:.1f} {y - 2:.1f} l {x:.1f} {y + 4:.1f} l f"


def _box(box: Box, size: tuple[float, float], middle: Point) -> Iterator[str]:
    colours = FAMILIES[box.family]
    yield f"{_rgb(colours.fill)} rg {_rgb(colours.line)} RG"
    yield "[4 3] 0 d" if box.family == "unknown" else "[] 0 d"
    radius = size[1] / 2 if box.node.is_variable else 7.0
    yield _rounded(middle.x - size[0] / 2, middle.y - size[1] / 2, *size, radius)
    yield "[] 0 d"
    for text, baseline in baselines(box, middle):
        yield _text(text, middle.x, baseline, colours.text)


def _rounded(x: float, y: float, width: float, height: float, r: float) -> str:
    k = r * (1 - _ROUND)
    right, bottom = x + width, y + height
    return (
        f"{x + r:.1f} {y:.1f} m {right - r:.1f} {y:.1f} l "
        f"{right - k:.1f} {y:.1f} {right:.1f} {y + k:.1f} {right:.1f} {y + r:.1f} c "
        f"{right:.1f} {bottom - r:.1f} l "
        f"{right:.1f} {bottom - k:.1f} {right - k:.1f} {bottom:.1f} {right - r:.1f} {bottom:.1f} c "
        f"{x + r:.1f} {bottom:.1f} l "
        f"{x + k:.1f} {bottom:.1f} {x:.1f} {bottom - k:.1f} {x:.1f} {bottom - r:.1f} c "
        f"{x:.1f} {y + r:.1f} l {x:.1f} {y + k:.1f} {x + k:.1f} {y:.1f} {x + r:.1f} {y:.1f} c b"
    )


def _text(text: Text, x: float, y: float, colour: str) -> str:
    left = x - text_width(text.text, text.size, text.bold) / 2
    font = "/B" if text.bold else "/R"
    return (
        f"{_rgb(colour)} rg BT {font} {text.size:g} Tf 1 0 0 -1 {left:.1f} {y:.1f} Tm "
        f"({_literal(text.text)}) Tj ET"
    )


def _literal(text: str) -> str:
    """Escape a text for PDF; characters that its standard encoding lacks become question marks."""
    latin = text.encode("cp1252", "replace").decode("latin-1")
    return re.sub(r"([()\\])", r"\\\1", re.sub(r"[\x00-\x1f]", " ", latin))


def _file(content: bytes, page: tuple[float, float], title: str) -> Iterator[bytes]:
    stream = zlib.compress(content)
    font = "<< /Type /Font /Subtype /Type1 /BaseFont /{} /Encoding /WinAnsiEncoding >>"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {page[0]:.2f} {page[1]:.2f}] "
            "/Resources << /Font << /R 5 0 R /B 6 0 R >> >> /Contents 4 0 R >>"
        ).encode(),
        f"<< /Length {len(stream)} /Filter /FlateDecode >>\nstream\n".encode()
        + stream
        + b"\nendstream",
        font.format("Helvetica").encode(),
        font.format("Helvetica-Bold").encode(),
        f"<< /Title ({_literal(title)}) /Producer (gluonic) >>".encode("latin-1"),
    ]
    position = 0
    starts = []
    head = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"
    yield head
    position += len(head)
    for number, body in enumerate(objects, 1):
        starts.append(position)
        text = f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
        yield text
        position += len(text)
    rows = "".join(f"{start:010d} 00000 n \n" for start in starts)
    yield (
        f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{rows}"
        f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R /Info 7 0 R >>\n"
        f"startxref\n{position}\n%%EOF\n"
    ).encode()
