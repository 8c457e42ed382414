"""``mx.context`` of MXNet 2.0: the older names of devices."""

from gluonic.mxnet2.device import Device, cpu, cpu_pinned, gpu, gpu_memory_info, num_gpus
from gluonic.mxnet2.device import current_device as current_context

Context = Device
__all__ = ["Context", "cpu", "cpu_pinned", "current_context", "gpu", "gpu_memory_info", "num_gpus"]
