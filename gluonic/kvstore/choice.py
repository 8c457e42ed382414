"""Which store sums up the gradients of several contexts, and whether it updates the weights as well."""

import os
from typing import Any

from gluonic.kvstore.base import KVStoreBase
from gluonic.kvstore.kvstore import create

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
    return None if contexts == 1 and "dist" not in wanted else create(wanted)


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
