"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.gluon.data import *
from gluonic.gluon.data import (
    ArrayDataset as ArrayDataset,
    BatchSampler as BatchSampler,
    DataLoader as DataLoader,
    Dataset as Dataset,
    FilterSampler as FilterSampler,
    RandomSampler as RandomSampler,
    RecordFileDataset as RecordFileDataset,
    Sampler as Sampler,
    SequentialSampler as SequentialSampler,
    SimpleDataset as SimpleDataset,
)
