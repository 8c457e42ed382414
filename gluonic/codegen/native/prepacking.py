"""What follows from parameters alone is computed once and kept until a parameter may have changed.

Filters in the order in which convolutions read them, batch norm's factors folded into them, packed matrices:
a call whose parameters have not changed skips all of that.
"""

from collections.abc import Collection, Mapping, Sequence

from gluonic.codegen.loops.fusion import Group
from gluonic.graph import Entry, Node


def prepacked_groups(
    groups: Sequence[Group],
    parameters: Collection[Node],
    pinned: Collection[Entry],
    root: Mapping[Entry, Entry],
) -> list[Group]:
    """Return the native groups that read parameters, or each other, and nothing else; in order.

    Parameters
    ----------
    groups : in an order in which they can run
    parameters : the variables that seldom change
    pinned : results that do not live in the arena, such as the graph's outputs
    root : for a relabelled result the one whose memory it uses
    """
    known = {node.entry() for node in parameters}
    found = []
    for group in groups:
        reads = {root.get(entry, entry) for entry in group.inputs}
        writes = {node.entry(i) for node in group.nodes for i in range(node.output_count)}
        if reads and reads <= known and not writes & set(pinned) and _is_pure(group):
            found.append(group)
            known |= writes
    return found


def _is_pure(group: Group) -> bool:
    """Whether machine code computes the group from its inputs alone."""
    if not group.is_native or (group.step is not None and group.step.is_foreign):
        return False
    return all(n.application is None or n.application.op.run_name is None for n in group.nodes)
