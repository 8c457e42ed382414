"""The methods of NDArray that other modules add; written by ``python -m gluonic.tools.stubs``."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import DTypeLike

from gluonic.ndarray.context import Context
from gluonic.ndarray.array import NDArray


class Methods:
    @property
    def T(self) -> NDArray: ...

    def __abs__(self) -> NDArray:
        """Return the absolute values."""

    def __array__(self, dtype: Any = ..., copy: Any = ...) -> Any:
        """Return the elements as a NumPy array: shared, unless a copy is requested or needed."""

    @property
    def __array_interface__(self) -> Any: ...

    def __copy__(self) -> NDArray:
        """Return a copy, off the tape."""

    def __deepcopy__(self, memo: Any) -> NDArray:
        """Return a copy, off the tape."""

    def __dlpack__(self, **keywords: Any) -> Any:
        """Export the elements, shared, as a DLPack capsule."""

    def __dlpack_device__(self) -> Any:
        """Return the device by DLPack's numbers; it is the CPU."""

    def __iadd__(self, other: Any) -> NDArray:
        """"""

    def __imod__(self, other: Any) -> NDArray:
        """"""

    def __imul__(self, other: Any) -> NDArray:
        """"""

    def __ipow__(self, other: Any) -> NDArray:
        """"""

    def __isub__(self, other: Any) -> NDArray:
        """"""

    def __itruediv__(self, other: Any) -> NDArray:
        """"""

    def __reduce__(self) -> Any:
        """Return the data with which pickle rebuilds the array, without its gradient."""

    def __rmod__(self, other: Any) -> NDArray:
        """"""

    def __rpow__(self, other: Any) -> NDArray:
        """"""

    def __setstate__(self, state: Any) -> Any:
        """Set the state from MXNet's pickles: an array as in a file."""

    def abs(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Absolute value, of every element."""

    def arccos(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Inverse cosine, in radians, of every element."""

    def arccosh(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Inverse hyperbolic cosine, of every element."""

    def arcsin(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Inverse sine, in radians, of every element."""

    def arcsinh(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Inverse hyperbolic sine, of every element."""

    def arctan(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Inverse tangent, in radians, of every element."""

    def arctanh(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Inverse hyperbolic tangent, of every element."""

    def argmax(
        self,
        axis: int | None = None,
        keepdims: bool | int = False,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The index of the largest element."""

    def argmax_channel(
        self,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The index of the largest element along axis 1, in the dtype of `data`."""

    def argmin(
        self,
        axis: int | None = None,
        keepdims: bool | int = False,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The index of the smallest element."""

    def argsort(
        self,
        axis: int | None = -1,
        is_ascend: bool | int = True,
        dtype: DTypeLike = 'float32',
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """Find the indices that sort an array along an axis; equal elements keep their order."""

    def as_in_context(self, context: Any) -> NDArray:
        """Return the array itself if it is on that context, else a copy there."""

    def as_in_ctx(self, ctx: Any) -> NDArray:
        """Return the array itself if it is on that context, else a copy there."""

    def astype(self, dtype: Any, copy: Any = ...) -> NDArray:
        """Return the elements as another dtype."""

    def backward(self, out_grad: Any = ..., retain_graph: Any = ..., train_mode: Any = ...) -> Any:
        """Compute the gradients of this array with respect to all variables."""

    def broadcast_axes(
        self,
        axis: int | Sequence[int] = (),
        size: int | Sequence[int] = (),
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """Repeat each `axis` of `data`, of length one, `size` times."""

    def broadcast_like(self, other: Any, **keywords: Any) -> NDArray:
        """Return the array repeated along axes of length one to be like `other`."""

    def broadcast_to(self, shape: Any) -> NDArray:
        """Return the array repeated along axes of length one to fill `shape`."""

    def cbrt(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Cube root, of every element."""

    def ceil(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The next integer upwards, of every element."""

    def clip(
        self,
        a_min: float = ...,
        a_max: float = ...,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """Numbers below `a_min` become `a_min`, numbers above `a_max` become `a_max`."""

    def copy(self) -> NDArray:
        """Return a copy."""

    def copyto(self, other: Any) -> NDArray:
        """Copy the elements to another array, or to a new one on another context."""

    def cos(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Cosine, of every element."""

    def cosh(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Hyperbolic cosine, of every element."""

    @property
    def ctx(self) -> Any: ...

    def degrees(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Radians converted to degrees, of every element."""

    def depth_to_space(
        self,
        block_size: int = ...,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """Move blocks of channels into height and width."""

    def diag(
        self,
        k: int = 0,
        axis1: int = 0,
        axis2: int = 1,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """Extract a diagonal, or make a matrix from one."""

    def exp(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Exponential, of every element."""

    def expand_dims(self, axis: Any, inplace: Any = ...) -> NDArray:
        """Return the array with a new axis of length one at position `axis`."""

    def expm1(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """``exp(x) - 1``, exact for small numbers, of every element."""

    def fix(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The next integer towards 0, of every element."""

    def flatten(self, inplace: Any = ...) -> NDArray:
        """Return the array with all axes but the first merged."""

    def flip(
        self,
        axis: int | Sequence[int] = ...,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """Reverse the order of the elements along one or several axes."""

    def floor(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The next integer downwards, of every element."""

    @property
    def handle(self) -> Any: ...

    def log(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Natural logarithm, of every element."""

    def log10(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Logarithm to base 10, of every element."""

    def log1p(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """``log(1 + x)``, exact for small numbers, of every element."""

    def log2(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Logarithm to base 2, of every element."""

    def log_softmax(
        self,
        axis: int = -1,
        temperature: float | None = None,
        dtype: DTypeLike | None = None,
        use_length: bool | int | None = False,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The logarithm of `softmax`, computed without underflow of small probabilities."""

    def max(
        self,
        axis: int | Sequence[int] | None = None,
        keepdims: bool | int = False,
        exclude: bool | int = False,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The largest element over the given axes."""

    def mean(
        self,
        axis: int | Sequence[int] | None = None,
        keepdims: bool | int = False,
        exclude: bool | int = False,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The arithmetic mean over the given axes."""

    def min(
        self,
        axis: int | Sequence[int] | None = None,
        keepdims: bool | int = False,
        exclude: bool | int = False,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The smallest element over the given axes."""

    def nanprod(
        self,
        axis: int | Sequence[int] | None = None,
        keepdims: bool | int = False,
        exclude: bool | int = False,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The product of the elements that are not NaN over the given axes."""

    def nansum(
        self,
        axis: int | Sequence[int] | None = None,
        keepdims: bool | int = False,
        exclude: bool | int = False,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The sum of the elements that are not NaN over the given axes."""

    def norm(
        self,
        ord: Literal[2, 1] = 2,
        axis: int | Sequence[int] | None = None,
        out_dtype: DTypeLike | None = None,
        keepdims: bool | int = False,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The norm of vectors: the root of the sum of squares, or the sum of absolute values."""

    def one_hot(
        self,
        depth: int = ...,
        on_value: float = 1.0,
        off_value: float = 0.0,
        dtype: DTypeLike = 'float32',
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """Write each number as a vector that is `on_value` at that position and `off_value` elsewhere."""

    def ones_like(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Ones, as many as `data` has elements."""

    def pad(
        self,
        mode: Literal['constant', 'edge', 'reflect'] | str = ...,
        pad_width: int | Sequence[int] = ...,
        constant_value: float = 0,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """Add a border."""

    def pick(
        self,
        index: NDArray,
        axis: int | None = -1,
        keepdims: bool | int = False,
        mode: Literal['clip', 'wrap'] | str = 'clip',
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """Pick one element along an axis, for each index of the other axes."""

    def prod(
        self,
        axis: int | Sequence[int] | None = None,
        keepdims: bool | int = False,
        exclude: bool | int = False,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The product over the given axes."""

    def radians(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Degrees converted to radians, of every element."""

    def rcbrt(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """``1 / cbrt(x)``, of every element."""

    def reciprocal(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """``1 / x``, of every element."""

    def relu(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The number, or 0 if it is negative, of every element."""

    def repeat(
        self,
        repeats: int = ...,
        axis: int | None = None,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """Repeat each element `repeats` times along an axis; None flattens the array first."""

    def reshape(self, *shape: Any, **keywords: Any) -> NDArray:
        """Return the elements under another shape; memory is shared."""

    def reshape_like(
        self,
        rhs: NDArray,
        lhs_begin: int | None = None,
        lhs_end: int | None = None,
        rhs_begin: int | None = None,
        rhs_end: int | None = None,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """Replace the axes ``lhs_begin:lhs_end`` of `lhs` by the axes ``rhs_begin:rhs_end`` of `rhs`."""

    def rint(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The nearest integer; ties are rounded down, of every element."""

    def round(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The nearest integer; ties are rounded away from 0, of every element."""

    def rsqrt(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """``1 / sqrt(x)``, of every element."""

    def shape_array(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The shape of `data` as an int64 array."""

    def sigmoid(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Logistic function, ``1 / (1 + exp(-x))``, of every element."""

    def sign(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """1 for positive numbers, -1 for negative ones, else 0, of every element."""

    def sin(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Sine, of every element."""

    def sinh(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Hyperbolic sine, of every element."""

    def size_array(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The number of elements of `data` as an int64 array of shape (1,)."""

    def slice(
        self,
        begin: int | None | Sequence[int | None] = ...,
        end: int | None | Sequence[int | None] = ...,
        step: int | None | Sequence[int | None] = (),
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """Slice an array, as Python's ``data[begin[0]:end[0]:step[0], ...]`` does."""

    def slice_assign(self, rhs: Any, begin: Any, end: Any, step: Any) -> NDArray:
        """Write `rhs` into the part ``begin:end:step`` of the array."""

    def slice_assign_scalar(self, value: Any, begin: Any, end: Any, step: Any) -> NDArray:
        """Write a number into the part ``begin:end:step`` of the array."""

    def slice_axis(
        self,
        axis: int = ...,
        begin: int = ...,
        end: int | None = ...,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """Take the elements ``begin:end`` along one axis."""

    def slice_like(
        self,
        shape_like: NDArray,
        axes: int | Sequence[int] = (),
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """Slice an array to the lengths of another."""

    def softmax(
        self,
        length: NDArray | None = None,
        axis: int = -1,
        temperature: float | None = None,
        dtype: DTypeLike | None = None,
        use_length: bool | int | None = False,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """Exponentials of the numbers, scaled so that they sum to one along an axis."""

    def softmin(
        self,
        axis: int = -1,
        temperature: float | None = None,
        dtype: DTypeLike | None = None,
        use_length: bool | int | None = False,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The `softmax` of the negated numbers: the smallest number gets the largest share."""

    def sort(
        self,
        axis: int | None = -1,
        is_ascend: bool | int = True,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """Sort along an axis; equal elements keep their order."""

    def space_to_depth(
        self,
        block_size: int = ...,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """Move blocks of height and width into channels: the inverse of `depth_to_space`."""

    def split(
        self,
        num_outputs: int = ...,
        axis: int = 1,
        squeeze_axis: bool | int = False,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> Any:
        """Split an array into equal parts."""

    def split_v2(self, *arguments: Any, **keywords: Any) -> Any:
        """Split the array as `nd.split_v2` does."""

    def sqrt(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Square root, of every element."""

    def square(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """``x * x``, of every element."""

    def squeeze(self, axis: Any = ..., inplace: Any = ...) -> NDArray:
        """Return the array without axes of length one."""

    def sum(
        self,
        axis: int | Sequence[int] | None = None,
        keepdims: bool | int = False,
        exclude: bool | int = False,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The sum over the given axes."""

    def swapaxes(
        self,
        dim1: int = 0,
        dim2: int = 0,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """Exchange two axes."""

    def take(
        self,
        indices: NDArray,
        axis: int = 0,
        mode: Literal['clip', 'wrap', 'raise'] | str = 'clip',
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """Take slices along an axis, in the order of `indices`."""

    def tan(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Tangent, of every element."""

    def tanh(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Hyperbolic tangent, of every element."""

    def tile(
        self,
        reps: int | Sequence[int] = ...,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """Put copies of the array side by side: ``reps[-1]`` along the last axis, and so on."""

    def to_dlpack_for_read(data: Any) -> Any:
        """Return a DLPack capsule that shares memory with an array."""

    def to_dlpack_for_write(data: Any) -> Any:
        """Return a DLPack capsule that shares memory with an array."""

    def topk(
        self,
        axis: int | None = -1,
        k: int = 1,
        ret_typ: Literal['value', 'indices', 'mask', 'both'] | str = 'indices',
        is_ascend: bool | int = False,
        dtype: DTypeLike = 'float32',
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> Any:
        """Find the k largest elements along an axis, in order."""

    def tostype(self, stype: Any) -> Any:
        """Return a copy in another storage type."""

    def transpose(self, axes: Any = ..., out: Any = ..., name: Any = ..., **kwargs: Any) -> NDArray:
        """Permute the axes: axis i of the result is axis ``axes[i]`` of `data`; the default reverses them."""

    def trunc(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The integer without the fraction, of every element."""

    def wait_to_write(self) -> Any:
        """Do nothing: operators run synchronously, so the elements have been computed."""

    def zeros_like(self, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Zeros, as many as `data` has elements."""
