"""The scene: boxes, arrows and labels with positions and styles."""

import math
from collections.abc import Iterator, Sequence, Set
from itertools import pairwise
from typing import NamedTuple, Protocol

from gluonic.drawing.details import shortened
from gluonic.drawing.families import FAMILIES, Colours
from gluonic.drawing.static.box_texts import FRAME, LINE, QUIET_FRAME, STACK, BoxTexts
from gluonic.drawing.static.laid import PlacedArrow, PlacedBox, Point
from gluonic.drawing.static.layout import layout
from gluonic.drawing.static.shown_graph import ShownGraph

GROUND, INK, FAINT, EDGE, RIM = "#ffffff", "#0f172a", "#64748b", "#94a3b8", "#cbd5e1"
_GROUPS = "#f8fafc", "#f1f5f9"
_BLOCK = Colours("#ffffff", RIM, INK)
_QUIET = Colours(GROUND, RIM, FAINT)
_MARKS = {"added": "#16a34a", "removed": "#dc2626", "changed": "#d97706", "failed": "#dc2626"}


class Style(NamedTuple):
    """The style of a rectangle; without a line it has no border."""

    fill: str
    line: str = ""
    width: float = 1.2
    is_dashed: bool = False


class Words(NamedTuple):
    """A text with its position.

    Attributes
    ----------
    text : the text
    x, y : its start, or its centre, on the baseline
    size, bold, colour : its style
    is_centred : whether `x` is its centre
    has_halo : whether it has a halo in the background's colour
    """

    text: str
    x: float
    y: float
    size: float
    colour: str
    bold: bool = False
    is_centred: bool = True
    has_halo: bool = False


class Curve(NamedTuple):
    """A piece of an arrow: a cubic curve to a point; a straight line has no controls."""

    controls: tuple[tuple[float, float], tuple[float, float]] | None
    end: tuple[float, float]


class Painter(Protocol):
    """The output of drawing: an SVG document, or a PDF's page."""

    def rectangle(
        self, x: float, y: float, width: float, height: float, radius: float, style: Style
    ) -> None:
        """Draw a rectangle with round corners."""

    def words(self, words: Words) -> None:
        """Write a text."""

    def line(self, start: Point, curves: list[Curve], width: float) -> None:
        """Draw an arrow's line."""

    def tip(self, x: float, y: float) -> None:
        """Draw an arrow's tip, which points down to a position."""


class Label(NamedTuple):
    """A text beside an arrow."""

    text: str
    x: float
    y: float
    is_centred: bool


