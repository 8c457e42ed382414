"""A picture as SVG, and as the lines and texts that other formats share with it."""

from collections.abc import Iterator, Sequence
from html import escape
from itertools import pairwise
from typing import NamedTuple

from gluonic.drawing.details import shortened
from gluonic.drawing.families import FAMILIES
from gluonic.drawing.layout import DrawingLayout, Point, layout
from gluonic.drawing.picture import Box, Picture

TITLE_SIZE, SMALL_SIZE = 12.0, 10.0
FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"
_LINE = 15.0
_PADDING = 12.0
_LONGEST_NAME = 36
_EDGE = "#94a3b8"
_LABEL = "#475569"


class Text(NamedTuple):
    """A line of text, centred."""

    text: str
    size: float
    bold: bool


def box_texts(box: Box) -> list[Text]:
    """List the lines in a box."""
    title = f"{box.title} {box.detail}" if len(box.title) + len(box.detail) < 30 else box.title
    lines = [Text(shortened(title, _LONGEST_NAME), TITLE_SIZE, True)]
    if box.detail and title == box.title:
        lines.append(Text(box.detail, SMALL_SIZE, False))
    if box.name:
        lines.append(Text(shortened(box.name, _LONGEST_NAME), SMALL_SIZE, False))
    return lines


_NARROW, _WIDE = set("ijl.,:;'|!()[]{}Itfr/ "), set("mwMW@%→…")


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Estimate the width of a text in Helvetica."""
    total = 0.0
    for c in text:
        if c in _NARROW:
            total += 0.3
        elif c in _WIDE:
            total += 0.86
        elif ord(c) > 0x2E7F:
            total += 1.0
        else:
            total += 0.68 if c.isupper() else 0.56
    return total * size * (1.06 if bold else 1.0)


def box_size(box: Box) -> tuple[float, float]:
    """Find the width and height of a box."""
    texts = box_texts(box)
    width = max(text_width(t.text, t.size, t.bold) for t in texts)
    return max(64.0, width + 2 * _PADDING), len(texts) * _LINE + _PADDING


def place(picture: Picture) -> tuple[list[tuple[float, float]], DrawingLayout]:
    """Lay a picture out; the sizes of the boxes, and where all is."""
    sizes = [box_size(box) for box in picture.boxes]
    labelled = any(arrow.label for arrow in picture.arrows)
    arrows = [(arrow.source, arrow.target) for arrow in picture.arrows]
    return sizes, layout(sizes, arrows, gap=48.0 if labelled else 34.0)


class Curve(NamedTuple):
    """A piece of an arrow: a cubic curve."""

    start: Point
    control1: Point
    control2: Point
    end: Point


def curves(
    picture: Picture, sizes: Sequence[tuple[float, float]], found: DrawingLayout
) -> list[list[Curve]]:
    """Draw the arrows as curves that leave and enter boxes vertically."""
    drawn = []
    for arrow, way in zip(picture.arrows, found.paths, strict=True):
        source, target = found.points[arrow.source], found.points[arrow.target]
        start = Point(source.x, source.y + sizes[arrow.source][1] / 2)
        end = Point(target.x, target.y - sizes[arrow.target][1] / 2 - 5)
        points = [start, *way, end]
        drawn.append([_curve(a, b) for a, b in pairwise(points)])
    return drawn


def _curve(start: Point, end: Point) -> Curve:
    bend = (end.y - start.y) / 2
    return Curve(start, Point(start.x, start.y + bend), Point(end.x, end.y - bend), end)


def svg(picture: Picture) -> str:
    """Write a picture as an SVG document."""
    sizes, found = place(picture)
    return "\n".join(_document(picture, sizes, found))


def _document(
    picture: Picture, sizes: Sequence[tuple[float, float]], found: DrawingLayout
) -> Iterator[str]:
    width, height = f"{found.width:.0f}", f"{found.height:.0f}"
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="{FONT}" text-anchor="middle">'
    )
    yield f"<title>{xml(picture.title)}</title>"
    yield (
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="3" refY="4" markerWidth="7" '
        f'markerHeight="7" orient="auto"><path d="M0 0.5 7 4 0 7.5Z" fill="{_EDGE}"/></marker></defs>'
    )
    yield f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
    drawn = curves(picture, sizes, found)
    yield f'<g fill="none" stroke="{_EDGE}" stroke-width="1.4" marker-end="url(#tip)">'
    for pieces in drawn:
        yield f'<path d="{_path(pieces)}"/>'
    yield "</g>"
    for box, size, middle in zip(picture.boxes, sizes, found.points, strict=True):
        yield from _box(box, size, middle)
    yield (
        f'<g font-size="{SMALL_SIZE:g}" fill="{_LABEL}" stroke="#ffffff" stroke-width="3" '
        'paint-order="stroke">'
    )
    for spot, label in labels(picture, drawn):
        yield f'<text x="{spot.x:.1f}" y="{spot.y:.1f}">{xml(label)}</text>'
    yield "</g></svg>"


def labels(picture: Picture, drawn: Sequence[Sequence[Curve]]) -> Iterator[tuple[Point, str]]:
    """Find where the arrows' labels stand: below a box once, or at the ends if they differ."""
    of_source: dict[int, set[str]] = {}
    for arrow in picture.arrows:
        of_source.setdefault(arrow.source, set()).add(arrow.label)
    done: set[int] = set()
    for arrow, pieces in zip(picture.arrows, drawn, strict=True):
        if len(of_source[arrow.source]) > 1:
            last = pieces[-1]
            middle = Point((last.start.x + last.end.x) / 2, (last.start.y + last.end.y) / 2 + 3)
            yield middle, arrow.label
        elif arrow.label and arrow.source not in done:
            yield Point(pieces[0].start.x, pieces[0].start.y + 15), arrow.label
        done.add(arrow.source)


