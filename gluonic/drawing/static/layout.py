"""The layout: each open block is laid out separately, then as a box of the block around it."""

from collections.abc import Set
from typing import NamedTuple

from gluonic.drawing.static.box_texts import BoxTexts
from gluonic.drawing.static.edges import End, LevelArrow, arrows_by_level, flows_by_start
from gluonic.drawing.static.laid import Laid, PlacedArrow, PlacedBox, Point
from gluonic.drawing.static.level import SIDE, Chain, Item, LevelRows
from gluonic.drawing.static.shown_graph import ROOT, ShownGraph

HEAD = 26.0
_PADDING, _GAP = 16.0, 24.0


class Layout(NamedTuple):
    """All boxes and arrows with positions, outer boxes first."""

    width: float
    height: float
    boxes: list[PlacedBox]
    arrows: list[PlacedArrow]


def layout(graph: ShownGraph, opened: Set[int], texts: BoxTexts) -> Layout:
    """Lay out the visible part of a graph.

    Parameters
    ----------
    graph : the graph
    opened : the blocks that are open
    texts : the texts in boxes, and their widths
    """
    levels = arrows_by_level(graph, opened)
    laid: dict[int, Laid] = {}
    visible = [ROOT]
    for block in visible:
        visible += [m for m in graph.members(block) if graph.can_open(m) and m in opened]
    for block in reversed(visible):
        arrows = list(levels.get(block, {}).values())
        boxes = [_box(member, laid, texts) for member in graph.members(block)]
        laid[block] = _Level(block, boxes, arrows, texts).laid()
    return _flat(laid[ROOT])


def _box(member: int, laid: dict[int, Laid], texts: BoxTexts) -> Item:
    inner = laid.get(member)
    extent = texts.extent(member) if inner is None else inner
    made = Item(extent.width, extent.height)
    made.thing, made.inner = member, inner
    return made


