"""Key-value stores: where the gradients of several contexts are summed and weights are kept.

There is one process, so "local" and "device" stores are the same here: a dictionary.
"""

from gluonic.kvstore.base import KVStoreBase, TestStore
from gluonic.kvstore.kvstore import KVStore, create

__all__ = ["KVStore", "KVStoreBase", "TestStore", "create"]
