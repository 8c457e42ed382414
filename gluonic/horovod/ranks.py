"""Ranks, machines, and the features with which Horovod would have been built."""

from collections.abc import Sequence
from typing import Any

from gluonic.distributed import World, world
from gluonic.distributed.mpi import mpi
from gluonic.graph.errors import NotThereError, describe
from gluonic.horovod.process_sets import (
    ProcessSet,
    add_process_set,
    begin_global,
    end_global,
    global_process_set,
)


class NotInitializedError(ValueError):
    """``hvd.init()`` has not been called."""


def init(comm: Any = None, process_sets: Sequence[ProcessSet] | None = None) -> None:
    """Find the other ranks; a collective operation.

    Parameters
    ----------
    comm : None, for all ranks
    process_sets : sets of ranks to add at once

    Raises
    ------
    NotThereError
        for a communicator, or a list of ranks: `add_process_set` makes groups
    """
    if comm is not None:
        raise NotThereError(
            describe(
                "all ranks of the program take part",
                where="hvd.init",
                hint="hvd.init(), and hvd.add_process_set(ranks) for a part of them",
            )
        )
    begin_global(world().group)
    for process_set in process_sets or ():
        add_process_set(process_set)


def shutdown() -> None:
    """Drop the ranks; `init` finds them again. MPI itself ends with the program."""
    end_global()


def is_initialized() -> bool:
    """Whether `init` has been called."""
    return global_process_set.process_set_id is not None


def _known() -> World:
    if not is_initialized():
        raise NotInitializedError("Horovod has not been initialized; use hvd.init().")
    return world()


def rank() -> int:
    """The rank of this process."""
    return _known().group.rank


def size() -> int:
    """The number of processes."""
    return _known().group.size


def local_rank() -> int:
    """The rank of this process among those of its machine."""
    known = _known()
    return known.local.index(known.group.rank)


def local_size() -> int:
    """The number of processes on this machine."""
    return len(_known().local)


def cross_rank() -> int:
    """The index of this machine among those with a process of this `local_rank`."""
    known, rank = _known(), local_rank()
    return [ranks[rank] for ranks in known.ranks_by_machine if len(ranks) > rank].index(
        known.group.rank
    )


def cross_size() -> int:
    """The number of machines with a process of this `local_rank`."""
    rank = local_rank()
    return sum(len(ranks) > rank for ranks in _known().ranks_by_machine)


def is_homogeneous() -> bool:
    """Whether all machines have the same number of processes."""
    return len({len(ranks) for ranks in _known().ranks_by_machine}) == 1


def mpi_threads_supported() -> bool:
    """Whether several threads may call MPI."""
    _known()
    return bool(mpi().Query_thread() == mpi().THREAD_MULTIPLE)


def mpi_enabled() -> bool:
    """True: ranks communicate over MPI."""
    return True


def mpi_built() -> bool:
    """True: ranks communicate over MPI."""
    return True


def gloo_enabled() -> bool:
    """False: ranks communicate over MPI."""
    return False


def gloo_built() -> bool:
    """False: ranks communicate over MPI."""
    return False


def nccl_built() -> int:
    """0: NCCL is for GPUs."""
    return 0


def ddl_built() -> bool:
    """False: ranks communicate over MPI."""
    return False


def ccl_built() -> bool:
    """False: ranks communicate over MPI."""
    return False


def cuda_built() -> bool:
    """False: there are no GPUs."""
    return False


def rocm_built() -> bool:
    """False: there are no GPUs."""
    return False


def start_timeline(file_path: str, mark_cycles: bool = False) -> None:
    """Raise an error: `gluonic.profiler` records communication.

    Parameters
    ----------
    file_path, mark_cycles : ignored
    """
    raise NotThereError(describe("there is no timeline", where="hvd", hint="mx.profiler"))


def stop_timeline() -> None:
    """Raise an error: `gluonic.profiler` records communication."""
    start_timeline("")
