"""Saving optimizer states that are divided among ranks to one file."""

from typing import Any

import numpy as np

from gluonic.distributed.group import RankGroup
from gluonic.graph.files import write_atomically
from gluonic.optimizer import Updater
from gluonic.optimizer.states import dump, load_states


def save_gathered(group: RankGroup, updater: Updater, fname: str, dump_optimizer: bool) -> None:
    """Gather the states of all ranks; rank 0 writes them, and all ranks wait for that.

    Parameters
    ----------
    group : the ranks, which must all call it
    updater : the updater with the states of this rank
    fname : the file
    dump_optimizer : whether to save the optimizer as well
    """
    mine = np.frombuffer(dump(updater.states), np.uint8)
    parts = group.gather(mine, lambda: "states of the optimizer")
    if group.rank == 0:
        states: dict[Any, Any] = {}
        for part in parts:
            states.update(load_states(part.tobytes(), updater.optimizer, {})[0])
        write_atomically(fname, dump((states, updater.optimizer) if dump_optimizer else states))
    group.barrier(lambda: "states of the optimizer to be saved")
