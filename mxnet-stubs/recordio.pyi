"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.recordio import *
from gluonic.recordio import (
    IRHeader as IRHeader,
    MXIndexedRecordIO as MXIndexedRecordIO,
    MXRecordIO as MXRecordIO,
    pack as pack,
    pack_img as pack_img,
    unpack as unpack,
    unpack_img as unpack_img,
)
from gluonic.recordio.files import *
from gluonic.recordio.framing import *
from gluonic.recordio.images import *
