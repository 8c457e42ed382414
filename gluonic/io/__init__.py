"""``mx.io``: iterators over batches."""

from gluonic.io.arrays import NDArrayIter
from gluonic.io.batch import DataBatch, DataDesc, DataIter
from gluonic.io.detection_records import ImageDetRecordIter
from gluonic.io.files import CSVIter, MNISTIter
from gluonic.io.image_records import (
    ImageRecordInt8Iter,
    ImageRecordIter,
    ImageRecordIter_v1,
    ImageRecordUInt8Iter,
    ImageRecordUInt8Iter_v1,
)
from gluonic.io.libsvm import LibSVMIter
from gluonic.io.mx_data_iter import MXDataIter
from gluonic.io.wrapping import PrefetchingIter, ResizeIter

__all__ = [
    "CSVIter",
    "DataBatch",
    "DataDesc",
    "DataIter",
    "ImageDetRecordIter",
    "ImageRecordInt8Iter",
    "ImageRecordIter",
    "ImageRecordIter_v1",
    "ImageRecordUInt8Iter",
    "ImageRecordUInt8Iter_v1",
    "LibSVMIter",
    "MNISTIter",
    "MXDataIter",
    "NDArrayIter",
    "PrefetchingIter",
    "ResizeIter",
]
