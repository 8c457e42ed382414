"""Boxes in rows, inputs above their readers, with few crossings. Linear time in boxes and arrows."""

from collections.abc import Collection, Mapping, Sequence, Set

_SWEEPS = 6


def backward(count: int, arrows: Sequence[tuple[int, int]]) -> set[int]:
    """The indices of the arrows that close a cycle when the graph is traversed.

    Parameters
    ----------
    count : number of boxes
    arrows : pairs of boxes
    """
    outgoing: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    incoming = [0] * count
    for number, (start, stop) in enumerate(arrows):
        outgoing[start].append((stop, number))
        incoming[stop] += 1
    state = [0] * count
    back: set[int] = set()
    for first in sorted(range(count), key=lambda box: incoming[box] > 0):
        if state[first]:
            continue
        state[first] = 1
        stack = [(first, iter(outgoing[first]))]
        while stack:
            box, rest = stack[-1]
            stop, number = next(rest, (-1, -1))
            if stop < 0:
                state[box] = 2
                stack.pop()
            elif state[stop] == 1:
                back.add(number)
            elif state[stop] == 0:
                state[stop] = 1
                stack.append((stop, iter(outgoing[stop])))
    return back


def ranks(
    count: int,
    arrows: Sequence[tuple[int, int]],
    back: Set[int],
    first: Collection[int],
    last: Set[int],
) -> list[int]:
    """The row of each box: below all of its inputs; a box without inputs is just above its first reader.

    Parameters
    ----------
    count, arrows : as for `backward`
    back : the arrows to ignore
    first, last : boxes that are alone in the first row, and in the last
    """
    outgoing: list[list[int]] = [[] for _ in range(count)]
    missing = [0] * count
    for number, (start, stop) in enumerate(arrows):
        if number not in back:
            outgoing[start].append(stop)
            missing[stop] += 1
    reads = [bool(m) for m in missing]
    rank = [1 if first else 0] * count
    for box in first:
        rank[box] = 0
    ready = [box for box in range(count) if not missing[box]]
    for box in ready:
        for stop in outgoing[box]:
            rank[stop] = max(rank[stop], rank[box] + 1)
            missing[stop] -= 1
            if not missing[stop]:
                ready.append(stop)
    for box in range(count):
        if not reads[box] and outgoing[box] and box not in first:
            rank[box] = max(rank[box], min(rank[stop] for stop in outgoing[box]) - 1)
    end = max((row for box, row in enumerate(rank) if box not in last), default=0) + 1
    for box in last:
        rank[box] = end
    return rank


def order(
    rows: list[list[int]], above: Mapping[int, Sequence[int]], below: Mapping[int, Sequence[int]]
) -> list[list[int]]:
    """Order the boxes in each row.

    Parameters
    ----------
    rows : boxes, row by row
    above, below : for each box, the connected boxes in the rows above and below
    """
    position: dict[int, float] = {}
    for row in rows:
        _settle(row, position)
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        neighbours = above if down else below
        for row in rows if down else rows[::-1]:
            if len(row) > 1:
                row.sort(key={box: _mean(box, neighbours, position) for box in row}.__getitem__)
                _settle(row, position)
    return rows


def _settle(row: Sequence[int], position: dict[int, float]) -> None:
    middle = (len(row) - 1) / 2
    position.update((box, i - middle) for i, box in enumerate(row))


def _mean(
    box: int, neighbours: Mapping[int, Sequence[int]], position: Mapping[int, float]
) -> float:
    joined = neighbours.get(box)
    return sum(position[b] for b in joined) / len(joined) if joined else position[box]


def apart(
    wanted: Sequence[float], weights: Sequence[float], offsets: Sequence[float]
) -> list[float]:
    """The positions, closest to the given ones, at which the boxes of a row do not overlap, in the same order.

    Least squares under ``x[i + 1] - x[i] >= offsets[i + 1] - offsets[i]``, which is isotonic regression.

    >>> apart([0, 0], [3, 1], [0, 8])
    [-2.0, 6.0]
    """
    blocks: list[tuple[float, float, int]] = []
    for position, weight, offset in zip(wanted, weights, offsets, strict=True):
        total, count = (position - offset) * weight, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / weight:
            before = blocks.pop()
            total, weight, count = before[0] + total, before[1] + weight, before[2] + count
        blocks.append((total, weight, count))
    means = [total / weight for total, weight, count in blocks for _ in range(count)]
    return [mean + offset for mean, offset in zip(means, offsets, strict=True)]
