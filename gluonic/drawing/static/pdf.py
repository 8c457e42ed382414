"""A picture as a PDF document of one page: rounded boxes, curves and Helvetica, a standard font."""

import re
import zlib
from collections.abc import Iterator

from gluonic.drawing.static.helvetica import text_width
from gluonic.drawing.static.laid import Point
from gluonic.drawing.static.scene import EDGE, GROUND, Curve, Scene, Style, Words

_ROUND = 0.5523  # a quarter of a circle as a cubic curve
_SPELLED = str.maketrans({"→": "->", "−": "-"})
_LARGEST_PAGE = 14_400.0  # points; larger pictures are scaled down


def pdf(scene: Scene, title: str) -> bytes:
    """Write a picture as a PDF document.

    Parameters
    ----------
    scene : the scene to draw
    title : its title
    """
    scale = min(1.0, _LARGEST_PAGE / max(scene.width, scene.height))
    width, height = scene.width * scale, scene.height * scale
    painter = _PdfPainter([f"{scale:.6f} 0 0 {-scale:.6f} 0 {height:.2f} cm"])
    scene.paint(painter)
    content = "\n".join(painter.commands).encode("latin-1")
    return b"".join(_file(content, (width, height), title))


class _PdfPainter:
    def __init__(self, commands: list[str]) -> None:
        self.commands = commands

    def rectangle(
        self, x: float, y: float, width: float, height: float, radius: float, style: Style
    ) -> None:
        look = [f"{_rgb(style.fill)} rg"]
        if style.line:
            look.append(f"{_rgb(style.line)} RG {style.width:g} w")
            look.append("[5 3] 0 d" if style.is_dashed else "[] 0 d")
        shape = _rounded(x, y, width, height, min(radius, width / 2, height / 2))
        self.commands += [*look, f"{shape} {'b' if style.line else 'f'}", "[] 0 d"]

    def words(self, words: Words) -> None:
        width = text_width(words.text, words.size, words.bold)
        left = words.x - (width / 2 if words.is_centred else 0)
        if words.has_halo:
            self.commands.append(
                f"{_rgb(GROUND)} rg {left:.1f} {words.y - 8:.1f} {width:.1f} 10 re f"
            )
        font = "/B" if words.bold else "/R"
        self.commands.append(
            f"{_rgb(words.colour)} rg BT {font} {words.size:g} Tf 1 0 0 -1 {left:.1f} {words.y:.1f} Tm "
            f"({_literal(words.text)}) Tj ET"
        )

    def line(self, start: Point, curves: list[Curve], width: float) -> None:
        path = [f"{_rgb(EDGE)} RG {width:.2f} w {start.x:.1f} {start.y:.1f} m"]
        for controls, end in curves:
            points = " ".join(f"{x:.1f} {y:.1f}" for x, y in [*(controls or ()), end])
            path.append(f"{points} {'c' if controls else 'l'}")
        self.commands.append(" ".join(path) + " S")

    def tip(self, x: float, y: float) -> None:
        self.commands.append(
            f"{_rgb(EDGE)} rg {x:.1f} {y:.1f} m {x - 3.6:.1f} {y - 7:.1f} l "
            f"{x + 3.6:.1f} {y - 7:.1f} l f"
        )


def _rgb(colour: str) -> str:
    return " ".join(f"{int(colour[i : i + 2], 16) / 255:.3f}" for i in (1, 3, 5))


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
        f"{x:.1f} {y + r:.1f} l {x:.1f} {y + k:.1f} {x + k:.1f} {y:.1f} {x + r:.1f} {y:.1f} c"
    )


def _literal(text: str) -> str:
    """Escape a text for PDF; characters that its standard encoding lacks become question marks."""
    latin = text.translate(_SPELLED).encode("cp1252", "replace").decode("latin-1")
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
