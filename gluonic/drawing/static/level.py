"""One open block: its members and arrows in rows, then with positions.

Arrows avoid boxes by construction: they run straight down in separate lanes beside the boxes of a row, and bend
only between rows.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from gluonic.drawing.static.edges import End, LevelArrow
from gluonic.drawing.static.laid import Laid
from gluonic.drawing.static.rows import apart, backward, order, ranks

SIDE, LANE_WIDTH = 22.0, 9.0
_SWEEPS = 8
_MOST_LANES = 30_000
_FEWEST_JOINED = 8
"""So many arrows to one end run in one lane, as those from one start do."""


class Item:
    """An item in a row: a box, a port of the block, or a lane for a long arrow.

    Attributes
    ----------
    width, height : its size
    thing : the box's number; None for ports and lanes
    inner : the layout of an open block
    port : the flow through a port
    is_in, is_out, is_lane : which of these it is
    reserve : space beside it for the label of its output
    x : its centre
    row : its row
    """

    def __init__(self, width: float, height: float, *, is_lane: bool = False) -> None:
        self.width, self.height = width, height
        self.thing: int | None = None
        self.inner: Laid | None = None
        self.port = ""
        self.is_in = self.is_out = False
        self.is_lane = is_lane
        self.reserve = self.x = 0.0
        self.row = 0

    @property
    def side(self) -> float:
        """The distance from its centre to the next item on the right."""
        return LANE_WIDTH if self.is_lane or self.is_in or self.is_out else SIDE


class Stop(NamedTuple):
    """The point where an arrow meets an item: the item's index, and the offset from its centre."""

    item: int
    dx: float


class Chain(NamedTuple):
    """An arrow, and the items on its path.

    Attributes
    ----------
    arrow : the arrow
    stops : its start, its lanes, its end
    is_back : whether it leads back up
    is_far : whether only its end is drawn, because it would need too many lanes
    """

    arrow: LevelArrow
    stops: list[Stop]
    is_back: bool = False
    is_far: bool = False


