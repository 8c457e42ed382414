"""``mx.device``: the devices of MXNet 2.0, which 1.x calls contexts."""

from gluonic.ndarray.context import (
    Context,
    cpu,
    cpu_pinned,
    gpu,
    gpu_memory_info,
    num_gpus,
)
from gluonic.ndarray.context import current_context as current_device

Device = Context
__all__ = ["Device", "cpu", "cpu_pinned", "current_device", "gpu", "gpu_memory_info", "num_gpus"]
