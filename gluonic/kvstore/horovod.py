"""The store of kind ``"horovod"``: it sums over all ranks, and stores nothing."""

from typing import Any, ClassVar, NoReturn

from gluonic.distributed import world
from gluonic.graph.errors import NotThereError, describe
from gluonic.kvstore.distributed import DistributedStore
from gluonic.ndarray.array import NDArray

__all__ = ["Horovod", "HorovodStore"]


class HorovodStore(DistributedStore):
    """A store with which ranks sum gradients; each rank then updates its own weights.

    Parameters
    ----------
    kind : its name
    """

    _runs_optimizers: ClassVar[bool] = False

    def __init__(self, kind: str = "horovod") -> None:
        super().__init__(kind)

    @property
    def local_rank(self) -> int:
        """The rank of this process among those of its machine."""
        known = world()
        return known.local.index(known.group.rank)

    def _check(self, key: Any, pushed: NDArray) -> None:
        """Keys need no initial value."""

    def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> None:
        """Copy rank 0's value to all arrays of `out`."""
        for one, _ in self._pairs(key, value):
            self._stored.pop(one, None)
        super().broadcast(key, value, out, priority)

    def _refused(self, what: str) -> NoReturn:
        raise NotThereError(
            describe(
                f"a store of kind 'horovod' has no {what}",
                where="kvstore",
                hint="broadcast and pushpull; or kvstore.create('dist_sync')",
            )
        )

    def set_optimizer(self, optimizer: Any) -> NoReturn:
        """Raise an error: each rank updates its weights itself."""
        self._refused("set_optimizer")

    def save_optimizer_states(self, fname: str, dump_optimizer: bool = False) -> NoReturn:
        """Raise an error: each rank has its own optimizer."""
        self._refused("save_optimizer_states")

    def load_optimizer_states(self, fname: str) -> NoReturn:
        """Raise an error: each rank has its own optimizer."""
        self._refused("load_optimizer_states")


Horovod = HorovodStore
"""The class's name in MXNet."""
