"""Exchange of Python objects between ranks, as pickles: all ranks are one program."""

import pickle
from typing import Any

import numpy as np

from gluonic.distributed import world
from gluonic.horovod.process_sets import global_process_set


def broadcast_object(obj: Any, root_rank: int = 0, name: str | None = None) -> Any:
    """The object of one rank; those of the others are ignored.

    Parameters
    ----------
    obj : anything that can be pickled
    root_rank : the rank whose object all get
    name : its name in errors
    """
    group = global_process_set.group()

    def what() -> str:
        return f"hvd.broadcast_object {name or ''}"

    is_root = group.rank == root_rank
    pickled = np.frombuffer(pickle.dumps(obj) if is_root else b"", np.uint8)
    sizes = group.gather(np.array([len(pickled)]), what)
    found = pickled.copy() if is_root else np.empty(int(sizes[root_rank][0]), np.uint8)
    group.broadcast(found, root_rank, what)
    return obj if is_root else pickle.loads(found.tobytes())


def allgather_object(obj: Any, name: str | None = None) -> list[Any]:
    """The objects of all ranks, in the order of ranks.

    Parameters
    ----------
    obj : anything that can be pickled
    name : its name in errors
    """
    pickled = np.frombuffer(pickle.dumps(obj), np.uint8)
    found = world().group.gather(pickled, lambda: f"hvd.allgather_object {name or ''}")
    return [pickle.loads(part.tobytes()) for part in found]
