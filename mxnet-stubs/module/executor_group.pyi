"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.module.executor_group import *
from gluonic.module.executor_group import (
    DataParallelExecutorGroup as DataParallelExecutorGroup,
    mean_of as mean_of,
    write_any as write_any,
)
from gluonic.module.bound_executors import *
