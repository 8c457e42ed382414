"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.io.batch import *
from gluonic.io.arrays import *
from gluonic.io.files import *
from gluonic.io.detection_records import *
from gluonic.io.image_records import *
from gluonic.io.libsvm import *
from gluonic.io.mx_data_iter import *
from gluonic.io.wrapping import *
