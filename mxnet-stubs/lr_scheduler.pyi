"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.lr_scheduler import *
from gluonic.lr_scheduler import (
    CosineScheduler as CosineScheduler,
    FactorScheduler as FactorScheduler,
    LRScheduler as LRScheduler,
    MultiFactorScheduler as MultiFactorScheduler,
    PolyScheduler as PolyScheduler,
)
