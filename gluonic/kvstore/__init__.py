"""Key-value stores: where the gradients of several contexts are summed and weights are kept.

In one process, "local" and "device" stores are the same here: a dictionary. Those of several processes,
"dist_sync" and its kin, keep such a dictionary in each and sum up gradients over MPI.
"""

from gluonic.kvstore.base import KVStoreBase, TestStore
from gluonic.kvstore.creation import create
from gluonic.kvstore.kvstore import KVStore

__all__ = ["KVStore", "KVStoreBase", "TestStore", "create"]
