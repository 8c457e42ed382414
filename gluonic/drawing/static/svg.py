"""A picture as an SVG document."""

from html import escape

from gluonic.drawing.static.laid import Point
from gluonic.drawing.static.scene import EDGE, GROUND, Curve, Scene, Style, Words

_FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"


def svg(scene: Scene, title: str, scale: float = 1.0) -> str:
    """Write a picture as an SVG document.

    Parameters
    ----------
    scene : the scene to draw
    title : its title
    scale : size of a unit, in pixels
    """
    painter = _SvgPainter()
    scene.paint(painter)
    size = f'width="{scene.width * scale:.0f}" height="{scene.height * scale:.0f}"'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} '
        f'viewBox="0 0 {scene.width:.0f} {scene.height:.0f}" font-family="{_FONT}">'
    )
    ground = f'<rect width="100%" height="100%" fill="{GROUND}"/>'
    return "\n".join([head, f"<title>{xml(title)}</title>", ground, *painter.parts, "</svg>\n"])


class _SvgPainter:
    def __init__(self) -> None:
        self.parts: list[str] = []

    def rectangle(
        self, x: float, y: float, width: float, height: float, radius: float, style: Style
    ) -> None:
        dashes = ' stroke-dasharray="5 3"' if style.is_dashed else ""
        line = f' stroke="{style.line}" stroke-width="{style.width:g}"{dashes}'
        self.parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
            f'rx="{radius:g}" fill="{style.fill}"{line if style.line else ""}/>'
        )

    def words(self, words: Words) -> None:
        bold = ' font-weight="bold"' if words.bold else ""
        anchor = ' text-anchor="middle"' if words.is_centred else ""
        halo = f' stroke="{GROUND}" stroke-width="3" paint-order="stroke"' if words.has_halo else ""
        self.parts.append(
            f'<text x="{words.x:.1f}" y="{words.y:.1f}" font-size="{words.size:g}" '
            f'fill="{words.colour}"{anchor}{bold}{halo}>{xml(words.text)}</text>'
        )

    def line(self, start: Point, curves: list[Curve], width: float) -> None:
        path = [f"M{start.x:.1f} {start.y:.1f}"]
        for controls, end in curves:
            points = [*(controls or ()), end]
            path.append(
                ("C" if controls else "L") + " ".join(f"{x:.1f} {y:.1f}" for x, y in points)
            )
        self.parts.append(
            f'<path d="{"".join(path)}" fill="none" stroke="{EDGE}" stroke-width="{width:.2f}"/>'
        )

    def tip(self, x: float, y: float) -> None:
        points = f"{x:.1f},{y:.1f} {x - 3.6:.1f},{y - 7:.1f} {x + 3.6:.1f},{y - 7:.1f}"
        self.parts.append(f'<polygon points="{points}" fill="{EDGE}"/>')


def xml(text: str) -> str:
    """Escape a text for XML and HTML; characters that XML does not allow become question marks."""
    allowed = (
        c
        if c in "\t\n\r" or " " <= c <= "\ud7ff" or "\ue000" <= c <= "\ufffd" or c > "\uffff"
        else "?"
        for c in text
    )
    return escape("".join(allowed), quote=True)
