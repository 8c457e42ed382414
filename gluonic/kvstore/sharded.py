"""The store of kind ``"dist_sync_sharded"``: the optimizer's states are divided among the ranks."""

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from gluonic.distributed.group import as_bytes
from gluonic.distributed.marks import marked
from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.files import saved_in
from gluonic.graph.versions import mark_all_modified
from gluonic.kvstore.base import spread
from gluonic.kvstore.distributed import DistributedStore
from gluonic.kvstore.gathered_states import save_gathered
from gluonic.ndarray.array import NDArray
from gluonic.optimizer import Updater

__all__ = ["ShardedStore"]


class ShardedStore(DistributedStore):
    """A store in which each rank updates a share of the weights, and sends them to the others.

    A rank has the optimizer's states only for its share: whole parameters. When a parameter is initialized, it
    is assigned to the rank with the smallest share. Weights are bitwise equal to those of a ``"dist_sync"``
    store, unless the optimizer's update of one parameter depends on those of others (`Nadam`). States are saved
    and loaded as a whole, by all ranks together, so training can resume with any number of ranks.

    Parameters
    ----------
    kind : its name
    """

    def __init__(self, kind: str = "dist_sync_sharded") -> None:
        super().__init__(kind)
        self._owners: dict[Any, int] = {}
        self._loads = [0] * self.num_workers

    def init(self, key: Any, value: Any) -> None:
        """Store the initial values of rank 0, and assign them to ranks; sparse ones are updated by all."""
        super().init(key, value)
        for one, stored in self._stored.items():
            if one not in self._owners and stored.stype == "default":
                owner = self._loads.index(min(self._loads))
                self._owners[one] = owner
                self._loads[owner] += stored.elements.nbytes

    def _is_own(self, key: Any) -> bool:
        return self._owners.get(key, self.rank) == self.rank

    def _apply(
        self, keys: Sequence[Any], totals: Sequence[NDArray], copies: Mapping[Any, NDArray]
    ) -> None:
        """Update the weights of this rank's share, and exchange shares."""
        if not isinstance(self._updater, Updater):
            super()._apply(keys, totals, copies)
            return
        own = [i for i, key in enumerate(keys) if self._is_own(key)]
        super()._apply([keys[i] for i in own], [totals[i] for i in own], copies)
        self._updater.count([key for key in keys if not self._is_own(key)])
        with marked("gather weights"):
            self._exchange([key for key in keys if key in self._owners])
        for key, copy in copies.items():
            if not self._is_own(key):
                spread(self._stored[key], copy)

    def _exchange(self, keys: Sequence[Any]) -> None:
        """Send the weights of this rank's share, and receive the others'."""
        comm, tag = self._group.comm, self._group.next_tag()
        requests, ranks, received = [], [], []
        for key in keys:
            weight = self._stored[key].elements
            if self._is_own(key):
                requests += [comm.Isend(as_bytes(weight), r, tag) for r in self._group.others]
                ranks += self._group.others
            else:
                requests.append(comm.Irecv(as_bytes(weight), self._owners[key], tag))
                ranks.append(self._owners[key])
                received.append(weight)
        self._group.finish(requests, ranks, lambda: "weights that other ranks update", received)
        mark_all_modified(received)

    def sum_in_place(self, key: Any, value: Any) -> NoReturn:
        """Raise an error: only the store has the states for updates.

        Raises
        ------
        MXNetError
            always
        """
        raise MXNetError(
            describe(
                "a store that divides the optimizer's states must update the weights itself",
                where=f"kvstore {self.type!r}",
                hint="update_on_kvstore=True, or kvstore='dist_sync'",
            )
        )

    def save_optimizer_states(self, fname: str, dump_optimizer: bool = False) -> None:
        """Gather the states of all ranks, a collective operation; rank 0 writes them."""
        save_gathered(self._group, self._optimizing(), fname, dump_optimizer)

    def load_optimizer_states(self, fname: str) -> None:
        """Load the states for this rank's share."""
        updater = self._optimizing()
        with saved_in(fname) as states:
            updater.set_states(states, self._stored)
        updater.forget(key for key in [*updater.states] if not self._is_own(key))
