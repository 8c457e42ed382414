"""What arrays of `mx.np` and `mx.nd` have in MXNet 2.0 besides."""

import re
from functools import wraps
from typing import Any

from gluonic import ndarray as nd
from gluonic import symbol as sym
from gluonic.graph.errors import CallError, describe
from gluonic.mxnet2.numpy import base
from gluonic.mxnet2.numpy.elements import of_one_dtype
from gluonic.ndarray import NDArray
from gluonic.ndarray.array import methods_of
from gluonic.ndarray.context import Context
from gluonic.ndarray.numpy.array import ndarray
from gluonic.numpy_functions.ufuncs import MIXING
from gluonic.symbol import Symbol

_f = base.functions
_VERSION = re.compile(r"20(2[1-9]|[3-9]\d)\.(0[1-9]|1[0-2])")
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


def _log_sigmoid(self: Any) -> Any:
    """Return the logarithm of each element's sigmoid."""
    return -_namespace(self).Activation(-self, act_type="softrelu")


def _mish(self: Any) -> Any:
    """Return each element times the hyperbolic tangent of its softplus (Misra, 2019)."""
    F = _namespace(self)
    return self * F.tanh(F.Activation(self, act_type="softrelu"))


def _namespace(array: Any) -> Any:
    return sym if isinstance(array, Symbol) else nd


for _kind in (NDArray, Symbol):
    _method = methods_of(_kind)  # type: ignore[arg-type]
    _method("log_sigmoid")(_log_sigmoid)
    _method("mish")(_mish)


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
    """Return the module with the functions of such arrays, for the array API's programs.

    Raises
    ------
    ValueError
        if `api_version` is no version of the array API, such as ``"2022.12"``
    """
    if api_version is not None and not _VERSION.fullmatch(api_version):
        raise ValueError(f"there is no version {api_version!r} of the array API")
    from gluonic.mxnet2 import numpy

    return numpy


def mix_types() -> None:
    """Let operands be NumPy's arrays, and comparisons be of arrays of two types, as in MXNet 2.0."""
    MIXING.is_allowed = True
    for name in ("__eq__", "__ne__", "__gt__", "__ge__", "__lt__", "__le__"):
        setattr(ndarray, name, _comparing(getattr(ndarray, name)))


def _comparing(method: Any) -> Any:
    @wraps(method)
    def compare(self: ndarray, other: Any) -> Any:
        return method(*of_one_dtype(self, other))

    return compare


NDArray.device = property(_device)  # type: ignore[attr-defined]
ndarray.mT = property(_matrices_transposed)  # type: ignore[attr-defined]
