"""`Updater`: an optimizer and the states of the parameters that it updates."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gluonic.ndarray.array import NDArray, NoElementsError
from gluonic.ndarray.context import Context
from gluonic.optimizer.base import Optimizer, as_states
from gluonic.optimizer.fit import require_fit
from gluonic.optimizer.fused import DeviceUpdate, FusedUpdate, copy_weights
from gluonic.optimizer.lazy import is_stored


def _classic(arrays: Sequence[NDArray]) -> Sequence[NDArray]:
    """Arrays of `mx.nd` that share memory with those given, for the optimizer."""
    return [array.as_nd_ndarray() if array.of_numpy else array for array in arrays]


class Updater:
    """Update parameters, and create their states at their first update.

    Parameters
    ----------
    optimizer : the optimizer

    Attributes
    ----------
    optimizer : as given
    states : the states by index
    """

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer = optimizer
        self.states: dict[Any, Any] = {}
        self.states_synced: dict[Any, bool] = {}
        self.aggregate_updates = optimizer.aggregate_num > 0
        self.fused, self.on_device = FusedUpdate(), DeviceUpdate()

    def __setstate__(self, state: dict[str, Any]) -> None:
        # MXNet's pickles lack what updates together
        self.__dict__.update({"fused": FusedUpdate(), "on_device": DeviceUpdate(), **state})

    def __call__(self, index: Any, grad: Any, weight: Any) -> None:
        """Update a weight in place, or each of a list of weights."""
        if not isinstance(index, (list, tuple)):
            index, grad, weight = [index], [grad], [weight]
        self._update(index, grad, weight, ())

    def update_and_copy(
        self,
        index: Sequence[Any],
        grad: Sequence[NDArray],
        weight: Sequence[NDArray],
        copies: Sequence[NDArray | None],
    ) -> None:
        """Update weights in place, and also write them to other arrays, where given."""
        if not self._update(index, grad, weight, copies):
            copy_weights(weight, copies)

    def update_if(
        self, flag: Any, index: Sequence[Any], grad: Sequence[NDArray], weight: Sequence[NDArray]
    ) -> bool:
        """Update weights on a device unless a flag there is 0, which nobody waits for.

        Returns
        -------
        bool
            whether that is queued; else nothing was done
        """
        if self.aggregate_updates:
            return False
        self.optimizer.count_on(weight[0].context.device_id)
        for one, w in zip(index, weight, strict=True):
            self.prepare(one, w)
        states = [self.states[one] for one in index]
        return self.on_device(self.optimizer, index, weight, grad, states, flag)

    def _update(self, index: Any, grad: Any, weight: Any, copies: Sequence[NDArray | None]) -> bool:
        """Update weights; return whether copies were written, too."""
        names = [one.decode() if isinstance(one, bytes) else one for one in index]
        if weight:
            self.optimizer.count_on(weight[0].context.device_id)
        for one, w in zip(names, weight, strict=True):
            self.prepare(one, w)
        if self.aggregate_updates:
            self._update_together(names, grad, weight)
            return False
        states = [self.states[n] for n in names]
        if (
            weight
            and weight[0].on_device
            and self.on_device(self.optimizer, names, weight, grad, states)
        ):
            return False
        try:
            fused = self.fused(self.optimizer, names, weight, grad, states, copies)
        except NoElementsError:
            fused = None
        if fused is None:
            self._update_apart(names, grad, weight)
            return False
        if not fused:
            for one, g, w in zip(names, _classic(grad), _classic(weight), strict=True):
                self.optimizer.update_multi_precision(one, w, g, self.states[one])
        return fused

    def count(self, index: Sequence[Any]) -> None:
        """Count parameters that were updated elsewhere, for rates that depend on the number of updates."""
        for one in index:
            self.optimizer.count_update(one)

    def forget(self, index: Iterable[Any]) -> None:
        """Drop the states of parameters that are updated elsewhere."""
        for one in index:
            del self.states[one], self.states_synced[one]

    def _update_apart(
        self, names: Sequence[Any], grads: Sequence[NDArray], weights: Sequence[NDArray]
    ) -> None:
        """Update the dense parameters together, and those with a sparse array one by one."""
        dense = []
        for i, (name, grad, weight) in enumerate(zip(names, grads, weights, strict=True)):
            if weight.on_device or is_stored(grad, weight, *as_states(self.states[name])):
                w, g = _classic([weight, grad])
                self.optimizer.update_multi_precision(name, w, g, self.states[name])
            else:
                dense.append(i)
        if dense:
            self([names[i] for i in dense], [grads[i] for i in dense], [weights[i] for i in dense])

    def prepare(self, index: Any, weight: NDArray) -> None:
        """Create a weight's state, or move a loaded one to its context."""
        if index not in self.states:
            (classic,) = _classic([weight])
            self.states[index] = self.optimizer.create_state_multi_precision(index, classic)
        elif not self.states_synced[index]:
            require_fit(self.optimizer, index, self.states[index], weight)
            self.states[index] = self.sync_state_context(self.states[index], weight.context)
        self.states_synced[index] = True

    def _update_together(
        self, names: Sequence[Any], grads: Sequence[NDArray], weights: Sequence[NDArray]
    ) -> None:
        """Pass the parameters of one dtype together to an optimizer that takes several at once."""
        by_dtype: dict[Any, list[int]] = {}
        for i, weight in enumerate(weights):
            by_dtype.setdefault(weight.dtype, []).append(i)
        most = self.optimizer.aggregate_num
        for members in by_dtype.values():
            for start in range(0, len(members), most):
                chosen = members[start : start + most]
                self.optimizer.update_multi_precision(
                    [names[i] for i in chosen],
                    _classic([weights[i] for i in chosen]),
                    _classic([grads[i] for i in chosen]),
                    [self.states[names[i]] for i in chosen],
                )

    def sync_state_context(self, state: Any, context: Context) -> Any:
        """Return a state with its arrays on a context."""
        if isinstance(state, NDArray):
            return state.as_in_context(context)
        if isinstance(state, (tuple, list)):
            return type(state)(self.sync_state_context(one, context) for one in state)
        return state

    def get_states(self, dump_optimizer: bool = False) -> bytes:
        """Return the states as bytes, with the optimizer itself if `dump_optimizer` is set."""
        from gluonic.optimizer.states import dump  # training alone does not need it

        return dump((self.states, self.optimizer) if dump_optimizer else self.states)

    def set_states(self, states: bytes, weights: Mapping[Any, NDArray] | None = None) -> None:
        """Load what `get_states` returned, here or in MXNet.

        Parameters
        ----------
        states : the bytes
        weights : the parameters by index, as far as they are known, which the states must fit

        Raises
        ------
        FileFormatError
            if the bytes are not states; nothing is changed then
        MismatchError
            if they are states of another optimizer, or of other parameters; nothing is changed then
        """
        self.take_states(*self.read_states(states, weights or {}))

    def read_states(
        self, states: bytes, weights: Mapping[Any, NDArray]
    ) -> tuple[dict[Any, Any], Optimizer]:
        """What `set_states` would take; nothing is changed."""
        from gluonic.optimizer.states import load_states

        return load_states(states, self.optimizer, weights)

    def take_states(self, states: dict[Any, Any], optimizer: Optimizer) -> None:
        """Set the states from `read_states`."""
        self.states, self.optimizer = states, optimizer
        self.aggregate_updates = optimizer.aggregate_num > 0
        self.states_synced = dict.fromkeys(states, False)


def get_updater(optimizer: Optimizer) -> Updater:
    """Return an updater for the optimizer.

    Parameters
    ----------
    optimizer : the optimizer
    """
    return Updater(optimizer)
