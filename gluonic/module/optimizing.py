"""The optimizer of a module: sums of gradients, and updates of the parameters."""

import warnings
from collections.abc import Sequence
from math import prod
from typing import Any

from gluonic import kvstore as kvstores
from gluonic import optimizer as optimizers
from gluonic.graph.errors import warn
from gluonic.graph.files import saved_in, write_atomically
from gluonic.kvstore.training import find_store, prepare, ranks_in_step, sum_up, updates_weights
from gluonic.module.parameters import Parameterized
from gluonic.ndarray import NDArray, arange


class Optimized(Parameterized):
    """A symbol whose parameters an optimizer updates.

    Parameters
    ----------
    symbol : the symbol to compute
    names : the arguments that are parameters
    logger : the logger of `fit`
    compression_params : compression of gradients by stores of several processes
    """

    def __init__(
        self, symbol: Any, names: Sequence[str], logger: Any, compression_params: Any = None
    ) -> None:
        super().__init__(symbol, names, logger)
        self._compression_params = compression_params
        self._optimizer: Any = None
        self._updater: Any = None
        self._kvstore: Any = None  # one context needs none
        self._update_on_kvstore: bool | None = None
        self._preload_opt_states: str | None = None
        self.prepared_by_rows: set[str] = set()  # parameters whose rows `prepare` pulls

    def init_optimizer(
        self,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = (("learning_rate", 0.01),),
        force_init: bool = False,
    ) -> None:
        """Choose the optimizer, and the store that sums the gradients of several contexts.

        Parameters
        ----------
        kvstore : a store, its name, or None for not summing them
        optimizer : an optimizer or its name
        optimizer_params : its arguments, if it is given by name; gradients are divided by the batch size,
            and by the number of synchronous processes, unless ``rescale_grad`` is given
        force_init : whether to choose again
        """
        self.require("binded", "params_initialized")
        if self.optimizer_initialized and not force_init:
            self.logger.warning("the optimizer is chosen already; force_init=True chooses again")
            return
        count = len(self._group.contexts)
        store = find_store(kvstore, count, type(self).__name__)
        largest = max((prod(b[0].shape) for b in self._group.param_arrays), default=0)
        on_store = updates_weights(store, largest) and store.is_capable(
            kvstores.KVStoreBase.OPTIMIZER
        )
        copies = 1 if on_store else count
        optimizer = self._made_optimizer(optimizer, optimizer_params, copies, ranks_in_step(store))
        if store is not None:
            prepare(store, self._compression_params, optimizer if on_store else None)
            for name, block in self._group.parameters.items():
                store.broadcast(name, block[0], out=block)
        self._optimizer, self._kvstore, self._update_on_kvstore = optimizer, store, on_store
        self._updater = None if on_store else optimizers.get_updater(optimizer)
        self.optimizer_initialized = True
        if self._preload_opt_states is not None:
            self.load_optimizer_states(self._preload_opt_states)
            self._preload_opt_states = None

    def _made_optimizer(self, optimizer: Any, options: Any, copies: int, ranks: int) -> Any:
        """The optimizer, which knows the parameters by index, each with `copies` copies."""
        rescale = 1.0 / ((self._group.batch_size or 1) * ranks)
        names = {
            i * copies + k: name
            for i, name in enumerate(self._group.parameters)
            for k in range(copies)
        }
        if isinstance(optimizer, str):
            return optimizers.create(
                optimizer,
                sym=self._symbol,
                param_idx2name=names,
                **{"rescale_grad": rescale, **dict(options)},
            )
        if optimizer.rescale_grad != rescale:
            warnings.warn(
                f"the optimizer multiplies gradients by rescale_grad={optimizer.rescale_grad}, "
                f"and not by {rescale}, one by the batch size",
                stacklevel=3,
            )
        optimizer.idx2name = optimizer.idx2name or names
        return optimizer

    def borrow_optimizer(self, shared_module: "Optimized") -> None:
        """Use the optimizer of another module, with its states."""
        shared_module.require("optimizer_initialized")
        self._optimizer, self._updater = shared_module._optimizer, shared_module._updater
        self._kvstore, self.prepared_by_rows = (
            shared_module._kvstore,
            shared_module.prepared_by_rows,
        )
        self._update_on_kvstore = shared_module._update_on_kvstore
        self.optimizer_initialized = True

    def update(self) -> None:
        """Update the parameters by their gradients, which are summed over the contexts first."""
        self.require("binded", "params_initialized", "optimizer_initialized")
        if self._group.grad_arrays is None:
            raise AssertionError("bind with for_training=True to update parameters")
        self._params_dirty = True
        pairs = zip(self._group.parameters.items(), self._group.grad_arrays, strict=True)
        trained: list[tuple[int, str, list[Any], list[NDArray]]] = [
            (number, name, gradient, block)
            for number, ((name, block), gradient) in enumerate(pairs)
            if gradient[0] is not None
        ]
        if self._kvstore is not None:
            sum_up(self._kvstore, trained, bool(self._update_on_kvstore), self.prepared_by_rows)
        if self._update_on_kvstore or not trained:
            return
        count = len(self._group.contexts)
        for k in range(count):
            self._updater(
                [number * count + k for number, _, _, _ in trained],
                [gradient[k] for _, _, gradient, _ in trained],
                [block[k] for _, _, _, block in trained],
            )

    def prepare(self, data_batch: Any, sparse_row_id_fn: Any = None) -> None:
        """Pull rows of row_sparse parameters from the store that updates them.

        Parameters
        ----------
        data_batch : the next batch
        sparse_row_id_fn : maps a batch to the indices of the rows that it needs, by parameter; from then on
            updates do not pull the whole parameter, only these rows
        """
        self.require("binded")
        if sparse_row_id_fn is None:
            return
        if self._kvstore is None or not self._update_on_kvstore:
            warn("Module.prepare: no store updates the parameters: sparse_row_id_fn is not needed")
            return
        for name, rows in sparse_row_id_fn(data_batch).items():
            block = self._group.parameters[name]
            if block[0].stype != "row_sparse":
                warn(f"Module.prepare: {name} is not row_sparse: its rows need not be asked for")
                continue
            self.prepared_by_rows.add(name)
            self._kvstore.row_sparse_pull(name, out=block, row_ids=rows)

    def get_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """Return copies of the parameters and the auxiliary states, by name; sparse ones with all rows."""
        arguments, states = super().get_params()
        for name in self.prepared_by_rows.intersection(arguments):
            rows = arange(0, arguments[name].shape[0], dtype="int64")
            self._kvstore.row_sparse_pull(name, out=arguments[name], row_ids=rows)
        return arguments, states

    # Files

    def save_optimizer_states(self, fname: str) -> None:
        """Save the optimizer's states; the old file survives an interruption."""
        self.require("optimizer_initialized")
        if self._update_on_kvstore:
            self._kvstore.save_optimizer_states(fname)
        else:
            write_atomically(fname, self._updater.get_states())

    def load_optimizer_states(self, fname: str) -> None:
        """Load the optimizer's states."""
        self.require("optimizer_initialized")
        if self._update_on_kvstore:
            self._kvstore.load_optimizer_states(fname)
        else:
            with saved_in(fname) as states:
                self._updater.set_states(states, self._weights_by_index())

    def _weights_by_index(self) -> dict[int, NDArray]:
        arrays = self._group.param_arrays
        count = len(self._group.contexts)
        return {
            i * count + k: array for i, block in enumerate(arrays) for k, array in enumerate(block)
        }
