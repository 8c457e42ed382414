"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.util import *
from gluonic.util import (
    get_cuda_compute_capability as get_cuda_compute_capability,
    get_gpu_count as get_gpu_count,
    get_gpu_memory as get_gpu_memory,
    getenv as getenv,
    set_module as set_module,
    setenv as setenv,
)
