"""Gradients that lie where the other ranks of this machine read them."""

from collections.abc import Sequence

from gluonic.distributed.shared_sums import SharedSums
from gluonic.graph.versions import is_owner, write
from gluonic.ndarray.array import NDArray
from gluonic.support.references import holds_alone


def move_where_ranks_read(sums: SharedSums, gradients: Sequence[Sequence[NDArray]]) -> None:
    """Move large gradients, which come again in each step, unless somebody holds their memory.

    Parameters
    ----------
    sums : what sums them up; no rank may be reading them now
    gradients : for each parameter those of all contexts; it must have one
    """
    for place, (gradient, *others) in enumerate(gradients):
        if others or sums.is_in_slot(place, gradient.elements) or not _can_move(gradient):
            continue
        slot = sums.slot(place)
        if slot is not None:
            write(slot, gradient.elements)
            gradient.elements = slot


def _can_move(gradient: NDArray) -> bool:
    """Whether nobody else holds a gradient's memory, all of which is its own."""
    return is_owner(gradient.elements) and holds_alone(gradient, "elements")
