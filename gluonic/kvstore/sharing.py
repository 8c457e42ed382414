"""Gradients in memory that the other ranks of this machine can read."""

from collections.abc import Sequence

from gluonic.distributed.shared_sums import SharedSums
from gluonic.graph.versions import is_owner, write
from gluonic.ndarray.array import NDArray
from gluonic.support.references import holds_alone


def move_where_ranks_read(sums: SharedSums, gradients: Sequence[Sequence[NDArray]]) -> None:
    """Move large gradients, which recur in each step, to shared memory, unless something else refers to theirs.

    Parameters
    ----------
    sums : their sums in shared memory; no rank may be reading them now
    gradients : for each parameter, those of all contexts; there must be one context
    """
    for index, (gradient, *others) in enumerate(gradients):
        if others or sums.is_in_slot(index, gradient.elements) or not _can_move(gradient):
            continue
        slot = sums.slot(index)
        if slot is not None:
            write(slot, gradient.elements)
            gradient.elements = slot


def _can_move(gradient: NDArray) -> bool:
    """Whether nothing else refers to a gradient's memory, and it owns all of it."""
    return is_owner(gradient.elements) and holds_alone(gradient, "elements")
