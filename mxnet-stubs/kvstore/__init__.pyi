"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.kvstore import *
from gluonic.kvstore import (
    KVStore as KVStore,
    KVStoreBase as KVStoreBase,
    TestStore as TestStore,
    create as create,
)
