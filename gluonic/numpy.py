"""``mx.np``: not there. The class exists so that programs can ask whether an array is one."""

from typing import Any, NoReturn

from gluonic.ndarray.array import NDArray


class ndarray(NDArray):  # noqa: N801 - MXNet's name
    """An array with NumPy's semantics; there are none."""

    def __init__(self, *arguments: Any) -> None:
        raise NotImplementedError("mx.np: gluonic has no NumPy interface; use mx.nd")


def __getattr__(name: str) -> NoReturn:
    if name.startswith("__"):
        raise AttributeError(name)
    raise NotImplementedError(f"mx.np.{name}: gluonic has no NumPy interface; use mx.nd")
