"""Layered layout: boxes in rows, inputs above what reads them, few crossings, arrows nearly straight.

Every step takes time linear in boxes and arrows; nothing recurses.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

_SWEEPS = 8
_LONGEST_DETOUR = 30
_VIA_WIDTH = 14.0
_WEAK = 0.05


class Item(NamedTuple):
    """What stands in a row: a box, or a place that a long arrow passes through."""

    number: int
    is_via: bool


class Layers(NamedTuple):
    """Rows of items, and the arrows as chains of items.

    Attributes
    ----------
    rows : for each row the items from left to right
    chains : for each arrow the items it runs along, from source to target
    """

    rows: list[list[Item]]
    chains: list[list[Item]]


def layers(count: int, arrows: Sequence[tuple[int, int]]) -> Layers:
    """Put boxes into rows and order the rows.

    Parameters
    ----------
    count : how many boxes there are
    arrows : pairs of positions; one that leads backwards does not count for the rows
    """
    row_of = _rows(count, arrows)
    rows: list[list[Item]] = [[] for _ in range(max(row_of, default=-1) + 1)]
    items = [Item(number, False) for number in range(count)]
    for item, row in zip(items, row_of, strict=True):
        rows[row].append(item)
    chains = []
    vias = count
    for source, target in arrows:
        chain = [items[source]]
        span = row_of[target] - row_of[source]
        if 1 < span <= _LONGEST_DETOUR:
            for row in range(row_of[source] + 1, row_of[target]):
                via = Item(vias, True)
                vias += 1
                rows[row].append(via)
                chain.append(via)
        chain.append(items[target])
        chains.append(chain)
    return Layers(_ordered(rows, chains), chains)


def _rows(count: int, arrows: Sequence[tuple[int, int]]) -> list[int]:
    """Give each box a row below all that it reads; a box that reads nothing stands close to its reader."""
    inputs: list[list[int]] = [[] for _ in range(count)]
    readers: list[list[int]] = [[] for _ in range(count)]
    for source, target in arrows:
        if source < target:
            inputs[target].append(source)
            readers[source].append(target)
    rows = [0] * count
    for number in range(count):
        rows[number] = max((rows[i] + 1 for i in inputs[number]), default=0)
    for number in range(count):
        if not inputs[number] and readers[number]:
            rows[number] = max(0, min(rows[r] for r in readers[number]) - 1)
    return rows


def _ordered(rows: list[list[Item]], chains: Sequence[Sequence[Item]]) -> list[list[Item]]:
    above: dict[Item, list[Item]] = {}
    below: dict[Item, list[Item]] = {}
    for chain in chains:
        for upper, lower in pairwise(chain):
            above.setdefault(lower, []).append(upper)
            below.setdefault(upper, []).append(lower)
    places = {item: float(i) for row in rows for i, item in enumerate(row)}
    for sweep in range(_SWEEPS):
        neighbours, order = (above, rows) if sweep % 2 == 0 else (below, rows[::-1])
        for row in order:
            row.sort(key=lambda item: _mean(places, neighbours.get(item), places[item]))
            middle = (len(row) - 1) / 2
            places.update({item: i - middle for i, item in enumerate(row)})
    return rows


def _mean(places: dict[Item, float], neighbours: Sequence[Item] | None, default: float) -> float:
    if not neighbours:
        return default
    return sum(places[n] for n in neighbours) / len(neighbours)


class Point(NamedTuple):
    """The middle of a box, or of a place that an arrow passes through."""

    x: float
    y: float


class DrawingLayout(NamedTuple):
    """Where everything is.

    Attributes
    ----------
    points : for each box its middle
    paths : for each arrow the points between its ends
    width, height : of it all
    """

    points: list[Point]
    paths: list[list[Point]]
    width: float
    height: float


def layout(
    sizes: Sequence[tuple[float, float]],
    arrows: Sequence[tuple[int, int]],
    *,
    gap: float = 44.0,
    margin: float = 24.0,
    side: float = 26.0,
) -> DrawingLayout:
    """Place boxes of given sizes.

    Parameters
    ----------
    sizes : width and height of each box
    arrows : pairs of positions, from what is read to what reads it
    gap, side : the distances between rows, and between boxes in a row
    margin : around it all
    """
    found = layers(len(sizes), arrows)
    xs = _horizontal(found, sizes, side)
    left = min((xs[i] - _width(i, sizes) / 2 for row in found.rows for i in row), default=0.0)
    right = max((xs[i] + _width(i, sizes) / 2 for row in found.rows for i in row), default=0.0)
    points: dict[Item, Point] = {}
    top = margin
    for row in found.rows:
        height = max((sizes[i.number][1] for i in row if not i.is_via), default=0.0)
        points.update({i: Point(xs[i] - left + margin, top + height / 2) for i in row})
        top += height + gap
    return DrawingLayout(
        [points[Item(number, False)] for number in range(len(sizes))],
        [[points[item] for item in chain[1:-1]] for chain in found.chains],
        right - left + 2 * margin,
        max(top - gap, margin) + margin,
    )


def _width(item: Item, sizes: Sequence[tuple[float, float]]) -> float:
    return _VIA_WIDTH if item.is_via else sizes[item.number][0]


def _horizontal(
    found: Layers, sizes: Sequence[tuple[float, float]], side: float
) -> dict[Item, float]:
    """Bring every item close to the mean of its neighbours, keeping order and distances."""
    above: dict[Item, list[Item]] = {}
    below: dict[Item, list[Item]] = {}
    for chain in found.chains:
        for upper, lower in pairwise(chain):
            above.setdefault(lower, []).append(upper)
            below.setdefault(upper, []).append(lower)
    offsets = [_offsets([_width(i, sizes) for i in row], side) for row in found.rows]
    xs = {
        item: offset
        for row, row_offsets in zip(found.rows, offsets, strict=True)
        for item, offset in zip(row, row_offsets, strict=True)
    }
    order = list(range(len(found.rows)))
    for sweep in range(_SWEEPS):
        neighbours = above if sweep % 2 == 0 else below
        for number in order if sweep % 2 == 0 else reversed(order):
            row = found.rows[number]
            wanted = [_pulled(xs, item, neighbours.get(item)) for item in row]
            weights = [_WEAK if i.is_via else 1.0 + len(neighbours.get(i, ())) for i in row]
            placed = _apart(wanted, weights, offsets[number])
            xs.update(zip(row, placed, strict=True))
    return xs


def _pulled(xs: dict[Item, float], item: Item, neighbours: Sequence[Item] | None) -> float:
    """Find where its neighbours want an item: boxes pull boxes, and arrows go round them."""
    if not neighbours:
        return xs[item]
    pulls = [1.0 if n.is_via == item.is_via else _WEAK for n in neighbours]
    return sum(xs[n] * p for n, p in zip(neighbours, pulls, strict=True)) / sum(pulls)


def _offsets(widths: Sequence[float], side: float) -> list[float]:
    """Pack a row, its middle at 0."""
    found, edge = [], 0.0
    for width in widths:
        found.append(edge + width / 2)
        edge += width + side
    middle = (edge - side) / 2
    return [x - middle for x in found]


def _apart(
    wanted: Sequence[float], weights: Sequence[float], offsets: Sequence[float]
) -> list[float]:
    """Find the places closest to those wanted at which the items of a row do not overlap.

    Least squares with ``x[i + 1] - x[i] >= offsets[i + 1] - offsets[i]``: isotonic regression.
    """
    blocks: list[list[float]] = []  # sum of weighted places, weight, length
    for place, weight, offset in zip(wanted, weights, offsets, strict=True):
        blocks.append([(place - offset) * weight, weight, 1])
        while len(blocks) > 1 and _level(blocks[-2]) > _level(blocks[-1]):
            total, weight_, length = blocks.pop()
            blocks[-1][0] += total
            blocks[-1][1] += weight_
            blocks[-1][2] += length
    levels = [_level(block) for block in blocks for _ in range(int(block[2]))]
    return [level + offset for level, offset in zip(levels, offsets, strict=True)]


def _level(block: Sequence[float]) -> float:
    return block[0] / block[1]
