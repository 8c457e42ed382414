"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.io import *
from gluonic.io import (
    CSVIter as CSVIter,
    DataBatch as DataBatch,
    DataDesc as DataDesc,
    DataIter as DataIter,
    ImageDetRecordIter as ImageDetRecordIter,
    ImageRecordInt8Iter as ImageRecordInt8Iter,
    ImageRecordIter as ImageRecordIter,
    ImageRecordIter_v1 as ImageRecordIter_v1,
    ImageRecordUInt8Iter as ImageRecordUInt8Iter,
    ImageRecordUInt8Iter_v1 as ImageRecordUInt8Iter_v1,
    LibSVMIter as LibSVMIter,
    MNISTIter as MNISTIter,
    MXDataIter as MXDataIter,
    NDArrayIter as NDArrayIter,
    PrefetchingIter as PrefetchingIter,
    ResizeIter as ResizeIter,
)
