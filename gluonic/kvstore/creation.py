"""Creating stores by name."""

from importlib import import_module
from typing import Any

from gluonic.graph.errors import MXNetError, NotThereError, describe, nearest
from gluonic.kvstore.base import KVStoreBase

__all__ = ["create"]

_LOCAL = ("local", "local_allreduce_cpu", "local_update_cpu")
_DEVICE = ("device", "local_allreduce_device", "nccl")
_DISTRIBUTED = ("dist", "dist_sync", "dist_device_sync", "dist_sync_device", "dist_device")
_KINDS = {
    **dict.fromkeys(_LOCAL, "kvstore:KVStore"),
    **dict.fromkeys(_DEVICE, "device:DeviceStore"),
    **dict.fromkeys(_DISTRIBUTED, "distributed:DistributedStore"),
    "dist_sync_sharded": "sharded:ShardedStore",
    "dist_async": "asynchronous:AsynchronousStore",
    "dist_device_async": "asynchronous:AsynchronousStore",
    "horovod": "horovod:HorovodStore",
}
"""The module and the class of each kind, imported when needed: most programs have one process."""
_REFUSED = {
    "byteps": "BytePS is a separate program, with servers",
}


def create(name: str = "local") -> Any:
    """Create a store.

    Parameters
    ----------
    name : for this process alone ``"local"``, ``"device"`` or ``"nccl"``, which is the same as the second; for
        all processes that ``mpirun`` has started, all of which must create it, ``"dist_sync"``,
        ``"dist_device_sync"`` or ``"dist_sync_device"``; ``"dist_sync_sharded"`` likewise, with each process
        updating a share of the weights; ``"dist_async"``, which applies gradients as they arrive;
        ``"horovod"``, which only sums; or another registered name

    Raises
    ------
    TypeError
        if `name` is no string
    NotImplementedError
        for a store of MXNet that gluonic lacks
    MPIMissingError
        for a store of several processes without MPI
    MXNetError
        if there is no such store
    """
    if not isinstance(name, str):
        raise TypeError(f"the name of a kvstore must be a string, not {type(name).__name__}")
    kind = name.lower()
    if kind in KVStoreBase.kv_registry:
        return KVStoreBase.kv_registry[kind]()
    if kind in _KINDS:
        module, _, name_of_class = _KINDS[kind].partition(":")
        return getattr(import_module(f"gluonic.kvstore.{module}"), name_of_class)(kind)
    if kind in _REFUSED:
        raise NotThereError(
            describe(
                f"there is no store {name!r}: {_REFUSED[kind]}",
                where="kvstore.create",
                hint="'device' in one process, 'dist_sync' in several",
            )
        )
    raise MXNetError(
        describe(
            f"there is no kvstore {name!r}{nearest(kind, (*_KINDS, *KVStoreBase.kv_registry))}",
            hint="'local', 'device', 'dist_sync', or a class registered with KVStoreBase.register",
        )
    )
