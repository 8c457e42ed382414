"""Key-value stores: they sum the gradients of several contexts, and hold weights.

In one process, "local" and "device" stores are the same here: a dictionary. Those of several processes, such as
"dist_sync", have a dictionary in each process and sum gradients over MPI.
"""

from gluonic.kvstore.base import KVStoreBase, TestStore
from gluonic.kvstore.creation import create
from gluonic.kvstore.kvstore import KVStore

__all__ = ["KVStore", "KVStoreBase", "TestStore", "create"]
