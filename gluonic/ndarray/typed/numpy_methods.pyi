"""The operators and methods of arrays of mx.np that are made at run time; written by ``python -m gluonic.tools.stubs``."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import DTypeLike

from gluonic.ndarray.context import Context
from gluonic.ndarray.numpy.array import ndarray


class NumPyMethods:
    def all(self, axis: Any = ..., out: Any = ..., keepdims: Any = ...) -> ndarray:
        """Return whether no element is 0, over axes."""

    def any(self, axis: Any = ..., out: Any = ..., keepdims: Any = ...) -> ndarray:
        """Return whether an element is not 0, over axes."""

    def argmax(self, axis: Any = ..., out: Any = ...) -> ndarray:
        """Return the indices of the largest elements along an axis, or of the flattened array, as int64."""

    def argmin(self, axis: Any = ..., out: Any = ...) -> ndarray:
        """Return the indices of the smallest elements along an axis, or of the flattened array, as int64."""

    def argsort(self, axis: Any = ..., kind: Any = ..., order: Any = ...) -> ndarray:
        """Return the indices that sort the elements along an axis, as int64."""

    def broadcast_to(self, shape: Any) -> ndarray:
        """Return `array` broadcast to a shape."""

    def clip(self, min: Any = ..., max: Any = ..., out: Any = ...) -> ndarray:
        """Return the elements clipped to ``[a_min, a_max]``; one bound may be None."""

    def cumsum(self, axis: Any = ..., dtype: Any = ..., out: Any = ...) -> ndarray:
        """Return running sums along an axis, or of the flattened array."""

    def dot(self, b: Any, out: Any = ...) -> ndarray:
        """Return the product summed over the last axis of `a` and the second to last of `b`, or its only one."""

    def max(self, axis: Any = ..., out: Any = ..., keepdims: Any = ...) -> ndarray:
        """Return the largest element over axes; see `sum`."""

    def mean(self, axis: Any = ..., dtype: Any = ..., out: Any = ..., keepdims: Any = ...) -> ndarray:
        """Return the arithmetic mean over axes, of integers in float32; see `sum`."""

    def min(self, axis: Any = ..., out: Any = ..., keepdims: Any = ...) -> ndarray:
        """Return the smallest element over axes; see `sum`."""

    def nonzero(self) -> Any:
        """Return the indices of elements that are not 0, an array of int64 for each axis."""

    def prod(self, axis: Any = ..., dtype: Any = ..., out: Any = ..., keepdims: Any = ...) -> ndarray:
        """Return the product over axes; see `sum`."""

    def repeat(self, repeats: Any, axis: Any = ...) -> ndarray:
        """Return `a` with each element repeated, along an axis or of the flattened array."""

    def round(self, decimals: Any = ..., out: Any = ...) -> ndarray:
        """Return the elements rounded to `decimals` decimals, halves to the even digit."""

    def sort(self, axis: Any = ..., kind: Any = ..., order: Any = ...) -> ndarray:
        """Return the elements in ascending order along an axis, or all of them."""

    def squeeze(self, axis: Any = ...) -> ndarray:
        """Return `a` without axes of length one: all of them, or those named."""

    def std(
        self,
        axis: Any = ...,
        dtype: Any = ...,
        out: Any = ...,
        ddof: Any = ...,
        keepdims: Any = ...,
    ) -> ndarray:
        """Return the standard deviation over axes, divided by their number of elements less `ddof`."""

    def sum(self, axis: Any = ..., dtype: Any = ..., out: Any = ..., keepdims: Any = ...) -> ndarray:
        """Return the sum over axes."""

    def swapaxes(self, axis1: Any, axis2: Any) -> ndarray:
        """Return `a` with two axes exchanged."""

    def take(self, indices: Any, axis: Any = ..., mode: Any = ...) -> ndarray:
        """Return the elements at indices along an axis, or of the flattened array."""

    def var(
        self,
        axis: Any = ...,
        dtype: Any = ...,
        out: Any = ...,
        ddof: Any = ...,
        keepdims: Any = ...,
    ) -> ndarray:
        """Return the variance over axes, divided by their number of elements less `ddof`."""

    def __eq__(self, other: Any) -> ndarray: ...  # type: ignore[override]

    def __ne__(self, other: Any) -> ndarray: ...  # type: ignore[override]

    def __gt__(self, other: Any) -> ndarray: ...

    def __ge__(self, other: Any) -> ndarray: ...

    def __lt__(self, other: Any) -> ndarray: ...

    def __le__(self, other: Any) -> ndarray: ...

    def __neg__(self, other: Any) -> ndarray: ...

    def __abs__(self, other: Any) -> ndarray: ...

    def __invert__(self, other: Any) -> ndarray: ...

    def __ceil__(self, other: Any) -> ndarray: ...

    def __floor__(self, other: Any) -> ndarray: ...

    def __trunc__(self, other: Any) -> ndarray: ...

    def __add__(self, other: Any) -> ndarray: ...

    def __radd__(self, other: Any) -> ndarray: ...

    def __iadd__(self, other: Any) -> ndarray: ...

    def __sub__(self, other: Any) -> ndarray: ...

    def __rsub__(self, other: Any) -> ndarray: ...

    def __isub__(self, other: Any) -> ndarray: ...

    def __mul__(self, other: Any) -> ndarray: ...

    def __rmul__(self, other: Any) -> ndarray: ...

    def __imul__(self, other: Any) -> ndarray: ...

    def __truediv__(self, other: Any) -> ndarray: ...

    def __rtruediv__(self, other: Any) -> ndarray: ...

    def __itruediv__(self, other: Any) -> ndarray: ...

    def __mod__(self, other: Any) -> ndarray: ...

    def __rmod__(self, other: Any) -> ndarray: ...

    def __imod__(self, other: Any) -> ndarray: ...

    def __pow__(self, other: Any) -> ndarray: ...

    def __rpow__(self, other: Any) -> ndarray: ...

    def __ipow__(self, other: Any) -> ndarray: ...

    def __matmul__(self, other: Any) -> ndarray: ...

    def __rmatmul__(self, other: Any) -> ndarray: ...

    def __imatmul__(self, other: Any) -> ndarray: ...

    def __and__(self, other: Any) -> ndarray: ...

    def __iand__(self, other: Any) -> ndarray: ...

    def __or__(self, other: Any) -> ndarray: ...

    def __ior__(self, other: Any) -> ndarray: ...

    def __xor__(self, other: Any) -> ndarray: ...

    def __ixor__(self, other: Any) -> ndarray: ...

    def reshape(self, *shape: Any, order: str = 'C') -> ndarray: ...

    def transpose(self, *axes: Any) -> ndarray: ...

    def flatten(self, order: str = 'C') -> ndarray: ...

    def __getitem__(self, key: Any) -> ndarray: ...

    @property
    def T(self) -> ndarray: ...
