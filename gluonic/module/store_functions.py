"""Private functions of `mx.model` that programs with a training loop of their own import."""

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

from gluonic.kvstore.training import find_store, sum_up, updates_weights
from gluonic.ndarray import NDArray

_SEVERAL = 2  # contexts, which need a store

Blocks = Sequence[Sequence[NDArray | None]]
"""For each parameter a list with one array per context."""


def _create_kvstore(
    kvstore: Any, num_device: int, arg_params: Mapping[str, NDArray]
) -> tuple[Any, bool]:
    """Return a store, None if one context needs none, and whether it updates the weights."""
    store = find_store(kvstore, num_device, "_create_kvstore")
    largest = max((prod(array.shape) for array in arg_params.values()), default=0)
    return store, updates_weights(store, largest if isinstance(kvstore, str) else 0)


def _create_sparse_kvstore(kvstore: Any) -> tuple[Any, bool]:
    """Return a store for weights with sparse gradients, and True: it updates them.

    Raises
    ------
    TypeError
        if `kvstore` is neither a store nor a name
    """
    store = find_store(kvstore, _SEVERAL, "_create_sparse_kvstore")
    if store is None:
        raise TypeError("_create_sparse_kvstore: kvstore must be a KVStore or a name, not None")
    return store, True


def _initialize_kvstore(
    kvstore: Any,
    param_arrays: Blocks,
    arg_params: Mapping[str, NDArray],
    param_names: Sequence[str],
    update_on_kvstore: bool,
) -> None:
    """Give a store the initial weights; if it updates them, copy them to all contexts."""
    for number, (name, block) in enumerate(zip(param_names, param_arrays, strict=True)):
        kvstore.init(name, arg_params[name])
        if update_on_kvstore:
            kvstore.pull(name, block, priority=-number)


def _with_gradients(
    param_arrays: Blocks, grad_arrays: Blocks, keys: Sequence[Any] | None
) -> list[tuple[int, Any, Any, Any]]:
    """Index, key, gradients and weights of the parameters that have gradients."""
    return [
        (index, index if keys is None else keys[index], gradients, weights)
        for index, (weights, gradients) in enumerate(zip(param_arrays, grad_arrays, strict=True))
        if gradients[0] is not None
    ]


def _update_params_on_kvstore(
    param_arrays: Blocks, grad_arrays: Blocks, kvstore: Any, param_names: Sequence[str]
) -> None:
    """Let a store update the weights of all contexts."""
    sum_up(kvstore, _with_gradients(param_arrays, grad_arrays, param_names), updates=True)


def _update_params(
    param_arrays: Blocks,
    grad_arrays: Blocks,
    updater: Callable[..., Any],
    num_device: int,
    kvstore: Any = None,
    param_names: Sequence[str] | None = None,
) -> None:
    """Sum the gradients in a store, if there is one, and call an updater once for each context."""
    trained = _with_gradients(param_arrays, grad_arrays, param_names)
    if kvstore is not None:
        sum_up(kvstore, trained, updates=False)
    for device in range(num_device):
        of_device = [(i * num_device + device, g[device], w[device]) for i, _, g, w in trained]
        if of_device:
            updater(*zip(*of_device, strict=True))
