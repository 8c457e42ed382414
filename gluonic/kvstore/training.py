"""A store's part of training, of `Trainer` and `Module` alike: which it is, and what it does in a step."""

import os
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from gluonic.kvstore.base import KVStoreBase
from gluonic.kvstore.creation import create
from gluonic.kvstore.kvstore import KVStore
from gluonic.ndarray.array import NDArray
from gluonic.optimizer import Optimizer

_LARGE = 16 * 1024 * 1024  # with larger parameters, a "local" store does not update weights itself


def find_store(wanted: Any, contexts: int, where: str) -> Any:
    """Return the store that is asked for; None where nothing is to be summed up.

    Parameters
    ----------
    wanted : a store, its name, or None
    contexts : how many there are; one needs no store in this process
    where : who asks, for the error

    Raises
    ------
    TypeError
        if `wanted` is something else
    """
    if wanted is None or isinstance(wanted, KVStoreBase):
        return wanted
    if not isinstance(wanted, str):
        raise TypeError(f"{where}: kvstore must be a KVStore, a name or None, not {wanted!r}")
    is_of_one_process = "dist" not in wanted and wanted != "horovod"
    return None if contexts == 1 and is_of_one_process else create(wanted)


def updates_weights(store: Any, largest: int) -> bool:
    """Return whether a store should update the weights, if it is left to choose.

    Parameters
    ----------
    store : the store, or None
    largest : how many elements the largest parameter has
    """
    if store is None or os.environ.get("MXNET_UPDATE_ON_KVSTORE", "1") == "0":
        return False
    return not (store.type == "local" and largest > _LARGE)


def ranks_in_step(store: Any) -> int:
    """How many processes bring a batch each to every update of a module's weights."""
    return store.num_workers if store is not None and "_sync" in store.type else 1


def prepare(store: Any, compression: dict[str, Any] | None, optimizer: Optimizer | None) -> None:
    """Get a store ready.

    Parameters
    ----------
    store : the store
    compression : how it compresses gradients
    optimizer : what it updates weights by; None if it does not
    """
    if compression:
        store.set_gradient_compression(compression)
    if optimizer is not None:
        store.set_optimizer(optimizer)


def sum_up(
    store: Any,
    gradients: Iterable[tuple[int, Any, Sequence[NDArray], Sequence[NDArray]]],
    updates: bool,
    by_rows: Collection[str] = (),
) -> None:
    """Sum up the gradients of all contexts, in their place; or update the weights by the sums.

    Parameters
    ----------
    store : the store
    gradients : for each parameter its number, its key, its gradients and its weights, one a context
    updates : whether the store updates the weights
    by_rows : the keys of weights that are only updated in the store, which is asked for their rows
    """
    is_distributed = isinstance(store, KVStore) and store.is_distributed
    if is_distributed:
        known = list(gradients)
        if known:
            _, keys, values, outs = zip(*known, strict=True)
            if updates:
                store.pushpull(keys, values, out=outs)
            else:
                store.sum_in_place(keys, values)
            store.expect(keys, values)
        return
    for number, key, of_contexts, weights in gradients:
        if updates and key in by_rows:
            store.push(key, of_contexts, priority=-number)
            continue
        store.pushpull(key, of_contexts, out=weights if updates else None, priority=-number)
