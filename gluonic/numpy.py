"""``mx.np``: not there. The class exists so that programs can ask whether an array is one."""

from gluonic.graph.errors import NotThereError
from gluonic.ndarray.array import NDArray


class ndarray(NDArray):
    """An array with NumPy's semantics; there are none."""

    def __init__(self, handle: object, writable: bool = True) -> None:
        raise NotThereError("mx.np.ndarray: gluonic has no NumPy interface; use mx.nd")