class Scene:
    """The visible part of a graph, laid out.

    Parameters
    ----------
    graph : the graph
    opened : the blocks that are open
    texts : the texts in boxes

    Attributes
    ----------
    width, height : the size of the picture
    boxes, arrows, labels : its contents, with positions
    """

    def __init__(self, graph: ShownGraph, opened: Set[int], texts: BoxTexts) -> None:
        self.graph, self.texts = graph, texts
        found = layout(graph, opened, texts)
        self.width, self.height = found.width, found.height
        self.boxes, self.arrows = found.boxes, found.arrows
        self.labels = list(self._labels())
        self._marks = {
            int(node): _MARKS[kind]
            for node, kind in graph.data.get("marks", {}).get("kinds", {}).items()
        }

    def _labels(self) -> Iterator[Label]:
        """The labels of arrows: one below each box that they leave; which output it is at their ends."""
        bottoms = {box.thing: box.y + box.height for box in self.boxes}
        outputs: dict[int, set[str]] = {}
        for arrow in self.arrows:
            if arrow.start is not None and arrow.start_port is None:
                outputs.setdefault(arrow.start, set()).update(arrow.flows)
        for arrow in self.arrows:
            first, last = arrow.points[0], arrow.points[-1]
            if arrow.is_far:
                yield Label(f"from {self._name_of(arrow.flows[0])}", first.x, first.y - 3, True)
                continue
            if arrow.start is None:
                continue
            if arrow.leaving and (text := self.texts.label(arrow.leaving, arrow.start)):
                yield Label(text, first.x + 6, bottoms[arrow.start] + 12, False)
            if arrow.start < 0 or arrow.start_port is not None:
                continue
            if len(arrow.flows) < len(outputs[arrow.start]):
                yield Label(which(arrow.flows), last.x + 6, last.y - 5, False)

    def _name_of(self, flow: str) -> str:
        return shortened(self.graph.nodes[int(flow.split(":")[0])]["name"], 24)

    def heft(self, arrow: PlacedArrow) -> float:
        """The line width of an arrow, by the size of its array and the number of its flows."""
        return max(map(self._heft, arrow.flows)) + math.log10(len(arrow.flows))

    def _heft(self, flow: str) -> float:
        shape = self.graph.shape_of(*map(int, flow.split(":")))
        known = [axis for axis in shape or () if axis is not None]
        if shape is None or len(known) < len(shape):
            return 1.3
        return 1.1 + min(1.4, math.log10(math.prod(known) + 1) / 5)

    # Drawing

    def paint(self, painter: Painter) -> None:
        """Draw everything, open blocks first."""
        for box in self.boxes:
            if box.inner is not None:
                self._open(painter, box)
        for arrow in self.arrows:
            painter.line(arrow.points[0], list(curves(arrow.points)), self.heft(arrow))
            if not arrow.is_entering:
                painter.tip(arrow.points[-1].x, arrow.points[-1].y)
        for box in self.boxes:
            if box.inner is None:
                self._closed(painter, box)
        for text, x, y, is_centred in self.labels:
            painter.words(Words(text, x, y, 10, FAINT, False, is_centred, True))

    def _open(self, painter: Painter, box: PlacedBox) -> None:
        style = Style(_GROUPS[box.depth % 2], RIM, 1)
        painter.rectangle(box.x, box.y, box.width, box.height, 10, style)
        title, detail = self.texts.head_texts(box.thing)
        painter.words(Words(title, box.x + 12, box.y + 17, 11.5, INK, True, False))
        if detail:
            x = box.x + 20 + self.texts.measure(title, 11.5, True)
            painter.words(Words(detail, x, box.y + 17, 11, FAINT, False, False))

    def _closed(self, painter: Painter, box: PlacedBox) -> None:
        thing, x, y = box.thing, box.x, box.y
        behind = STACK if self.texts.is_repeat(thing) else 0.0
        width, height = box.width - behind, box.height - behind
        family = "" if thing < 0 else self.graph.nodes[thing]["family"]
        colours = FAMILIES[family] if family else _BLOCK
        frame = FRAME
        if self.texts.is_quiet(thing):
            colours, frame = _QUIET, QUIET_FRAME
        mark = self._marks.get(thing, "")
        style = Style(colours.fill, mark or colours.line, 2.4 if mark else 1.2, family == "unknown")
        radius = height / 2 if thing >= 0 and not self.graph.is_operator(thing) else 7.0
        for shift in (behind, behind / 2) if behind else ():
            painter.rectangle(x + shift, y + shift, width, height, radius, style)
        painter.rectangle(x, y, width, height, radius, style)
        for number, (text, size, bold) in enumerate(self.texts.lines(thing)):
            colour = colours.text if bold or thing >= 0 else FAINT
            middle = y + 11.5 + frame / 2 + number * LINE
            painter.words(Words(text, x + width / 2, middle, size, colour, bold))
        if thing < 0:
            self._strip(painter, box._replace(width=width, height=height))

    def _strip(self, painter: Painter, box: PlacedBox) -> None:
        """Draw the strip of a closed block, with the families of its operators."""
        total = self.graph.total(box.thing)
        x, whole = box.x + 11, box.width - 22
        for family, count in sorted(total.families.items(), key=lambda pair: -pair[1]):
            width = whole * count / total.operators
            style = Style(FAMILIES[family].line)
            painter.rectangle(x, box.y + box.height - 10, max(0.5, width - 1), 3.5, 1, style)
            x += width


def which(flows: Sequence[str]) -> str:
    """Which of a node's outputs an arrow holds: ``output 2``, or how many."""
    return f"output {flows[0].split(':')[1]}" if len(flows) == 1 else f"{len(flows)} outputs"


def curves(points: list[Point]) -> Iterator[Curve]:
    """The pieces of a line through points, which bends between rows."""
    for a, b in pairwise(points):
        if b.around or b.bends:
            y = a.y + b.around * 1.33 if b.around else (a.y + b.y) / 2
            yield Curve(((a.x, y), (b.x, y)), (b.x, b.y))
        else:
            yield Curve(None, (b.x, b.y))
