"""The store of one process, a dictionary."""

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from gluonic.graph.errors import MXNetError, describe, nearest
from gluonic.graph.files import saved_in, write_atomically
from gluonic.kvstore.base import OneWorker, as_list, spread, total_of
from gluonic.kvstore.rows import pull_rows
from gluonic.ndarray.array import NDArray
from gluonic.optimizer import Optimizer, Updater, get_updater

__all__ = ["KVStore"]


class KVStore(OneWorker):
    """A store in this process.

    Parameters
    ----------
    kind : its name

    Attributes
    ----------
    is_distributed : whether several processes share it; it then takes all keys of a step at once
    """

    _runs_optimizers = True
    is_distributed: ClassVar[bool] = False

    def __init__(self, kind: str = "local") -> None:
        self._kind = kind
        self._stored: dict[Any, NDArray] = {}
        self._key_type: Any = None
        self._updater: Callable[..., None] | None = None

    @property
    def type(self) -> str:
        """The name with which the store was created."""
        return self._kind

    def _pairs(self, keys: Any, values: Any) -> Iterator[tuple[Any, Any]]:
        """Pair keys with their values; one key with one array or with a list of them."""
        if not isinstance(keys, (list, tuple)):
            keys, values = [keys], [values]
        if len(keys) != len(values):
            raise MXNetError(f"kvstore: {len(keys)} keys, but {len(values)} values")
        for key, value in zip(keys, values, strict=True):
            kind = str if isinstance(key, str) else int
            if not isinstance(key, (int, str)) or kind is not (self._key_type or kind):
                raise MXNetError(
                    describe(
                        f"{key!r} cannot be a key here",
                        where="kvstore",
                        hint="keys that are all integers, or all strings",
                    )
                )
            self._key_type = kind
            if isinstance(value, (list, tuple)) and isinstance(value[0], (list, tuple)):
                raise MXNetError(f"kvstore: the value of the key {key!r} is a list of lists")
            yield key, value

    def _known(self, key: Any) -> NDArray:
        if key not in self._stored:
            raise MXNetError(
                describe(
                    f"the key {key!r} has not been initialized"
                    f"{nearest(str(key), map(str, self._stored))}",
                    where="kvstore",
                    hint="kv.init(key, value)",
                )
            )
        return self._stored[key]

    def init(self, key: Any, value: Any) -> None:
        """Store initial values; each key once."""
        for one, given in self._pairs(key, value):
            if one in self._stored:
                raise MXNetError(f"kvstore: the key {one!r} has been initialized already")
            self._stored[one] = as_list(given)[0].copy()

    def push(self, key: Any, value: Any, priority: int = 0) -> None:
        """Sum arrays and store the result, or pass it to the updater if there is one."""
        for one, given in self._pairs(key, value):
            stored, total = self._known(one), self._total(one, given)
            if self._updater is None:
                if stored.stype != total.stype:
                    self._stored[one] = total
                else:
                    stored[:] = total
            else:
                self._updater(one, total, stored)

    def _total(self, key: Any, pushed: Any) -> NDArray:
        """Sum the arrays of all contexts."""
        return total_of(pushed)

    def pull(
        self, key: Any, out: Any = None, priority: int = 0, ignore_sparse: bool = True
    ) -> None:
        """Copy stored values to the arrays of `out`; with `ignore_sparse`, only to dense ones."""
        if out is None:
            raise MXNetError("kvstore: pull needs out=, the arrays to copy to")
        for one, outs in self._pairs(key, out):
            known = self._known(one)
            if ignore_sparse:
                outs = [array for array in as_list(outs) if array.stype == "default"]
            spread(known, outs)

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        """Push, then pull to `out`, or else back to `value`."""
        self.push(key, value, priority)
        self.pull(key, value if out is None else out, priority, ignore_sparse=False)

    def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> None:
        """Initialize, then pull."""
        self.init(key, value)
        self.pull(key, out, priority)

    def row_sparse_pull(
        self, key: Any, out: Any = None, priority: int = 0, row_ids: Any = None
    ) -> None:
        """Copy some rows of stored row_sparse values into row_sparse arrays.

        Parameters
        ----------
        key : the keys
        out : a row_sparse array, or a list of them, for each key
        row_ids : the indices of the rows, of any shape: an array for each of `out`, or one for all
        """
        if out is None or row_ids is None:
            raise MXNetError(
                "kvstore: row_sparse_pull needs out=, the arrays to copy to, and row_ids="
            )
        for (one, outs), (_, rows) in zip(
            self._pairs(key, out), self._pairs(key, row_ids), strict=True
        ):
            targets, chosen = as_list(outs), as_list(rows)
            if len(chosen) == 1:
                chosen = chosen * len(targets)
            for target, ids in zip(targets, chosen, strict=True):
                self._pull_rows(one, target, ids)

    def _pull_rows(self, key: Any, target: NDArray, ids: NDArray) -> None:
        """Copy rows of a stored value into an array."""
        pull_rows(self._known(key), target, ids)

    def set_gradient_compression(self, compression_params: dict[str, Any]) -> None:
        """Raise an error, unless it is ``{"type": "none"}``: stores of kind ``"device"`` compress.

        Raises
        ------
        MXNetError
            for any other type
        """
        wanted = compression_params.get("type", "none")
        if wanted != "none":
            raise MXNetError(
                describe(
                    f"a store of kind {self.type!r} does not compress gradients ({wanted!r})",
                    where="kvstore.set_gradient_compression",
                    hint="kvstore 'device', or 'dist_sync' in several processes",
                )
            )

    def set_optimizer(self, optimizer: Optimizer) -> None:
        """Let the store update weights when gradients are pushed."""
        self._set_updater(get_updater(optimizer))

    def _set_updater(self, updater: Callable[..., None]) -> None:
        """Call ``updater(key, pushed, stored)`` for each push."""
        self._updater = updater

    def _optimizing(self) -> Updater:
        if not isinstance(self._updater, Updater):
            raise MXNetError("kvstore: there is no optimizer; call set_optimizer(…) first")
        return self._updater

    def save_optimizer_states(self, fname: str, dump_optimizer: bool = False) -> None:
        """Save the states of the optimizer; the old file survives an interruption.

        Parameters
        ----------
        fname : the file
        dump_optimizer : save the optimizer itself as well
        """
        write_atomically(fname, self._optimizing().get_states(dump_optimizer))

    def load_optimizer_states(self, fname: str) -> None:
        """Load the states of the optimizer."""
        with saved_in(fname) as states:
            self._optimizing().set_states(states, self._stored)

    def _barrier(self) -> None:
        """Do nothing: there is one worker."""
