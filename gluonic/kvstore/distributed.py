"""The store of several processes: each has all weights, and gradients are summed over MPI.

There are no servers. All ranks apply the same updates to the same weights, which stay bitwise equal.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gluonic.distributed import World, world
from gluonic.distributed.codecs import codec_of
from gluonic.distributed.early import Overlapped
from gluonic.distributed.group import RankGroup
from gluonic.distributed.marks import marked
from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.storage.values import known_rows
from gluonic.kvstore.base import as_list, spread
from gluonic.kvstore.kvstore import KVStore
from gluonic.kvstore.push_layout import named
from gluonic.kvstore.push_sums import PushSums, keys_text, rows_of
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.state import STATE
from gluonic.ndarray.storage.arrays import RowSparseNDArray
from gluonic.optimizer import Updater

__all__ = ["DistributedStore"]


class DistributedStore(KVStore):
    """A store of all ranks of a program, which call its methods in the same order.

    Parameters
    ----------
    kind : its name, such as ``"dist_sync"``
    """

    is_distributed = True

    def __init__(self, kind: str = "dist_sync") -> None:
        super().__init__(kind)
        self._world: World = world()
        self._sums = PushSums(self._world)

    @property
    def _group(self) -> RankGroup:
        return self._world.group

    @property
    def rank(self) -> int:
        """The rank of this process."""
        return self._group.rank

    @property
    def num_workers(self) -> int:
        """The number of processes."""
        return self._group.size

    def init(self, key: Any, value: Any) -> None:
        """Store the initial values of rank 0; the other ranks pass arrays of the same shapes."""
        pairs = [(one, as_list(given)[0]) for one, given in self._pairs(key, value)]
        for one, _ in pairs:
            if one in self._stored:
                raise MXNetError(f"kvstore: the key {one!r} has been initialized already")
        said = "; ".join(named(one, given) for one, given in pairs)
        self._group.agree(f"init {said}", lambda: f"the keys to initialize: {keys_text(pairs)}")
        for one, given in pairs:
            self._stored[one] = self._of_first_rank(one, given)

    def _of_first_rank(self, key: Any, value: NDArray) -> NDArray:
        """The value of rank 0, on all ranks."""

        def what() -> str:
            return f"the initial value of {key!r}"

        if not isinstance(value, RowSparseNDArray):
            found: NDArray = value.copy()
            self._group.broadcast(found.elements, 0, what)
            return found
        rows, data = rows_of(value)
        if self.rank:
            rows, data = rows[:0], data[:0]
        rows, data = self._group.gather(rows, what)[0], self._group.gather(data, what)[0]
        return RowSparseNDArray(known_rows(data, rows, value.shape))

    def push(self, key: Any, value: Any, priority: int = 0) -> None:
        """Sum arrays over all ranks and store the result, or pass it to the updater if there is one.

        Raises
        ------
        RanksDisagreeError
            if ranks push different keys, shapes or dtypes
        RankFailedError
            if another rank has ended, or does not respond in time
        """
        self._push(key, value, {})

    def _push(self, key: Any, value: Any, copies: Mapping[Any, NDArray]) -> None:
        """Push, and copy the new values of some keys to arrays."""
        pairs = [(one, as_list(given)) for one, given in self._pairs(key, value)]
        for one, given in pairs:
            self._check(one, given[0])
        self._world.watch.advance()
        keys = [one for one, _ in pairs]
        with marked("push", keys=keys_text(pairs)):
            totals = self._sums.sum_up(
                pairs, self._settings(), in_place=False, kept=self._updater is None
            )
        self._apply(keys, totals, copies)

    def sum_in_place(self, key: Any, value: Any) -> None:
        """Replace arrays by their sums over all contexts and ranks; nothing is stored."""
        pairs = [(one, as_list(given)) for one, given in self._pairs(key, value)]
        self._world.watch.advance()
        with marked("allreduce", keys=keys_text(pairs)):
            totals = self._sums.sum_up(pairs, self._settings(), in_place=True, kept=False)
        for (_, arrays), total in zip(pairs, totals, strict=True):
            if total.stype == "default" and total.elements is arrays[0].elements:
                spread(total, arrays[1:])
            else:
                spread(total, arrays)

    def _check(self, key: Any, pushed: NDArray) -> None:
        stored = self._known(key)
        if pushed.shape != stored.shape:
            raise MXNetError(
                describe(
                    f"the key {key!r} has the shape {stored.shape}, not {pushed.shape}",
                    where="kvstore.push",
                )
            )

    @property
    def overlapped(self) -> Overlapped | None:
        """The overlap of sums with backward in the latest step of a `Trainer`; None if there was none."""
        return self._sums.overlapped

    def expect(self, key: Any, value: Any) -> None:
        """Prepare to sum these arrays during the next backward pass; see `PushSums.expect`."""
        self._sums.expect([(one, as_list(given)) for one, given in self._pairs(key, value)])

    def _settings(self) -> str:
        """The settings of updates, as text: with different ones the ranks' weights would diverge."""
        if not isinstance(self._updater, Updater):
            return ""
        known = self._updater.optimizer
        rate, decay, scale = known.learning_rate, known.wd, known.rescale_grad
        return f"; {type(known).__name__}, learning rate {rate}, wd {decay}, rescale_grad {scale}"

    def _apply(
        self, keys: Sequence[Any], totals: Sequence[NDArray], copies: Mapping[Any, NDArray]
    ) -> None:
        """Store sums, or update weights with them; copy the new values of some keys to arrays."""
        if isinstance(self._updater, Updater):
            stored = [self._stored[key] for key in keys]
            self._updater.update_and_copy(
                list(keys), list(totals), stored, [copies.get(key) for key in keys]
            )
            return
        if self._updater is None:
            self._stored.update(zip(keys, totals, strict=True))
        else:
            for key, total in zip(keys, totals, strict=True):
                self._updater(key, total, self._stored[key])
        for key, copy in copies.items():
            spread(self._stored[key], copy)

    def pull(
        self, key: Any, out: Any = None, priority: int = 0, ignore_sparse: bool = True
    ) -> None:
        """Copy stored values to the arrays of `out`.

        Raises
        ------
        MXNetError
            with ``ignore_sparse=False``: use `row_sparse_pull` for sparse arrays
        """
        self._check_pulled(ignore_sparse)
        super().pull(key, out, priority)

    @staticmethod
    def _check_pulled(ignore_sparse: bool) -> None:
        if not ignore_sparse:
            raise MXNetError("kvstore: dist kvstore pull doesn't support ignore_sparse=False")

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        """Push, then pull to `out`, or else back to `value`."""
        outs = value if out is None else out
        copies = _single_outs(key, outs)
        self._push(key, value, copies)
        if not copies:
            self.pull(key, outs, priority)
            return
        rest = [(one, given) for one, given in zip(key, outs, strict=True) if one not in copies]
        if rest:
            self.pull([one for one, _ in rest], [given for _, given in rest], priority)

    def set_gradient_compression(self, compression_params: dict[str, Any]) -> None:
        """Compress gradients that are sent.

        Parameters
        ----------
        compression_params : ``{"type": "2bit", "threshold": 0.5}``, as in MXNet, ``{"type": "fp16"}``, or
            ``{"type": "none"}``
        """
        self._sums.compress(codec_of(compression_params))

    def _set_updater(self, updater: Callable[..., None]) -> None:
        """Call ``updater(key, pushed, stored)`` for each push."""
        super()._set_updater(updater)
        self._stored = {key: value.copy() for key, value in self._stored.items()}

    def save_optimizer_states(self, fname: str, dump_optimizer: bool = False) -> None:
        """Save the states of the optimizer, which are the same on all ranks: rank 0 writes them."""
        self._optimizing()
        if self.rank == 0:
            super().save_optimizer_states(fname, dump_optimizer)

    def _barrier(self) -> None:
        """Wait for all ranks."""
        self._group.barrier()

    def num_dead_node(self, node_id: int = 0, timeout: int = 60) -> int:
        """The number of ranks on this machine that have died or were stopped by an error; others are not known.

        Parameters
        ----------
        node_id, timeout : not used: a dead process is noticed at once
        """
        board = self._world.watch.board
        assert board is not None
        return sum(bool(board.end_of(rank)) for rank in board.ranks)


def _single_outs(keys: Any, outs: Any) -> dict[Any, NDArray]:
    """The array of each key whose only array is dense, by key; empty if the order of writes matters."""
    lists = (list, tuple)
    if STATE.recording or not isinstance(keys, lists) or not isinstance(outs, lists):
        return {}
    if len(keys) != len(outs) or len({*map(repr, keys)}) < len(keys):
        return {}
    found = {}
    for key, given in zip(keys, outs, strict=True):
        if isinstance(given, lists) and len(given) == 1:
            (given,) = given
        if isinstance(given, NDArray) and given.stype == "default" and isinstance(key, (int, str)):
            found[key] = given
    return found if len({*map(id, found.values())}) == len(found) else {}
