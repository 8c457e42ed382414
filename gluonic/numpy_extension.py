"""``mx.npx``: the switches of NumPy's semantics, which gluonic has for shapes only."""

from typing import Any, NoReturn

from gluonic.graph.errors import NotThereError
from gluonic.ndarray.context import cpu, current_context, gpu, num_gpus
from gluonic.util import is_np_array, is_np_shape, reset_np, set_np

__all__ = [
    "cpu",
    "current_context",
    "get_cuda_compute_capability",
    "gpu",
    "is_np_array",
    "is_np_shape",
    "num_gpus",
    "reset_np",
    "set_np",
]


def get_cuda_compute_capability(ctx: Any) -> NoReturn:
    """Raise, for there is no GPU."""
    raise ValueError(f"{ctx} is no GPU that gluonic could use")


def __getattr__(name: str) -> NoReturn:
    raise NotThereError(f"mx.npx.{name}: gluonic has no NumPy interface; use mx.nd")
