"""Cutting the operators of a group into parts that run one after the other over blocks of elements.

What one part computes and a later one reads is left in scratch, and a store takes the place of two
multiplications. So what is quickly computed waits for the part that reads it, wherever no more is left
in scratch then: of ``y = tanh(x); exp(y * x - 0.3)`` that is `y`, not `y` and the exponent.
"""

from collections.abc import Callable, Mapping, Sequence

from gluonic.graph import Node

Sources = Mapping[Node, Sequence[Node]]


def parts_of(
    nodes: Sequence[Node],
    sources: Sources,
    is_costly: Callable[[Node], bool],
    size_of: Callable[[Node], int],
) -> list[list[Node]]:
    """Cut operators into parts of which each but the first begins with one that takes long.

    Parameters
    ----------
    nodes : the operators in an order in which they can be computed
    sources : those of them that each reads
    is_costly : whether computing one takes long
    size_of : bytes of an element of a result
    """
    costly = {node for node in nodes if is_costly(node)}
    place: dict[Node, int] = {}
    last = 0
    for node in nodes:
        last += node in costly and not costly.isdisjoint(place)
        place[node] = last
    _put_off([node for node in nodes if node not in costly], sources, place, size_of)
    return [[node for node in nodes if place[node] == number] for number in range(last + 1)]


def _put_off(
    cheap: Sequence[Node], sources: Sources, place: dict[Node, int], size_of: Callable[[Node], int]
) -> None:
    """Move operators to the part that first reads them, where what is left in scratch is no more then."""
    readers: dict[Node, list[Node]] = {node: [] for node in place}
    for reader, read in sources.items():
        for node in read:
            readers[node].append(reader)
    moved = True
    while moved:
        moved = False
        for node in reversed(cheap):
            goals = {place[reader] for reader in readers[node]}
            if len(goals) != 1 or goals == {place[node]}:
                continue  # nobody reads it, or it is in scratch wherever it is computed
            kept_now = {
                source
                for source in sources[node]
                if all(place[reader] <= place[source] for reader in readers[source])
            }
            if sum(map(size_of, kept_now)) <= size_of(node):
                (place[node],) = goals
                moved = True
