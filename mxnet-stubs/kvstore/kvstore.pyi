"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.kvstore.kvstore import *
from gluonic.kvstore.kvstore import (
    KVStore as KVStore,
)
from gluonic.kvstore.asynchronous import *
from gluonic.kvstore.asynchronous import (
    AsynchronousStore as AsynchronousStore,
)
from gluonic.kvstore.device import *
from gluonic.kvstore.device import (
    DeviceStore as DeviceStore,
)
from gluonic.kvstore.distributed import *
from gluonic.kvstore.distributed import (
    DistributedStore as DistributedStore,
)
from gluonic.kvstore.horovod import *
from gluonic.kvstore.horovod import (
    Horovod as Horovod,
    HorovodStore as HorovodStore,
)
