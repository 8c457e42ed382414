"""``mx.np``: not there. The class exists so that programs can ask whether an array is one."""

from typing import Any, NoReturn

from gluonic.graph.errors import NotThereError
from gluonic.ndarray.array import NDArray


class ndarray(NDArray):
    """An array with NumPy's semantics; there are none."""

    def __init__(self, *arguments: Any) -> None:
        raise NotImplementedError("mx.np: gluonic has no NumPy interface; use mx.nd")


def __getattr__(name: str) -> NoReturn:
    raise NotThereError(f"mx.np.{name}: gluonic has no NumPy interface; use mx.nd")
