"""Prepacking: values that depend on parameters alone are computed once, and kept until a parameter changes.

Such values are filters in the layout that convolutions read, with batch norm's factors folded in, and packed
matrices. A call with unchanged parameters does not compute them.
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
    """Return the native groups that read only parameters or each other, in execution order.

    Parameters
    ----------
    groups : in a valid execution order
    parameters : the variables that rarely change
    pinned : results outside the arena, such as the graph's outputs
    root : for a reshaped result, the result whose memory it uses
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
    """Whether machine code computes the group as a pure function of its inputs."""
    if not group.is_native or (group.step is not None and group.step.is_foreign):
        return False
    return all(n.application is None or n.application.op.run_name is None for n in group.nodes)
