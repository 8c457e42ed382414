"""The choice of a `Trainer`'s store, and of whether the store updates the weights."""

from collections.abc import Callable
from typing import Any

from gluonic.graph.errors import CallError, describe
from gluonic.kvstore import KVStoreBase
from gluonic.kvstore.training import find_store, updates_weights


def store_of(
    wanted: Any,
    update: bool | None,
    contexts: int,
    sparse: tuple[bool, bool],
    largest: Callable[[], int],
) -> tuple[Any, bool | None]:
    """Find the store, and decide whether it updates the weights.

    Parameters
    ----------
    wanted : a store, its name, or None
    update : whether the store updates the weights; None for the default
    contexts : number of contexts
    sparse : whether there are sparse weights, and sparse gradients
    largest : returns the number of elements of the largest parameter

    Raises
    ------
    ValueError
        if the store does not support the request, or sparse arrays
    """
    sparse_weights, sparse_gradients = sparse
    if sparse_weights:  # a store holds all rows, and updates them
        if update is False:
            raise ValueError("Cannot set update_on_kvstore=False when sparse weights are present.")
        update, contexts = True, max(contexts, 2)
    store = find_store(wanted, contexts, "Trainer")
    if store is None:
        return None, None
    is_distributed = "dist" in store.type
    if sparse_gradients and not sparse_weights:
        if is_distributed and update is False:
            raise ValueError(
                "Cannot set update_on_kvstore=False on dist kvstore when sparse gradients are present."
            )
        update = is_distributed if update is None else update
    if is_distributed and "async" in store.type:
        if update is False:
            raise ValueError("Please set update_on_kvstore=True when training in async mode.")
        update = True
    able = store.is_capable(KVStoreBase.OPTIMIZER)
    if update and not able:
        raise ValueError(
            f"Trainer: a {type(store).__name__} cannot update weights: update_on_kvstore=False"
        )
    chosen = updates_weights(store, largest()) if update is None else bool(update)
    return store, chosen and able


def require_local(store: Any) -> None:
    """Raise an error if a store is shared with other processes, which would keep its old values.

    Raises
    ------
    RuntimeError
        as MXNet does
    """
    if store is not None and "dist" in store.type:
        raise CallError(
            describe(
                "Cannot reset distributed KVStore: the other processes would keep the old values",
                where="Trainer",
                hint="load parameters before the first step, or update_on_kvstore=False",
            )
        )
