"""``mx.recordio``: files of records, and images with labels as records."""

from gluonic.recordio.files import MXIndexedRecordIO, MXRecordIO
from gluonic.recordio.images import IRHeader, pack, pack_img, unpack, unpack_img

__all__ = [
    "IRHeader",
    "MXIndexedRecordIO",
    "MXRecordIO",
    "pack",
    "pack_img",
    "unpack",
    "unpack_img",
]
