"""The division of a group's operators into parts that run one after the other over blocks of elements.

A value that one part computes and a later one reads is stored in scratch, and a store costs as much as two
multiplications. So a cheap operator moves to the part that reads it, if that stores no more in scratch: for
``y = tanh(x); exp(y * x - 0.3)`` only `y` is stored, not the exponent, too.
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
    """Divide operators into parts; each but the first begins with an expensive operator.

    Parameters
    ----------
    nodes : the operators in a valid execution order
    sources : for each operator, those of the group that it reads
    is_costly : whether an operator is expensive
    size_of : the size in bytes of an element of a result
    """
    costly = {node for node in nodes if is_costly(node)}
    part_of: dict[Node, int] = {}
    last = 0
    for node in nodes:
        last += node in costly and not costly.isdisjoint(part_of)
        part_of[node] = last
    _put_off([node for node in nodes if node not in costly], sources, part_of, size_of)
    return [[node for node in nodes if part_of[node] == number] for number in range(last + 1)]


def _put_off(
    cheap: Sequence[Node],
    sources: Sources,
    part_of: dict[Node, int],
    size_of: Callable[[Node], int],
) -> None:
    """Move operators to the part that reads them, if that stores no more in scratch."""
    readers: dict[Node, list[Node]] = {node: [] for node in part_of}
    for reader, read in sources.items():
        for node in read:
            readers[node].append(reader)
    moved = True
    while moved:
        moved = False
        for node in reversed(cheap):
            goals = {part_of[reader] for reader in readers[node]}
            if len(goals) != 1 or goals == {part_of[node]}:
                continue  # it has no readers here, or it must be stored in any case
            kept_now = {
                source
                for source in sources[node]
                if all(part_of[reader] <= part_of[source] for reader in readers[source])
            }
            if sum(map(size_of, kept_now)) <= size_of(node):
                (part_of[node],) = goals
                moved = True
