"""The methods of Symbol that other modules add; written by ``python -m gluonic.tools.stubs``."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import DTypeLike

from gluonic.ndarray.context import Context
from gluonic.symbol.symbol import Symbol


class Methods:
    def abs(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """Absolute value, of every element."""

    def arccos(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """Inverse cosine, in radians, of every element."""

    def arccosh(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """Inverse hyperbolic cosine, of every element."""

    def arcsin(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """Inverse sine, in radians, of every element."""

    def arcsinh(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """Inverse hyperbolic sine, of every element."""

    def arctan(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """Inverse tangent, in radians, of every element."""

    def arctanh(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """Inverse hyperbolic tangent, of every element."""

    def argmax(
        self,
        axis: int | None = None,
        keepdims: bool | int = False,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """The index of the largest element."""

    def argmax_channel(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """The index of the largest element along axis 1, in the dtype of `data`."""

    def argmin(
        self,
        axis: int | None = None,
        keepdims: bool | int = False,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """The index of the smallest element."""

    def argsort(
        self,
        axis: int | None = -1,
        is_ascend: bool | int = True,
        dtype: DTypeLike = 'float32',
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """Find the indices that sort an array along an axis; equal elements keep their order."""

    def astype(self, *args: Any, **kwargs: Any) -> Any:
        """``x.astype(dtype)`` is ``sym.cast(x, dtype)``."""

    def broadcast_axes(
        self,
        axis: int | Sequence[int] = (),
        size: int | Sequence[int] = (),
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """Repeat each `axis` of `data`, of length one, `size` times."""

    def broadcast_like(
        self,
        rhs: Symbol | None = None,
        lhs_axes: int | Sequence[int] | None = None,
        rhs_axes: int | Sequence[int] | None = None,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """Repeat the axes of length one of `lhs` until it has the shape of `rhs`."""

    def broadcast_to(
        self,
        shape: int | Sequence[int] = (),
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """Repeat the axes of length one of `data` until it has the given shape; 0 keeps an axis."""

    def cbrt(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """Cube root, of every element."""

    def ceil(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """The next integer upwards, of every element."""

    def clip(
        self,
        a_min: float = ...,
        a_max: float = ...,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """Numbers below `a_min` become `a_min`, numbers above `a_max` become `a_max`."""

    def cos(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """Cosine, of every element."""

    def cosh(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """Hyperbolic cosine, of every element."""

    def degrees(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """Radians converted to degrees, of every element."""

    def depth_to_space(
        self,
        block_size: int = ...,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """Move blocks of channels into height and width."""

    def diag(
        self,
        k: int = 0,
        axis1: int = 0,
        axis2: int = 1,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """Extract a diagonal, or make a matrix from one."""

    def exp(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """Exponential, of every element."""

    def expand_dims(
        self,
        axis: int = ...,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """Insert an axis of length one before `axis`; -1 appends it."""

    def expm1(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """``exp(x) - 1``, exact for small numbers, of every element."""

    def fix(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """The next integer towards 0, of every element."""

    def flatten(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """Join all axes but the first: ``(batch, a, b, ...)`` becomes ``(batch, a*b*...)``."""

    def flip(
        self,
        axis: int | Sequence[int] = ...,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """Reverse the order of the elements along one or several axes."""

    def floor(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """The next integer downwards, of every element."""

    def grad(self, wrt: Any) -> Symbol:
        """Return the gradients of the sum of all outputs with respect to variables."""

    def log(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """Natural logarithm, of every element."""

    def log10(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """Logarithm to base 10, of every element."""

    def log1p(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """``log(1 + x)``, exact for small numbers, of every element."""

    def log2(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """Logarithm to base 2, of every element."""

    def log_softmax(
        self,
        axis: int = -1,
        temperature: float | None = None,
        dtype: DTypeLike | None = None,
        use_length: bool | int | None = False,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """The logarithm of `softmax`, computed without underflow of small probabilities."""

    def max(
        self,
        axis: int | Sequence[int] | None = None,
        keepdims: bool | int = False,
        exclude: bool | int = False,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """The largest element over the given axes."""

    def mean(
        self,
        axis: int | Sequence[int] | None = None,
        keepdims: bool | int = False,
        exclude: bool | int = False,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """The arithmetic mean over the given axes."""

    def min(
        self,
        axis: int | Sequence[int] | None = None,
        keepdims: bool | int = False,
        exclude: bool | int = False,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """The smallest element over the given axes."""

    def nanprod(
        self,
        axis: int | Sequence[int] | None = None,
        keepdims: bool | int = False,
        exclude: bool | int = False,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """The product of the elements that are not NaN over the given axes."""

    def nansum(
        self,
        axis: int | Sequence[int] | None = None,
        keepdims: bool | int = False,
        exclude: bool | int = False,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """The sum of the elements that are not NaN over the given axes."""

    def norm(
        self,
        ord: Literal[2, 1] = 2,
        axis: int | Sequence[int] | None = None,
        out_dtype: DTypeLike | None = None,
        keepdims: bool | int = False,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """The norm of vectors: the root of the sum of squares, or the sum of absolute values."""

    def one_hot(
        self,
        depth: int = ...,
        on_value: float = 1.0,
        off_value: float = 0.0,
        dtype: DTypeLike = 'float32',
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """Write each number as a vector that is `on_value` at that position and `off_value` elsewhere."""

    def ones_like(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """Ones, as many as `data` has elements."""

    def pad(
        self,
        mode: Literal['constant', 'edge', 'reflect'] | str = ...,
        pad_width: int | Sequence[int] = ...,
        constant_value: float = 0,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """Add a border."""

    def pick(
        self,
        index: Symbol | None = None,
        axis: int | None = -1,
        keepdims: bool | int = False,
        mode: Literal['clip', 'wrap'] | str = 'clip',
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """Pick one element along an axis, for each index of the other axes."""

    def prod(
        self,
        axis: int | Sequence[int] | None = None,
        keepdims: bool | int = False,
        exclude: bool | int = False,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """The product over the given axes."""

    def radians(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """Degrees converted to radians, of every element."""

    def rcbrt(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """``1 / cbrt(x)``, of every element."""

    def reciprocal(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """``1 / x``, of every element."""

    def relu(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """The number, or 0 if it is negative, of every element."""

    def repeat(
        self,
        repeats: int = ...,
        axis: int | None = None,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """Repeat each element `repeats` times along an axis; None flattens the array first."""

    def reshape(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.reshape(…)`` is ``sym.reshape(x, …)``."""

    def reshape_like(
        self,
        rhs: Symbol | None = None,
        lhs_begin: int | None = None,
        lhs_end: int | None = None,
        rhs_begin: int | None = None,
        rhs_end: int | None = None,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """Replace the axes ``lhs_begin:lhs_end`` of `lhs` by the axes ``rhs_begin:rhs_end`` of `rhs`."""

    def rint(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """The nearest integer; ties are rounded down, of every element."""

    def round(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """The nearest integer; ties are rounded away from 0, of every element."""

    def rsqrt(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """``1 / sqrt(x)``, of every element."""

    def shape_array(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """The shape of `data` as an int64 array."""

    def sigmoid(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """Logistic function, ``1 / (1 + exp(-x))``, of every element."""

    def sign(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """1 for positive numbers, -1 for negative ones, else 0, of every element."""

    def sin(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """Sine, of every element."""

    def sinh(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """Hyperbolic sine, of every element."""

    def size_array(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """The number of elements of `data` as an int64 array of shape (1,)."""

    def slice(
        self,
        begin: int | None | Sequence[int | None] = ...,
        end: int | None | Sequence[int | None] = ...,
        step: int | None | Sequence[int | None] = (),
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """Slice an array, as Python's ``data[begin[0]:end[0]:step[0], ...]`` does."""

    def slice_axis(
        self,
        axis: int = ...,
        begin: int = ...,
        end: int | None = ...,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """Take the elements ``begin:end`` along one axis."""

    def slice_like(
        self,
        shape_like: Symbol | None = None,
        axes: int | Sequence[int] = (),
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """Slice an array to the lengths of another."""

    def softmax(
        self,
        length: Symbol | None = None,
        axis: int = -1,
        temperature: float | None = None,
        dtype: DTypeLike | None = None,
        use_length: bool | int | None = False,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """Exponentials of the numbers, scaled so that they sum to one along an axis."""

    def softmin(
        self,
        axis: int = -1,
        temperature: float | None = None,
        dtype: DTypeLike | None = None,
        use_length: bool | int | None = False,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """The `softmax` of the negated numbers: the smallest number gets the largest share."""

    def sort(
        self,
        axis: int | None = -1,
        is_ascend: bool | int = True,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """Sort along an axis; equal elements keep their order."""

    def space_to_depth(
        self,
        block_size: int = ...,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """Move blocks of height and width into channels: the inverse of `depth_to_space`."""

    def split(
        self,
        num_outputs: int = ...,
        axis: int = 1,
        squeeze_axis: bool | int = False,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """Split an array into equal parts."""

    def split_v2(self, *args: Any, **kwargs: Any) -> Any:
        """``x.split_v2(…)`` is ``sym.split_v2(x, …)``."""

    def sqrt(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """Square root, of every element."""

    def square(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """``x * x``, of every element."""

    def squeeze(
        self,
        axis: int | Sequence[int] | None = None,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """Drop axes of length one: all of them, or those in `axis`; at least one axis remains."""

    def sum(
        self,
        axis: int | Sequence[int] | None = None,
        keepdims: bool | int = False,
        exclude: bool | int = False,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """The sum over the given axes."""

    def swapaxes(
        self,
        dim1: int = 0,
        dim2: int = 0,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """Exchange two axes."""

    def take(
        self,
        indices: Symbol | None = None,
        axis: int = 0,
        mode: Literal['clip', 'wrap', 'raise'] | str = 'clip',
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """Take slices along an axis, in the order of `indices`."""

    def tan(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """Tangent, of every element."""

    def tanh(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """Hyperbolic tangent, of every element."""

    def tile(
        self,
        reps: int | Sequence[int] = ...,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """Put copies of the array side by side: ``reps[-1]`` along the last axis, and so on."""

    def topk(
        self,
        axis: int | None = -1,
        k: int = 1,
        ret_typ: Literal['value', 'indices', 'mask', 'both'] | str = 'indices',
        is_ascend: bool | int = False,
        dtype: DTypeLike = 'float32',
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
    ) -> Symbol:
        """Find the k largest elements along an axis, in order."""

    def transpose(self, *args: Any, **kwargs: Any) -> Symbol:
        """``x.transpose(…)`` is ``sym.transpose(x, …)``."""

    def trunc(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """The integer without the fraction, of every element."""

    def zeros_like(self, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
        """Zeros, as many as `data` has elements."""