def _path(pieces: Sequence[Curve]) -> str:
    first = pieces[0].start
    words = [f"M{first.x:.1f} {first.y:.1f}"]
    for piece in pieces:
        points = (piece.control1, piece.control2, piece.end)
        words.append("C" + " ".join(f"{p.x:.1f} {p.y:.1f}" for p in points))
    return "".join(words)


def _box(box: Box, size: tuple[float, float], middle: Point) -> Iterator[str]:
    width, height = size
    colours = FAMILIES[box.family]
    radius = height / 2 if box.node.is_variable else 7
    dashes = ' stroke-dasharray="4 3"' if box.family == "unknown" else ""
    yield f"<g><title>{xml(box.tooltip)}</title>"
    yield (
        f'<rect x="{middle.x - width / 2:.1f}" y="{middle.y - height / 2:.1f}" width="{width:.1f}" '
        f'height="{height:.1f}" rx="{radius:g}" fill="{colours.fill}" stroke="{colours.line}" '
        f'stroke-width="1.3"{dashes}/>'
    )
    for text, baseline in baselines(box, middle):
        weight = ' font-weight="bold"' if text.bold else ' opacity="0.75"'
        yield (
            f'<text x="{middle.x:.1f}" y="{baseline:.1f}" font-size="{text.size:g}" '
            f'fill="{colours.text}"{weight}>{xml(text.text)}</text>'
        )
    yield "</g>"


def baselines(box: Box, middle: Point) -> list[tuple[Text, float]]:
    """List the lines in a box with the heights they stand at."""
    texts = box_texts(box)
    top = middle.y - len(texts) * _LINE / 2
    return [(text, top + i * _LINE + 11) for i, text in enumerate(texts)]


def xml(text: str) -> str:
    """Escape a text for XML and HTML; characters that XML does not allow become question marks."""
    allowed = (
        c
        if c in "\t\n\r" or " " <= c <= "\ud7ff" or "\ue000" <= c <= "\ufffd" or c > "\uffff"
        else "?"
        for c in text
    )
    return escape("".join(allowed), quote=True)
