"""What arrays of `mx.np` and `mx.nd` have in MXNet 2.0 besides."""

from typing import Any

import numpy as np

from gluonic.graph.errors import CallError, describe
from gluonic.mxnet2.numpy import base
from gluonic.ndarray import NDArray
from gluonic.ndarray.array import methods_of
from gluonic.ndarray.context import Context
from gluonic.ndarray.numpy.array import ndarray

_f = base.functions
of_all, of_numpy = methods_of(NDArray), methods_of(ndarray)


def _device(self: NDArray) -> Context:
    """The device with the array's memory."""
    return self.context


@of_all("to_device")
def to_device(self: NDArray, device: Any) -> NDArray:
    """Return the array on a device: the array itself if it is there."""
    return self.as_in_context(device)


@of_all("drop_grad")
def drop_grad(self: NDArray) -> None:
    """Let go of the gradient buffer; the array is no variable any more."""
    if self.leaf() is not None:
        self.tape_entry = None


@of_numpy("diagonal")
def diagonal(self: ndarray, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Return a diagonal, `offset` above the main one."""
    return _f["diagonal"](self, offset, axis1, axis2)


def _matrices_transposed(self: ndarray) -> Any:
    """The array with its last two axes exchanged."""
    if self.ndim < 2:
        raise CallError(
            describe("matrices have two axes at least", where="x.mT", facts=[f"shape {self.shape}"])
        )
    return _f["swapaxes"](self, -1, -2)


@of_numpy("as_in_ctx")
def as_in_ctx(self: ndarray, ctx: Any) -> Any:
    """Return the array on a device: the array itself if it is there."""
    return self.as_in_context(ctx)


@of_numpy("__array_namespace__")
def array_namespace(self: ndarray, api_version: str | None = None) -> Any:
    """Return the module with the functions of such arrays, for the array API's programs."""
    from gluonic.mxnet2 import numpy

    return numpy


NDArray.device = property(_device)  # type: ignore[attr-defined]
ndarray.mT = property(_matrices_transposed)  # type: ignore[attr-defined]
_: Any = np
