"""The methods of Symbol that other modules add; written by ``python -m gluonic.tools.stubs``."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import DTypeLike

from gluonic.ndarray.context import Context
from gluonic.symbol.symbol import Symbol


class Methods:
    def __float__(self, *args: Any, **kwargs: Any) -> Any:
        """Raise: a Symbol has no float()."""

    def __iadd__(self, *args: Any, **kwargs: Any) -> Any:
        """Raise: a Symbol has no in-place +=."""

    def __imul__(self, *args: Any, **kwargs: Any) -> Any:
        """Raise: a Symbol has no in-place *=."""

    def __int__(self, *args: Any, **kwargs: Any) -> Any:
        """Raise: a Symbol has no int()."""

    def __isub__(self, *args: Any, **kwargs: Any) -> Any:
        """Raise: a Symbol has no in-place -=."""

    def __itruediv__(self, *args: Any, **kwargs: Any) -> Any:
        """Raise: a Symbol has no in-place /=."""

    def __setitem__(self, *args: Any, **kwargs: Any) -> Any:
        """Raise: a Symbol has no item assignment."""

    def abs(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.abs(…)`` is ``sym.abs(x, …)``."""

    def arccos(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.arccos(…)`` is ``sym.arccos(x, …)``."""

    def arccosh(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.arccosh(…)`` is ``sym.arccosh(x, …)``."""

    def arcsin(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.arcsin(…)`` is ``sym.arcsin(x, …)``."""

    def arcsinh(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.arcsinh(…)`` is ``sym.arcsinh(x, …)``."""

    def arctan(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.arctan(…)`` is ``sym.arctan(x, …)``."""

    def arctanh(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.arctanh(…)`` is ``sym.arctanh(x, …)``."""

    def argmax(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.argmax(…)`` is ``sym.argmax(x, …)``."""

    def argmax_channel(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.argmax_channel(…)`` is ``sym.argmax_channel(x, …)``."""

    def argmin(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.argmin(…)`` is ``sym.argmin(x, …)``."""

    def argsort(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.argsort(…)`` is ``sym.argsort(x, …)``."""

    def as_in_context(self, *args: Any, **kwargs: Any) -> Any:
        """Raise: a Symbol has no as_in_context()."""

    def asnumpy(self, *args: Any, **kwargs: Any) -> Any:
        """Raise: a Symbol has no asnumpy()."""

    def asscalar(self, *args: Any, **kwargs: Any) -> Any:
        """Raise: a Symbol has no asscalar()."""

    def astype(self, *args: Any, **kwargs: Any) -> Any:
        """``x.astype(dtype)`` is ``sym.cast(x, dtype)``."""

    def backward(self, *args: Any, **kwargs: Any) -> Any:
        """Raise: a Symbol has no backward()."""

    def broadcast_axes(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.broadcast_axes(…)`` is ``sym.broadcast_axes(x, …)``."""

    def broadcast_like(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.broadcast_like(…)`` is ``sym.broadcast_like(x, …)``."""

    def broadcast_to(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.broadcast_to(…)`` is ``sym.broadcast_to(x, …)``."""

    def cbrt(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.cbrt(…)`` is ``sym.cbrt(x, …)``."""

    def ceil(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.ceil(…)`` is ``sym.ceil(x, …)``."""

    def clip(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.clip(…)`` is ``sym.clip(x, …)``."""

    def copy(self, *args: Any, **kwargs: Any) -> Any:
        """Raise: a Symbol has no copy()."""

    def cos(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.cos(…)`` is ``sym.cos(x, …)``."""

    def cosh(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.cosh(…)`` is ``sym.cosh(x, …)``."""

    def degrees(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.degrees(…)`` is ``sym.degrees(x, …)``."""

    def depth_to_space(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.depth_to_space(…)`` is ``sym.depth_to_space(x, …)``."""

    def detach(self, *args: Any, **kwargs: Any) -> Any:
        """Raise: a Symbol has no detach()."""

    def diag(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.diag(…)`` is ``sym.diag(x, …)``."""

    def exp(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.exp(…)`` is ``sym.exp(x, …)``."""

    def expand_dims(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.expand_dims(…)`` is ``sym.expand_dims(x, …)``."""

    def expm1(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.expm1(…)`` is ``sym.expm1(x, …)``."""

    def fix(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.fix(…)`` is ``sym.fix(x, …)``."""

    def flatten(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.flatten(…)`` is ``sym.flatten(x, …)``."""

    def flip(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.flip(…)`` is ``sym.flip(x, …)``."""

    def floor(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.floor(…)`` is ``sym.floor(x, …)``."""

    def grad(self, wrt: Any) -> Symbol:
        """Return the gradients of the sum of all outputs with respect to variables."""

    def log(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.log(…)`` is ``sym.log(x, …)``."""

    def log10(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.log10(…)`` is ``sym.log10(x, …)``."""

    def log1p(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.log1p(…)`` is ``sym.log1p(x, …)``."""

    def log2(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.log2(…)`` is ``sym.log2(x, …)``."""

    def log_softmax(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.log_softmax(…)`` is ``sym.log_softmax(x, …)``."""

    def max(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.max(…)`` is ``sym.max(x, …)``."""

    def mean(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.mean(…)`` is ``sym.mean(x, …)``."""

    def min(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.min(…)`` is ``sym.min(x, …)``."""

    def nanprod(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.nanprod(…)`` is ``sym.nanprod(x, …)``."""

    def nansum(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.nansum(…)`` is ``sym.nansum(x, …)``."""

    def norm(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.norm(…)`` is ``sym.norm(x, …)``."""

    def one_hot(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.one_hot(…)`` is ``sym.one_hot(x, …)``."""

    def ones_like(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.ones_like(…)`` is ``sym.ones_like(x, …)``."""

    def pad(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.pad(…)`` is ``sym.pad(x, …)``."""

    def pick(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.pick(…)`` is ``sym.pick(x, …)``."""

    def prod(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.prod(…)`` is ``sym.prod(x, …)``."""

    def radians(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.radians(…)`` is ``sym.radians(x, …)``."""

    def rcbrt(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.rcbrt(…)`` is ``sym.rcbrt(x, …)``."""

    def reciprocal(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.reciprocal(…)`` is ``sym.reciprocal(x, …)``."""

    def relu(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.relu(…)`` is ``sym.relu(x, …)``."""

    def repeat(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.repeat(…)`` is ``sym.repeat(x, …)``."""

    def reshape(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.reshape(…)`` is ``sym.reshape(x, …)``."""

    def reshape_like(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.reshape_like(…)`` is ``sym.reshape_like(x, …)``."""

    def rint(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.rint(…)`` is ``sym.rint(x, …)``."""

    def round(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.round(…)`` is ``sym.round(x, …)``."""

    def rsqrt(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.rsqrt(…)`` is ``sym.rsqrt(x, …)``."""

    def shape_array(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.shape_array(…)`` is ``sym.shape_array(x, …)``."""

    def sigmoid(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.sigmoid(…)`` is ``sym.sigmoid(x, …)``."""

    def sign(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.sign(…)`` is ``sym.sign(x, …)``."""

    def sin(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.sin(…)`` is ``sym.sin(x, …)``."""

    def sinh(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.sinh(…)`` is ``sym.sinh(x, …)``."""

    def size_array(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.size_array(…)`` is ``sym.size_array(x, …)``."""

    def slice(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.slice(…)`` is ``sym.slice(x, …)``."""

    def slice_axis(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.slice_axis(…)`` is ``sym.slice_axis(x, …)``."""

    def slice_like(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.slice_like(…)`` is ``sym.slice_like(x, …)``."""

    def softmax(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.softmax(…)`` is ``sym.softmax(x, …)``."""

    def softmin(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.softmin(…)`` is ``sym.softmin(x, …)``."""

    def sort(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.sort(…)`` is ``sym.sort(x, …)``."""

    def space_to_depth(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.space_to_depth(…)`` is ``sym.space_to_depth(x, …)``."""

    def split(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.split(…)`` is ``sym.split(x, …)``."""

    def split_v2(self, *args: Any, **kwargs: Any) -> Any:
        """``x.split_v2(…)`` is ``sym.split_v2(x, …)``."""

    def sqrt(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.sqrt(…)`` is ``sym.sqrt(x, …)``."""

    def square(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.square(…)`` is ``sym.square(x, …)``."""

    def squeeze(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.squeeze(…)`` is ``sym.squeeze(x, …)``."""

    def sum(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.sum(…)`` is ``sym.sum(x, …)``."""

    def swapaxes(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.swapaxes(…)`` is ``sym.swapaxes(x, …)``."""

    def take(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.take(…)`` is ``sym.take(x, …)``."""

    def tan(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.tan(…)`` is ``sym.tan(x, …)``."""

    def tanh(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.tanh(…)`` is ``sym.tanh(x, …)``."""

    def tile(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.tile(…)`` is ``sym.tile(x, …)``."""

    def topk(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.topk(…)`` is ``sym.topk(x, …)``."""

    def transpose(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.transpose(…)`` is ``sym.transpose(x, …)``."""

    def trunc(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.trunc(…)`` is ``sym.trunc(x, …)``."""

    def wait_to_read(self, *args: Any, **kwargs: Any) -> Any:
        """Raise: a Symbol has no wait_to_read()."""

    def zeros_like(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.zeros_like(…)`` is ``sym.zeros_like(x, …)``."""
