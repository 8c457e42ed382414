"""The store of kind ``"dist_async"``: gradients are applied as they arrive, and no rank waits for others.

Each key is owned by a rank, which keeps the weight; a thread of the owner updates it whenever a gradient
arrives, while the rank computes.
"""

import atexit
from collections.abc import Callable
from threading import RLock
from typing import Any

import numpy as np

from gluonic.distributed.mailbox import Mailbox
from gluonic.graph import Array
from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.storage.values import known_rows
from gluonic.kvstore.base import as_list, spread, total_of
from gluonic.kvstore.distributed import DistributedStore
from gluonic.kvstore.gathered_states import save_gathered
from gluonic.kvstore.push_sums import rows_of
from gluonic.kvstore.rows import pull_rows
from gluonic.ndarray import sparse
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.storage.arrays import RowSparseNDArray

__all__ = ["AsynchronousStore"]


class AsynchronousStore(DistributedStore):
    """A store whose weights are updated with each gradient separately.

    The gradients that one rank pushes for one key are applied in the order of the pushes, and the rank's later
    pulls include them. Gradients of several ranks are applied in the order in which they arrive, so two runs
    may differ. `init`, `set_optimizer`, `_barrier`, and saving and loading states are collective operations.

    Parameters
    ----------
    kind : its name
    """

    def __init__(self, kind: str = "dist_async") -> None:
        super().__init__(kind)
        self._lock = RLock()
        self._owners: dict[Any, int] = {}
        self._mailbox = Mailbox(self._group.duplicate(), self._answer)
        atexit.register(self._close)

    def _close(self) -> None:
        """Serve the other ranks until all close their stores, unless this rank has given up waiting."""
        try:
            if not self._world.watch.has_given_up:
                self._barrier()
        finally:
            self._mailbox.close()

    def init(self, key: Any, value: Any) -> None:
        """Store the initial values of rank 0; the other ranks pass arrays of the same shapes."""
        super().init(key, value)
        for one in self._stored:
            self._owners.setdefault(one, len(self._owners) % self.num_workers)
        self._group.barrier(lambda: "all ranks to have initial values")

    # At the owner of a key

    def _answer(self, source: int, message: tuple[str, Any, Any]) -> Array | None:
        what, key, content = message
        if what == "push":
            self._take(key, content)
            return None
        if what == "flush":
            return np.zeros(1, np.uint8)
        with self._lock:
            return self._values(key, content)

    def _values(self, key: Any, rows: Array | None) -> Array:
        """A copy of the stored value, or of some of its rows."""
        stored = self._known(key)
        if not isinstance(stored, RowSparseNDArray):
            return stored.asnumpy()
        assert rows is not None
        target = sparse.zeros("row_sparse", stored.shape, dtype=stored.dtype)
        pull_rows(stored, target, NDArray(rows))
        values: Array = target.asnumpy()[rows]
        return values

    def _take(self, key: Any, content: tuple[str, Any]) -> None:
        """Update a weight with a gradient."""
        stored = self._known(key)
        kind, values = content
        if kind == "rows":
            gradient: NDArray = RowSparseNDArray(known_rows(values[1], values[0], stored.shape))
        elif kind == "encoded":
            assert self._sums.codec is not None, "all ranks compress, or none"
            gradient = NDArray(self._sums.codec.total([values], stored.size).reshape(stored.shape))
        else:
            gradient = NDArray(values)
        with self._lock:
            self._updater_for(key)(key, gradient, stored)

    def _updater_for(self, key: Any) -> Callable[..., None]:
        if self._updater is None:
            raise MXNetError(
                describe(
                    f"{key!r} is pushed, but there is no optimizer to apply it",
                    where="kvstore.push",
                    hint="call kv.set_optimizer(…) on all ranks first",
                )
            )
        return self._updater

    # Requests to owners

    def push(self, key: Any, value: Any, priority: int = 0) -> None:
        """Send gradients to the owners of their keys, without waiting until they are applied.

        Raises
        ------
        MXNetError
            if there is no optimizer
        """
        for one, given in self._pairs(key, value):
            total = total_of(given)
            self._check(one, total)
            self._sums.check(one, total)
            self._updater_for(one)
            content = self._content(one, total)
            self._world.watch.advance()
            if self._owners[one] == self.rank:
                self._take(one, content)
            else:
                self._mailbox.post(self._owners[one], ("push", one, content))

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        """Push, then pull to `out`, or else back to `value`."""
        self.push(key, value, priority)
        self.pull(key, value if out is None else out, priority)

    def _content(self, key: Any, total: NDArray) -> tuple[str, Any]:
        if isinstance(total, RowSparseNDArray):
            return "rows", rows_of(total)
        if self._sums.codec is not None:
            return "encoded", self._sums.codec.encoded(key, total.elements)
        return "whole", total.elements

    def _asked(self, key: Any, rows: Array | None = None) -> Array:
        """The value of a key, or some of its rows, from the owner."""
        owner, stored = self._owners[key], self._known(key)
        if owner == self.rank:
            with self._lock:
                return self._values(key, rows)
        shape = stored.shape if rows is None else (len(rows), *stored.shape[1:])
        found = np.empty(shape, stored.dtype)
        self._mailbox.ask(owner, ("pull", key, rows), found, lambda: f"the value of {key!r}")
        return found

    def pull(
        self, key: Any, out: Any = None, priority: int = 0, ignore_sparse: bool = True
    ) -> None:
        """Copy the owners' values to the arrays of `out`."""
        self._check_pulled(ignore_sparse)
        for one, outs in self._pairs(key, out):
            dense = [array for array in as_list(outs) if array.stype == "default"]
            if dense:
                spread(NDArray(self._asked(one)), dense)

    def _pull_rows(self, key: Any, target: NDArray, ids: NDArray) -> None:
        """Copy rows of the owner's value into an array."""
        super()._pull_rows(key, target, ids)  # from the initial value: this raises the errors
        assert isinstance(target, RowSparseNDArray)
        rows = np.unique(ids.asnumpy().astype(np.int64))
        target.stored = known_rows(self._asked(key, rows), rows, target.shape)

    # Collective operations

    def _barrier(self) -> None:
        """Wait for all ranks, and until all gradients pushed so far have been applied."""
        reply = np.empty(1, np.uint8)
        for rank in self._group.others:
            self._mailbox.ask(rank, ("flush", None, None), reply, lambda: "gradients to be applied")
        self._group.barrier()

    def _set_updater(self, updater: Callable[..., None]) -> None:
        """Call ``updater(key, pushed, stored)`` at the owner for each push."""
        with self._lock:
            super()._set_updater(updater)
        self._group.barrier(lambda: "all ranks to set an optimizer")

    def save_optimizer_states(self, fname: str, dump_optimizer: bool = False) -> None:
        """Gather the states from the owners; rank 0 writes them, and all ranks wait for that."""
        updater = self._optimizing()
        self._barrier()
        with self._lock:  # no push is applied before all ranks have saved
            save_gathered(self._group, updater, fname, dump_optimizer)

    def load_optimizer_states(self, fname: str) -> None:
        """Load the states of the optimizer."""
        with self._lock:
            super().load_optimizer_states(fname)
        self._group.barrier()
