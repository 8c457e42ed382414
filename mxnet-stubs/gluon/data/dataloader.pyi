"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.gluon.data.dataloader import *
from gluonic.gluon.data.dataloader import (
    DataLoader as DataLoader,
)
from gluonic.gluon.data.batchify import *
from gluonic.gluon.data.pooled import *
from gluonic.gluon.data.queues import *
from gluonic.gluon.data.queues import (
    ConnectionWrapper as ConnectionWrapper,
    DataLoaderV1 as DataLoaderV1,
    Queue as Queue,
    SimpleQueue as SimpleQueue,
    fetcher_loop_v1 as fetcher_loop_v1,
    worker_loop_v1 as worker_loop_v1,
)
from gluonic.gluon.data.shared_arrays import *
