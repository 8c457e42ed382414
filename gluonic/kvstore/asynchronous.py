"""The store of kind ``"dist_async"``: updates are applied as they come, and nobody waits for anybody.

Each key has an owner among the ranks, which keeps its weight and updates it whenever a gradient arrives; a
thread of the owner does that while the rank computes.
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
    """A store whose weights are updated by each gradient by itself.

    What is promised: the gradients that one rank pushes for one key are applied in the order in which they are
    pushed, and what a rank pulls afterwards has them. Those of several ranks are applied in the order in which
    they arrive, so that two runs may differ. `init`, `set_optimizer`, `_barrier`, and saving and loading states
    are done by all ranks together.

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
        """Serve the others until all have come to their end, unless this rank has given up waiting for them."""
        try:
            if not self._world.watch.has_given_up:
                self._barrier()
        finally:
            self._mailbox.close()

    def init(self, key: Any, value: Any) -> None:
        """Store the first values of rank 0; the others give arrays of the same shapes."""
        super().init(key, value)
        for one in self._stored:
            self._owners.setdefault(one, len(self._owners) % self.num_workers)
        self._group.barrier(lambda: "all ranks to have first values")

    # What is done at an owner

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
        """A copy of what is stored, or of some rows of it."""
        stored = self._known(key)
        if not isinstance(stored, RowSparseNDArray):
            return stored.asnumpy()
        assert rows is not None
        target = sparse.zeros("row_sparse", stored.shape, dtype=stored.dtype)
        pull_rows(stored, target, NDArray(rows))
        values: Array = target.asnumpy()[rows]
        return values

    def _take(self, key: Any, content: tuple[str, Any]) -> None:
        """Update a weight by a gradient."""
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
                    f"{key!r} is pushed, and there is no optimizer that would apply it",
                    where="kvstore.push",
                    hint="kv.set_optimizer(…) on all ranks comes first",
                )
            )
        return self._updater

    # What a rank asks of owners

    def push(self, key: Any, value: Any, priority: int = 0) -> None:
        """Send gradients to their owners, and do not wait until they are applied.

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
            return "encoded", self._sums.codec.encoded(key, total.elements).view(np.uint8)
        return "whole", total.elements

    def _asked(self, key: Any, rows: Array | None = None) -> Array:
        """What the owner of a key has."""
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
        """Copy what owners have to the arrays of `out`."""
        self._check_pulled(ignore_sparse)
        for one, outs in self._pairs(key, out):
            dense = [array for array in as_list(outs) if array.stype == "default"]
            if dense:
                spread(NDArray(self._asked(one)), dense)

    def _pull_rows(self, key: Any, target: NDArray, ids: NDArray) -> None:
        """Put rows of what the owner has into an array."""
        super()._pull_rows(
            key, target, ids
        )  # of the first value: what is wrong with them is said here
        assert isinstance(target, RowSparseNDArray)
        rows = np.unique(ids.asnumpy().astype(np.int64))
        target.stored = known_rows(self._asked(key, rows), rows, target.shape)

    # What all do together

    def _barrier(self) -> None:
        """Wait for all ranks, and until all gradients that were pushed before have been applied."""
        reply = np.empty(1, np.uint8)
        for rank in self._group.others:
            self._mailbox.ask(rank, ("flush", None, None), reply, lambda: "gradients to be applied")
        self._group.barrier()

    def _set_updater(self, updater: Callable[..., None]) -> None:
        """Call ``updater(key, pushed, stored)`` at the owner whenever something is pushed."""
        with self._lock:
            super()._set_updater(updater)
        self._group.barrier(lambda: "all ranks to set an optimizer")

    def save_optimizer_states(self, fname: str, dump_optimizer: bool = False) -> None:
        """Gather the states from the owners; rank 0 writes them, and all wait for it."""
        updater = self._optimizing()
        self._barrier()
        with self._lock:  # nothing is pushed before all have saved
            save_gathered(self._group, updater, fname, dump_optimizer)

    def load_optimizer_states(self, fname: str) -> None:
        """Load the states of the optimizer."""
        with self._lock:
            super().load_optimizer_states(fname)
        self._group.barrier()
