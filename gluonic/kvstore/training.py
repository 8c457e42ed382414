"""The use of stores in training, by `Trainer` and `Module`: the choice of a store, and its part in a step."""

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
    """Return the requested store; None if there is nothing to sum.

    Parameters
    ----------
    wanted : a store, its name, or None
    contexts : number of contexts; a single one needs no store in this process
    where : the caller's name, for the error

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
    """Return whether a store should update the weights by default.

    Parameters
    ----------
    store : the store, or None
    largest : number of elements of the largest parameter
    """
    if store is None or os.environ.get("MXNET_UPDATE_ON_KVSTORE", "1") == "0":
        return False
    return not (store.type == "local" and largest > _LARGE)


def ranks_in_step(store: Any) -> int:
    """The number of processes that each contribute a batch to every update of a module's weights."""
    return store.num_workers if store is not None and "_sync" in store.type else 1


def prepare(store: Any, compression: dict[str, Any] | None, optimizer: Optimizer | None) -> None:
    """Prepare a store for training.

    Parameters
    ----------
    store : the store
    compression : the compression of gradients
    optimizer : the optimizer with which it updates weights; None if it does not
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
    """Sum the gradients of all contexts in place; or update the weights with the sums.

    Parameters
    ----------
    store : the store
    gradients : for each parameter, its index, its key, its gradients and its weights, one per context
    updates : whether the store updates the weights
    by_rows : the keys of weights that only the store has in full, from which rows are pulled
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
