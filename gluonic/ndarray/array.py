"""`NDArray`: an array with MXNet 1.x semantics around a NumPy array."""

from typing import Any

from gluonic.graph.arithmetic import Arithmetic
from gluonic.graph.operator import REGISTRY, Array
from gluonic.ndarray.context import CPU, Context
from gluonic.ndarray.tape import Entry, Leaf


class NDArray(Arithmetic):
    """A multi-dimensional array of fixed-size elements.

    Parameters
    ----------
    data : the NumPy array that holds the elements; it is not copied
    ctx : the context it is said to be on
    """

    __slots__ = ("__weakref__", "_context", "_data", "_entry")

    _data: Array
    _entry: Entry | None
    _context: Context | None

    def __init__(self, data: Array, ctx: Context | None = None) -> None:
        self._data, self._entry, self._context = data, None, ctx

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return self._data.shape

    @property
    def dtype(self) -> Any:
        """The element type, as a NumPy type."""
        return self._data.dtype.type

    @property
    def context(self) -> Context:
        """The context of the array."""
        return self._context or CPU

    ctx = context

    def asnumpy(self) -> Array:
        """Return a copy as a NumPy array."""
        return self._data.copy()

    def attach_grad(self, grad_req: str = "write", stype: str | None = None) -> None:
        """Mark the array as a variable and give it a gradient buffer of zeros."""
        from gluonic.ndarray.invoke import wrap

        import numpy as np

        buffer = wrap(np.zeros_like(self._data)) if grad_req != "null" else None
        self._entry = (Leaf(buffer, grad_req), 0)

    @property
    def grad(self) -> "NDArray | None":
        """The gradient buffer, None if the array is no variable."""
        record = self._entry[0] if self._entry is not None else None
        return record.grad if isinstance(record, Leaf) else None

    def detach(self) -> "NDArray":
        """Return the same elements off the tape; memory is shared."""
        return NDArray(self._data, self._context)

    def _with_scalar(self, op: str, scalar: float) -> "NDArray":
        from gluonic.ndarray.invoke import invoke

        return invoke(REGISTRY[op].apply({"scalar": scalar}), (self,))[0]

    def _with_other(
        self, same_shape: str, broadcasting: str, other: Any, reverse: bool
    ) -> "NDArray":
        from gluonic.ndarray.invoke import invoke

        if not isinstance(other, NDArray):
            return NotImplemented
        operands = (other, self) if reverse else (self, other)
        return invoke(REGISTRY[broadcasting].apply({}), operands)[0]
