"""Sums of operators over ranks, such as the statistics of a batch that all ranks share."""

from collections.abc import Callable
from importlib.util import find_spec

import numpy as np

from gluonic.distributed.marks import marked
from gluonic.distributed.mpi import launched_ranks
from gluonic.distributed.reduction import reduce
from gluonic.distributed.world import world
from gluonic.graph import Array
from gluonic.graph.over_ranks import enter


def add_up_over_ranks(values: Array, what: Callable[[], str]) -> None:
    """Replace an array of one axis by its sum over all ranks, which is bitwise equal on all.

    Raises
    ------
    RanksDisagreeError
        if another rank sums something else
    RankFailedError
        if another rank has ended, or does not arrive in time
    """
    group = world().group
    if group.size == 1:
        return
    with marked("statistics", what=what()):
        group.agree(f"{what()}, {np.dtype(values.dtype)}", lambda: f"what is summed up: {what()}")
        reduce(group, values, what)


def enter_if_launched() -> None:
    """Let operators sum over ranks, if a launcher has started several."""
    if launched_ranks() > 1 and find_spec("mpi4py") is not None:
        enter(add_up_over_ranks)
