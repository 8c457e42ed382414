"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.model import *
from gluonic.model import (
    BatchEndParam as BatchEndParam,
    load_checkpoint as load_checkpoint,
    load_params as load_params,
    save_checkpoint as save_checkpoint,
)
from gluonic.module.feed_forward import *
from gluonic.module.feed_forward import (
    FeedForward as FeedForward,
)
from gluonic.module.store_functions import *
from gluonic.module.training_loop import *