class _Level:
    """Lays out one open block."""

    def __init__(
        self, block: int, boxes: list[Item], arrows: list[LevelArrow], texts: BoxTexts
    ) -> None:
        self.texts = texts
        self.is_root = block == ROOT
        self.title = 0.0 if self.is_root else texts.head_width(block)
        self.leaving = flows_by_start(arrows)
        self.labels = {end: self._label_width(end) for end in self.leaving}
        by_thing = {box.thing: box for box in boxes}
        for end, width in self.labels.items():
            box = by_thing[end.member]
            box.reserve = max(box.reserve, width + 8 - box.width / 2 - SIDE)
        made = LevelRows(boxes, arrows)
        self.items, self.rows, self.chains, self.joints = (
            made.items,
            made.rows,
            made.chains,
            made.joints,
        )

    def _label_width(self, start: End) -> float:
        assert start.member is not None
        return self.texts.label_width(self.leaving[start], start.member)

    def laid(self) -> Laid:
        """Heights, the block's own size and ports, and the arrows' points."""
        self.heights = [max((self.items[i].height for i in row), default=0.0) for row in self.rows]
        self.gaps = self._row_gaps()
        head = _PADDING if self.is_root else HEAD
        has_ins = any(item.is_in for item in self.items)
        y = head + (0 if has_ins or self.is_root else _PADDING * 0.75)
        self.tops = []
        for number, height in enumerate(self.heights):
            self.tops.append(y)
            y += height + (self.gaps[number] if number < len(self.rows) - 1 else 0)
        if not any(item.is_out for item in self.items):
            y += _PADDING
        width = self._shift_right()
        ins = {item.port: item.x for item in self.items if item.is_in}
        outs = {item.port: item.x for item in self.items if item.is_out}
        self.head = head
        boxes = [self._placed(item, item.thing) for item in self.items if item.thing is not None]
        return Laid(width, y, boxes, [self._way(chain) for chain in self.chains], ins, outs)

    def _shift_right(self) -> float:
        """Move the leftmost item to the block's left edge; returns the block's width."""
        left = min((item.x - item.width / 2 for item in self.items), default=0.0)
        right = max(
            (i.x + i.width / 2 + max(0.0, i.reserve - SIDE / 2) for i in self.items), default=40.0
        )
        spare = max(0.0, self.title - (right - left + 2 * _PADDING)) / 2
        for item in self.items:
            item.x -= left - _PADDING - spare
        return right - left + 2 * _PADDING + 2 * spare

    def _placed(self, item: Item, thing: int) -> PlacedBox:
        x = item.x - item.width / 2
        return PlacedBox(thing, x, self._top(item), item.width, item.height, item.inner)

    def _top(self, item: Item) -> float:
        """The upper edge of an item."""
        if item.is_in:
            return self.head
        return self.tops[item.row] + (self.heights[item.row] - item.height) / 2

    def _bottom(self, item: Item) -> float:
        """The lower edge of an item's row."""
        return self.tops[item.row] + self.heights[item.row]

    def _row_gaps(self) -> list[float]:
        """The space below each row: more if arrows run far to the side, or have labels."""
        gaps: list[float] = []
        before_ports = {r - 1 for r, row in enumerate(self.rows) if self._are(row, "is_out")}
        for number, row in enumerate(self.rows):
            close = 14.0 if number in before_ports else _GAP
            gaps.append(16.0 if self._are(row, "is_in") else close)
        for chain in self.chains:
            start = self.items[chain.stops[0].item]
            if self.labels.get(chain.arrow.start, 0) > 0:
                needed = 22.0 if start.row in before_ports else 36.0
                gaps[start.row] = max(gaps[start.row], needed)
        for upper, lower in self.joints():
            above, below = self.items[upper.item], self.items[lower.item]
            far = abs(above.x + upper.dx - below.x - lower.dx)
            needed = min(72.0, 0.0 if far < 1 else _GAP + far / 9)
            gaps[above.row] = max(gaps[above.row], needed)
        return gaps

    def _are(self, row: list[int], what: str) -> bool:
        return all(getattr(self.items[i], what) for i in row)

    # Paths of arrows

    def _way(self, chain: Chain) -> PlacedArrow:
        start, stop = (self.items[chain.stops[at].item] for at in (0, -1))
        if chain.is_far:
            x, y = stop.x + chain.stops[-1].dx, self._top(stop)
            points = [Point(x, y - 12), Point(x, y)]
        else:
            points = self._points(chain, start, stop)
        arrow = chain.arrow
        port = None if arrow.start.member is None else arrow.start.port
        leaving = [] if chain.is_far else self.leaving.pop(arrow.start, [])
        ends = start.thing, stop.thing, port
        return PlacedArrow(arrow.flows, leaving, *ends, points, stop.is_out, chain.is_far)

    def _points(self, chain: Chain, start: Item, stop: Item) -> list[Point]:
        x = start.x + chain.stops[0].dx
        points = [Point(x, self._top(start) + start.height)]
        _straight(points, x, self._bottom(start))
        if chain.is_back:
            return points + self._upwards(chain, stop)
        for passed, _ in chain.stops[1:-1]:
            lane = self.items[passed]
            _bent(points, lane.x, self.tops[lane.row])
            _straight(points, lane.x, self._bottom(lane))
        x = stop.x + chain.stops[-1].dx
        _bent(points, x, self.tops[stop.row])
        _straight(points, x, self._top(stop))
        return points

    def _upwards(self, chain: Chain, stop: Item) -> list[Point]:
        """The rest of an arrow that leads up: around below its start, up in lanes, around above its end."""
        lanes = [self.items[passed] for passed, _ in chain.stops[1:-1]]
        lowest, highest = lanes[0], lanes[-1]
        points = [Point(lowest.x, self._bottom(lowest), around=self.gaps[lowest.row] * 0.6)]
        for lane in lanes:
            if abs(lane.x - points[-1].x) > 0.5:
                points.append(Point(lane.x, self._bottom(lane), bends=True))
            points.append(Point(lane.x, self.tops[lane.row]))
        x = stop.x + chain.stops[-1].dx
        above = self.gaps[highest.row - 1] if highest.row else _GAP
        points.append(Point(x, self.tops[highest.row], around=-above * 0.6))
        points.append(Point(x, self._top(stop)))
        return points


def _straight(points: list[Point], x: float, y: float) -> None:
    if y != points[-1].y:
        points.append(Point(x, y))


def _bent(points: list[Point], x: float, y: float) -> None:
    points.append(Point(x, y, bends=abs(x - points[-1].x) >= 0.5))


def _flat(root: Laid) -> Layout:
    """All boxes and arrows in one list, with positions on the page."""
    boxes, arrows = [], []
    waiting = [(root, 0.0, 0.0, 0)]
    for part, x, y, depth in waiting:
        for box in part.boxes:
            placed = box._replace(x=x + box.x, y=y + box.y, depth=depth)
            boxes.append(placed)
            if box.inner is not None:
                waiting.append((box.inner, placed.x, placed.y, depth + 1))
        arrows += [
            arrow._replace(points=[p._replace(x=p.x + x, y=p.y + y) for p in arrow.points])
            for arrow in part.arrows
        ]
    return Layout(root.width, root.height, boxes, arrows)
