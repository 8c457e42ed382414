"""``mx.npx``: the switches of NumPy's semantics."""

from gluonic.ndarray.context import cpu, current_context, gpu, num_gpus
from gluonic.ndarray.numpy.serialization import load, save
from gluonic.util import get_cuda_compute_capability, is_np_array, is_np_shape, reset_np, set_np

__all__ = [
    "cpu",
    "current_context",
    "get_cuda_compute_capability",
    "gpu",
    "is_np_array",
    "is_np_shape",
    "load",
    "num_gpus",
    "reset_np",
    "save",
    "set_np",
]
