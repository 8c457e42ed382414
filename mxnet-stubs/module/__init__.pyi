"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.module import *
from gluonic.module import (
    BaseModule as BaseModule,
    BucketingModule as BucketingModule,
    Module as Module,
    PythonLossModule as PythonLossModule,
    PythonModule as PythonModule,
    SequentialModule as SequentialModule,
)
