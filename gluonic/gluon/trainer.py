"""`Trainer`: updates parameters by their gradients."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gluonic import kvstore as kvstores
from gluonic import optimizer as optimizers
from gluonic.gluon.loss_scaling import LossScaling
from gluonic.gluon.parameter import Parameter
from gluonic.gluon.trained import KnownParameters, Trained, contexts_of
from gluonic.gluon.trainer_errors import (
    OptimizerSettingsError,
    checked_parameters,
    stale_gradients,
)
from gluonic.gluon.trainer_store import require_local, store_of
from gluonic.graph.constructors import CheckedArguments
from gluonic.graph.errors import describe
from gluonic.graph.files import saved_in, write_atomically
from gluonic.graph.versions import REPLACEMENTS
from gluonic.kvstore.training import prepare, sum_up
from gluonic.ndarray import Context, NDArray, arange
from gluonic.ndarray.state import Flags

__all__ = ["Trainer"]


class Trainer(LossScaling, CheckedArguments):
    """Apply an optimizer to parameters, after every `backward`.

    Gradients of several contexts are summed first.

    Parameters
    ----------
    params : the parameters: a dictionary such as `net.collect_params()` (sorted by name), or a list
    optimizer : an optimizer or its name
    optimizer_params : arguments for the optimizer, if it is given by name
    kvstore : the store that sums gradients of several contexts: ``"device"``, ``"local"``, a store, or None for
        no sums; ``"dist_sync"`` sums them over all processes of ``mpirun``
    compression_params : compression of gradients between processes, or contexts, such as
        ``{"type": "2bit", "threshold": 0.5}`` or ``{"type": "fp16"}``
    update_on_kvstore : whether the store holds and updates the weights; by default the trainer decides

    Attributes
    ----------
    learning_rate : the current learning rate
    optimizer : the optimizer

    Examples
    --------
    >>> from gluonic import autograd, gluon, nd
    >>> net = gluon.nn.Dense(1, in_units=2, weight_initializer="ones")
    >>> net.initialize()
    >>> trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})
    >>> with autograd.record():
    ...     loss = net(nd.array([[1.0, 2.0]]))
    >>> loss.backward()
    >>> trainer.step(batch_size=1)
    >>> net.weight.data().asnumpy().tolist()
    [[0.5, 0.0]]
    """

    _kvstore: Any = None

    def __init__(
        self,
        params: Mapping[str, Parameter] | Sequence[Parameter],
        optimizer: str | optimizers.Optimizer,
        optimizer_params: Mapping[str, Any] | None = None,
        kvstore: str | kvstores.KVStoreBase | None = "device",
        compression_params: dict[str, Any] | None = None,
        update_on_kvstore: bool | None = None,
    ) -> None:
        self._params = checked_parameters(params)
        self._param2idx = {param.name: index for index, param in enumerate(self._params)}
        for param in self._params:
            param.set_trainer(self)
        self._contains_sparse_weight = any(p.has_sparse_value for p in self._params)
        self._contains_sparse_grad = any(p.has_sparse_gradient for p in self._params)
        self._contexts = self._check_contexts()
        self._init_optimizer(optimizer, dict(optimizer_params or {}))
        self._scale = self._optimizer.rescale_grad
        self._compression_params = compression_params
        self._kvstore_params: dict[str, Any] = {
            "kvstore": kvstore,
            "update_on_kvstore": update_on_kvstore,
        }
        self._known: KnownParameters | None = None
        self._reset_kvstore()

    def __getstate__(self) -> dict[str, Any]:
        """The state of a copy: everything except the look-ups."""
        self.close_step()
        return {**self.__dict__, "_known": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._optimizer.param_dict = dict(enumerate(self._params))
        for param in self._params:
            param.set_trainer(self)

    def _check_contexts(self) -> list[Context]:
        return contexts_of(self._params)

    def _init_optimizer(
        self, optimizer: str | optimizers.Optimizer, optimizer_params: dict[str, Any]
    ) -> None:
        """Make the optimizer, and an updater for each context."""
        by_index = dict(enumerate(self._params))
        if isinstance(optimizer, str):
            optimizer = optimizers.create(optimizer, param_dict=by_index, **optimizer_params)
        elif optimizer_params:
            raise OptimizerSettingsError(
                "Trainer: optimizer_params go with an optimizer's name, not with one that is made already"
            )
        else:
            optimizer.param_dict = by_index
        self._optimizer: optimizers.Optimizer = optimizer
        self._updaters = [optimizers.get_updater(optimizer) for _ in self._contexts]

    # The store

    def _reset_kvstore(self) -> None:
        """Use a new store from the next step on, starting from the parameters' current values."""
        require_local(self._kvstore)
        self._kv_initialized = False
        self._kvstore = None
        self._distributed: bool | None = None
        self._update_on_kvstore: bool | None = None
        self._params_to_init = list(self._params)

    def _init_kvstore(self) -> None:
        asked = self._kvstore_params
        store, update = store_of(
            asked["kvstore"],
            asked["update_on_kvstore"],
            len(self._contexts),
            (self._contains_sparse_weight, self._contains_sparse_grad),
            self._largest,
        )
        self._distributed = store is not None and "dist" in store.type
        if store is not None:
            prepare(store, self._compression_params, self._optimizer if update else None)
        self._kvstore, self._update_on_kvstore = store, update
        self._kv_initialized = True

    def _largest(self) -> int:
        """The number of elements of the largest parameter."""
        return max((array.size for p in self._params for array in p.list_data()[:1]), default=0)

    def _init_params(self) -> None:
        """Push the parameters initialized so far to the store."""
        waiting = []
        for param in self._params_to_init if self._kvstore is not None else ():
            if param.is_deferred:
                waiting.append(param)
            else:
                arrays = param.held_arrays()
                index = self._param2idx[param.name]
                if param.has_sparse_value:
                    self._kvstore.init(index, arrays[0])
                else:
                    self._kvstore.broadcast(index, arrays[0], arrays)
        self._params_to_init = waiting

    def _prepare(self) -> None:
        if not self._kv_initialized:
            self._init_kvstore()
        if self._params_to_init:
            self._init_params()

    # Learning rate and optimizer

    @property
    def learning_rate(self) -> float:
        """The current learning rate."""
        return self._optimizer.learning_rate

    @property
    def optimizer(self) -> optimizers.Optimizer:
        """The optimizer."""
        return self._optimizer

    def set_learning_rate(self, lr: float) -> None:
        """Set the learning rate.

        Raises
        ------
        UserWarning
            if a scheduler sets it
        """
        self._optimizer.set_learning_rate(lr)

    def _check_and_rescale_grad(self, scale: float) -> None:
        """Let the optimizer multiply gradients by a number."""
        self._optimizer.rescale_grad = scale

    def forget_stored(self, parameter: Parameter) -> None:
        """Let the store load the value of a parameter again: it was set while the store held another value."""
        if (
            self._kv_initialized
            and self._update_on_kvstore
            and parameter not in self._params_to_init
        ):
            self._reset_kvstore()

    def pull_rows(self, parameter: Parameter, out: Any, row_id: NDArray) -> None:
        """Copy rows of a parameter from the store into arrays."""
        self._row_sparse_pull(parameter, out, row_id)

    def pull_all_rows(self, parameter: Parameter, out: NDArray) -> None:
        """Copy all rows of a parameter from the store into an array, if the store is in use already."""
        if self._kv_initialized:
            rows = arange(out.shape[0], dtype="int64")
            self._row_sparse_pull(parameter, out, rows, full_idx=True)

    def _row_sparse_pull(
        self, parameter: Parameter, out: Any, row_id: NDArray, full_idx: bool = False
    ) -> None:
        """Copy rows of a parameter from the store into arrays, or all of them with `full_idx`."""
        index = self._param2idx[parameter.name]
        with Flags(False, None):
            self._prepare()
            if full_idx and not self._distributed:
                self._kvstore.pull(index, out=out, priority=-index, ignore_sparse=False)
            else:
                self._kvstore.row_sparse_pull(index, out=out, row_ids=row_id, priority=-index)

    # Steps

    def step(self, batch_size: float, ignore_stale_grad: bool = False) -> None:
        """Sum the gradients of all contexts and update the parameters.

        Parameters
        ----------
        batch_size : gradients are divided by it
        ignore_stale_grad : skip parameters whose gradient has not been computed since the last step, instead of
            raising an error

        Raises
        ------
        UserWarning
            if a gradient has not been computed since the last step
        TypeError, ZeroDivisionError
            if gradients cannot be divided by `batch_size`
        """
        scale = self._scale_for(batch_size)
        self._check_and_rescale_grad(scale)
        self._prepare()
        self._allreduce_grads()
        self._update(ignore_stale_grad)

    def allreduce_grads(self) -> None:
        """Sum the gradients of all contexts, for clipping them before `update`."""
        self._prepare()
        self._require_own_update("allreduce_grads")
        self._allreduce_grads()

    def update(self, batch_size: float, ignore_stale_grad: bool = False) -> None:
        """Update the parameters with gradients summed by `allreduce_grads`; see `step`."""
        self._prepare()
        self._require_own_update("update")
        self._check_and_rescale_grad(self._scale_for(batch_size))
        self._update(ignore_stale_grad)

    def _require_own_update(self, what: str) -> None:
        if self._update_on_kvstore:
            raise AssertionError(
                describe(
                    f"{what}() is not possible when the store updates the weights",
                    where="Trainer",
                    hint="Trainer(…, update_on_kvstore=False)",
                )
            )

    def _trained(self) -> Iterable[tuple[int, Parameter]]:
        return ((i, param) for i, param in enumerate(self._params) if param.grad_req != "null")

    def _allreduce_grads(self) -> None:
        if self._kvstore is None:
            return
        dense = []
        for i, param in self._trained():
            if param.has_sparse_value:
                self._kvstore.push(i, param.list_grad(), priority=-i)
            else:
                dense.append((i, i, param.list_grad(), param.list_data()))
        sum_up(self._kvstore, dense, bool(self._update_on_kvstore))

    def _update(self, ignore_stale_grad: bool = False) -> None:
        if self._amp_loss_scaler is not None:
            self._update_scaled(ignore_stale_grad)
        else:
            self._update_fresh(self._fresh(ignore_stale_grad))

    def _fresh(self, ignore_stale_grad: bool) -> list[list[Trained]]:
        fresh = []
        for trained in self._found():
            chosen = [t for t in trained if t.leaf is not None and t.leaf.fresh]
            if len(chosen) < len(trained) and not ignore_stale_grad:
                raise stale_gradients(self._found())
            fresh.append(chosen)
        return fresh

    def _update_fresh(self, fresh: Sequence[Sequence[Trained]]) -> None:
        if self._update_on_kvstore:
            return
        for updater, chosen in zip(self._updaters, fresh, strict=True):
            if chosen:
                updater(
                    [t.key for t in chosen],
                    [t.gradient for t in chosen],
                    [t.array for t in chosen],
                )
            for t in chosen:
                t.leaf.fresh = False

    def _found(self) -> list[list[Trained]]:
        """The trained parameters of each context; they are looked up again after changes."""
        if self._known is not None and self._known.holds():
            return self._known.by_context
        at = REPLACEMENTS.latest
        by_context: list[list[Trained]] = [[] for _ in self._updaters]
        for index, param in self._trained():
            held = param.held_arrays() if param.has_sparse_value else param.list_data()
            values = zip(held, param.list_grad(), by_context, strict=True)
            for array, gradient, trained in values:
                trained.append(Trained(index, param, array, gradient, array.leaf()))
        self._known = KnownParameters.of(self._params, by_context, at)
        return by_context

    # Files

    def save_states(self, fname: str) -> None:
        """Save the optimizer and its states; the old file survives an interruption.

        Parameters
        ----------
        fname : the file
        """
        self._prepare()
        self.close_step()
        if not self._update_on_kvstore:
            write_atomically(fname, self._updaters[0].get_states(dump_optimizer=True))
            return
        if self._params_to_init:
            names = ", ".join(param.name for param in self._params_to_init)
            raise AssertionError(f"Trainer: cannot save states: not initialized yet: {names}")
        self._kvstore.save_optimizer_states(fname, dump_optimizer=True)

    def load_states(self, fname: str) -> None:
        """Load a file written by `save_states`, here or in MXNet.

        Parameters
        ----------
        fname : the file

        Raises
        ------
        FileAccessError
            if the file cannot be read
        FileFormatError
            if it is damaged; nothing is changed then
        MismatchError
            if its states belong to other parameters, or to another optimizer; nothing is changed then
        """
        self._prepare()
        self.close_step()
        if self._update_on_kvstore:
            self._kvstore.load_optimizer_states(fname)
            self._optimizer = self._kvstore._updater.optimizer
        else:
            with saved_in(fname) as saved:
                found = [
                    updater.read_states(saved, weights)  # each has arrays of its own
                    for updater, weights in zip(self._updaters, self._weights(), strict=True)
                ]
            for updater, states in zip(self._updaters, found, strict=True):
                updater.take_states(*states)
            self._optimizer = self._updaters[0].optimizer
            for updater in self._updaters:
                updater.optimizer = self._optimizer
        self._optimizer.param_dict = dict(enumerate(self._params))

    def _weights(self) -> list[dict[int, NDArray]]:
        """For each context, the initialized parameters by index."""
        known = [
            (i, param.held_arrays()) for i, param in enumerate(self._params) if param.is_initialized
        ]
        return [{i: arrays[index] for i, arrays in known} for index in range(len(self._updaters))]
