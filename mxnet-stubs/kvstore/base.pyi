"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.kvstore.base import *
from gluonic.kvstore.base import (
    KVStoreBase as KVStoreBase,
    TestStore as TestStore,
)
from gluonic.kvstore.creation import *
from gluonic.kvstore.creation import (
    create as create,
)
