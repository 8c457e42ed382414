"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.gluon.data.sampler import *
from gluonic.gluon.data.sampler import (
    BatchSampler as BatchSampler,
    FilterSampler as FilterSampler,
    RandomSampler as RandomSampler,
    Sampler as Sampler,
    SequentialSampler as SequentialSampler,
)