class LevelRows:
    """The items of a block in rows, with the arrows among them.

    Parameters
    ----------
    boxes : the members
    arrows : between members, and between ports and members

    Attributes
    ----------
    items : boxes, ports and lanes
    rows : their indices, row by row
    chains : the arrows
    """

    def __init__(self, boxes: Iterable[Item], arrows: Sequence[LevelArrow]) -> None:
        self.items = list(boxes)
        self._index: dict[object, int] = {item.thing: i for i, item in enumerate(self.items)}
        for arrow in arrows:
            self._port(arrow.start, is_in=True)
            self._port(arrow.stop, is_in=False)
        pairs = [(self._of(a.start, is_in=True), self._of(a.stop, is_in=False)) for a in arrows]
        count = len(self.items)
        back = backward(count, pairs)
        first = {i for i, item in enumerate(self.items) if item.is_in}
        last = {i for i, item in enumerate(self.items) if item.is_out}
        self._rank = ranks(count, pairs, back, first, last)
        self.chains = self._chains(arrows, pairs, back)
        self.rows = self._ordered()
        self._place()

    def _port(self, end: End, *, is_in: bool) -> None:
        if end.member is not None or (is_in, end.port) in self._index:
            return
        self._index[is_in, end.port] = len(self.items)
        made = Item(4, 0)
        made.port, made.is_in, made.is_out = end.port or "", is_in, not is_in
        self.items.append(made)

    def _of(self, end: End, *, is_in: bool) -> int:
        return self._index[(is_in, end.port) if end.member is None else end.member]

    def _shift(self, item: int, end: End, *, leaves: bool) -> float:
        """The offset, from an item's centre, of an arrow that leaves or enters it."""
        inner = self.items[item].inner
        if inner is None or end.member is None or end.port is None:
            return 0.0
        ports = inner.outs if leaves else inner.ins
        return ports[end.port] - self.items[item].width / 2

    def _lane(self, row: int) -> int:
        self.items.append(Item(LANE_WIDTH, 0, is_lane=True))
        self._rank.append(row)
        return len(self.items) - 1

    def _chains(
        self, arrows: Sequence[LevelArrow], pairs: Sequence[tuple[int, int]], back: set[int]
    ) -> list[Chain]:
        """Route long arrows along lanes, which arrows from one start, or many to one end, share."""
        shared: dict[object, dict[int, int]] = {}
        into = Counter(stop for _, stop in pairs)
        used, found = 0, []
        for number, (arrow, (start, stop)) in enumerate(zip(arrows, pairs, strict=True)):
            is_back, is_far, lanes = number in back, False, []
            top, bottom = self._rank[start], self._rank[stop]
            if is_back:
                lanes = [self._lane(row) for row in range(top, bottom - 1, -1)]
            elif used < _MOST_LANES or bottom - top < 2:
                key = arrow.stop if into[stop] >= _FEWEST_JOINED else arrow.start
                known = shared.setdefault(key, {})
                rows = range(top + 1, bottom)
                fresh = [row for row in rows if row not in known]
                known |= {row: self._lane(row) for row in fresh}
                used += len(fresh)
                lanes = [known[row] for row in rows]
            else:
                is_far = True
            first = Stop(start, self._shift(start, arrow.start, leaves=True))
            last = Stop(stop, self._shift(stop, arrow.stop, leaves=False))
            stops = [first, *(Stop(lane, 0.0) for lane in lanes), last]
            found.append(Chain(arrow, stops, is_back, is_far))
        return found

    def joints(self) -> Iterator[tuple[Stop, Stop]]:
        """Pairs of consecutive stops of arrows, the upper one first."""
        for chain in self.chains:
            for a, b in zip(chain.stops, chain.stops[1:], strict=False):
                above, below = self.items[a.item].row, self.items[b.item].row
                if above != below:
                    yield (a, b) if above < below else (b, a)

    def _ordered(self) -> list[list[int]]:
        rows: list[list[int]] = [[] for _ in range(max(self._rank, default=-1) + 1)]
        for number, row in enumerate(self._rank):
            self.items[number].row = row
            rows[row].append(number)
        above: dict[int, list[int]] = {}
        below: dict[int, list[int]] = {}
        for upper, lower in self.joints():
            above.setdefault(lower.item, []).append(upper.item)
            below.setdefault(upper.item, []).append(lower.item)
        return order(rows, above, below)

    # Positions from left to right

    def _place(self) -> None:
        """Set each item's x: close to its neighbours, boxes below boxes, lanes straight."""
        up: list[list[tuple[int, float]]] = [[] for _ in self.items]
        down: list[list[tuple[int, float]]] = [[] for _ in self.items]
        for upper, lower in self.joints():
            up[lower.item].append((upper.item, upper.dx - lower.dx))
            down[upper.item].append((lower.item, lower.dx - upper.dx))
        offsets = [self._packed(row) for row in self.rows]
        for row, centres in zip(self.rows, offsets, strict=True):
            self._move(row, centres)
        weights = [
            [0.3 if self.items[i].is_lane else 1 + len(up[i]) + len(down[i]) for i in row]
            for row in self.rows
        ]
        forwards = range(len(self.rows))
        for sweep in range(_SWEEPS):
            pulls = down if sweep % 2 else up
            for number in reversed(forwards) if sweep % 2 else forwards:
                row = self.rows[number]
                wanted = [self._pulled(i, pulls[i]) for i in row]
                self._move(row, apart(wanted, weights[number], offsets[number]))
        self._align()

    def _align(self) -> None:
        """Align single input and output ports at one x, so that a chain of such blocks is vertical."""
        ins = [item for item in self.items if item.is_in]
        outs = [item for item in self.items if item.is_out]
        if len(ins) == 1 == len(outs):
            outs[0].x = ins[0].x

    def _move(self, row: Sequence[int], centres: Sequence[float]) -> None:
        for number, x in zip(row, centres, strict=True):
            self.items[number].x = x

    def _pulled(self, number: int, neighbours: Sequence[tuple[int, float]]) -> float:
        """The position to which neighbours pull an item; lanes pull boxes weakly."""
        item = self.items[number]
        if not neighbours:
            return item.x
        total = weight = 0.0
        for other, dx in neighbours:
            w = 0.15 if self.items[other].is_lane and not item.is_lane else 1.0
            total += (self.items[other].x + dx) * w
            weight += w
        return total / weight

    def _packed(self, row: Sequence[int]) -> list[float]:
        """The positions of a row's items, packed as closely as possible, around 0."""
        found, edge = [], 0.0
        for number in row:
            item = self.items[number]
            found.append(edge + item.width / 2)
            edge += item.width + item.side + max(0.0, item.reserve)
        return [x - edge / 2 for x in found]
