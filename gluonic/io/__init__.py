"""``mx.io``: iterators over batches."""

from gluonic.io.arrays import NDArrayIter
from gluonic.io.batch import DataBatch, DataDesc, DataIter
from gluonic.io.files import CSVIter, MNISTIter
from gluonic.io.wrapping import PrefetchingIter, ResizeIter

__all__ = [
    "CSVIter",
    "DataBatch",
    "DataDesc",
    "DataIter",
    "MNISTIter",
    "NDArrayIter",
    "PrefetchingIter",
    "ResizeIter",
]
