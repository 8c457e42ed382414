"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.module.bucketing import *
from gluonic.module.bucket_files import *
from gluonic.module.delegating import *
