"""``mx.io``: iterators over batches."""

from typing import NoReturn

from gluonic.graph.errors import NotThereError
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

_ABSENT = {
    "ImageRecordIter", "ImageRecordUInt8Iter", "ImageRecordInt8Iter", "ImageDetRecordIter", "LibSVMIter",
    "MXDataIter",
}  # fmt: skip


def __getattr__(name: str) -> NoReturn:
    if name in _ABSENT:
        raise NotThereError(f"mx.io.{name}: this iterator is not there")
    raise AttributeError(f"mx.io has no {name!r}")
