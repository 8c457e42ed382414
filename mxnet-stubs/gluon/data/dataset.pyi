"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.gluon.data.dataset import *
from gluonic.gluon.data.dataset import (
    ArrayDataset as ArrayDataset,
    Dataset as Dataset,
    RecordFileDataset as RecordFileDataset,
    SimpleDataset as SimpleDataset,
)
