"""The functions of numpy that are made at run time; written by ``python -m gluonic.tools.stubs``."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import DTypeLike

from gluonic.ndarray.context import Context
from gluonic.ndarray.numpy.array import ndarray

__all__: list[str] = [
    "abs",
    "absolute",
    "add",
    "all",
    "allclose",
    "alltrue",
    "amax",
    "amin",
    "any",
    "append",
    "apply_along_axis",
    "apply_over_axes",
    "arange",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "argmax",
    "argmin",
    "argpartition",
    "argsort",
    "argwhere",
    "around",
    "array_equal",
    "array_equiv",
    "array_split",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "average",
    "bincount",
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "blackman",
    "broadcast_arrays",
    "broadcast_to",
    "cbrt",
    "ceil",
    "choose",
    "clip",
    "column_stack",
    "compress",
    "concatenate",
    "copy",
    "copysign",
    "corrcoef",
    "correlate",
    "cos",
    "cosh",
    "count_nonzero",
    "cov",
    "cumsum",
    "deg2rad",
    "degrees",
    "delete",
    "diag",
    "diag_indices_from",
    "diagflat",
    "diagonal",
    "diff",
    "digitize",
    "divide",
    "divmod",
    "dot",
    "dsplit",
    "dstack",
    "ediff1d",
    "einsum",
    "empty",
    "empty_like",
    "equal",
    "exp",
    "expand_dims",
    "expm1",
    "extract",
    "eye",
    "fabs",
    "fix",
    "flatnonzero",
    "flip",
    "fliplr",
    "flipud",
    "float_power",
    "floor",
    "frexp",
    "full",
    "full_like",
    "greater",
    "greater_equal",
    "hamming",
    "hanning",
    "heaviside",
    "histogram",
    "histogram2d",
    "histogram_bin_edges",
    "histogramdd",
    "hsplit",
    "hstack",
    "hypot",
    "i0",
    "identity",
    "in1d",
    "indices",
    "inner",
    "insert",
    "interp",
    "intersect1d",
    "invert",
    "isclose",
    "isfinite",
    "isin",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "ix_",
    "lcm",
    "ldexp",
    "less",
    "less_equal",
    "lexsort",
    "linspace",
    "log",
    "log10",
    "log1p",
    "log2",
    "logical_not",
    "logspace",
    "matmul",
    "max",
    "maximum",
    "may_share_memory",
    "mean",
    "meshgrid",
    "min",
    "min_scalar_type",
    "minimum",
    "mod",
    "modf",
    "moveaxis",
    "msort",
    "multiply",
    "nan_to_num",
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmedian",
    "nanmin",
    "nanpercentile",
    "nanprod",
    "nanquantile",
    "ndim",
    "negative",
    "nonzero",
    "not_equal",
    "ones",
    "ones_like",
    "outer",
    "packbits",
    "pad",
    "partition",
    "percentile",
    "piecewise",
    "poly",
    "polyadd",
    "polydiv",
    "polyfit",
    "polyint",
    "polymul",
    "polysub",
    "polyval",
    "positive",
    "power",
    "prod",
    "product",
    "promote_types",
    "ptp",
    "quantile",
    "rad2deg",
    "radians",
    "ravel",
    "real",
    "reciprocal",
    "remainder",
    "repeat",
    "reshape",
    "resize",
    "result_type",
    "rint",
    "roll",
    "rollaxis",
    "roots",
    "rot90",
    "round",
    "round_",
    "row_stack",
    "searchsorted",
    "select",
    "setdiff1d",
    "setxor1d",
    "shape",
    "shares_memory",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "size",
    "sometrue",
    "sort",
    "spacing",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "subtract",
    "sum",
    "swapaxes",
    "take",
    "take_along_axis",
    "tan",
    "tanh",
    "tensordot",
    "tile",
    "trace",
    "transpose",
    "trapz",
    "tril",
    "tril_indices_from",
    "trim_zeros",
    "triu_indices_from",
    "true_divide",
    "trunc",
    "union1d",
    "unique",
    "unpackbits",
    "unravel_index",
    "unwrap",
    "vander",
    "var",
    "vdot",
    "vsplit",
    "vstack",
    "where",
    "zeros",
    "zeros_like",
]

def abs(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the absolute value of each element."""

def absolute(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the absolute value of each element."""

def add(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the sum of two arrays, broadcast together, or of an array and a number."""

def all(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> ndarray:
    """Return whether no element is 0, over axes."""

def allclose(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `allclose` does."""

def alltrue(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `alltrue` does."""

def amax(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> ndarray:
    """Return the largest element over axes; see `sum`."""

def amin(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> ndarray:
    """Return the smallest element over axes; see `sum`."""

def any(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> ndarray:
    """Return whether an element is not 0, over axes."""

def append(arr: Any, values: Any, axis: int | None = None) -> ndarray:
    """Return `arr` with `values` appended along an axis; without one, the elements of both."""

def apply_along_axis(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `apply_along_axis` does."""

def apply_over_axes(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `apply_over_axes` does."""

def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None, ctx: Any = None) -> ndarray:
    """Return evenly spaced numbers from `start` (included) to `stop` (excluded)."""

def arccos(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the inverse cosine of each element."""

def arccosh(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the inverse hyperbolic cosine of each element."""

def arcsin(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the inverse sine of each element."""

def arcsinh(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the inverse hyperbolic sine of each element."""

def arctan(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the inverse tangent of each element."""

def arctan2(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the angle of the point (`x2`, `x1`) of two arrays, broadcast together, or of an array and a number."""

def arctanh(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the inverse hyperbolic tangent of each element."""

def argmax(a: Any, axis: int | None = None, out: Any = None) -> ndarray:
    """Return the indices of the largest elements along an axis, or of the flattened array, as int64."""

def argmin(a: Any, axis: int | None = None, out: Any = None) -> ndarray:
    """Return the indices of the smallest elements along an axis, or of the flattened array, as int64."""

def argpartition(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `argpartition` does."""

def argsort(a: Any, axis: int | None = -1, kind: Any = None, order: Any = None) -> ndarray:
    """Return the indices that sort the elements along an axis, as int64."""

def argwhere(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `argwhere` does."""

def around(x: Any, decimals: int = 0, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the elements rounded to `decimals` decimals, halves to the even digit."""

def array_equal(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `array_equal` does."""

def array_equiv(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `array_equiv` does."""

def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Return the parts of an array, which need not be equal; see `split`."""

def atleast_1d(*arys: Any) -> Any:
    """Return arrays with at least 1 axes: one, or a list of several."""

def atleast_2d(*arys: Any) -> Any:
    """Return arrays with at least 2 axes: one, or a list of several."""

def atleast_3d(*arys: Any) -> Any:
    """Return arrays with at least 3 axes: one, or a list of several."""

def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False, out: Any = None) -> Any:
    """Return the weighted mean over axes."""

def bincount(x: Any, weights: Any = None, minlength: int = 0) -> ndarray:
    """Return the count of each integer, or the sum of its weights."""

def bitwise_and(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the bits that both have of two arrays, broadcast together, or of an array and a number."""

def bitwise_not(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the number with all bits inverted of each element."""

def bitwise_or(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the bits that either has of two arrays, broadcast together, or of an array and a number."""

def bitwise_xor(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the bits that just one has of two arrays, broadcast together, or of an array and a number."""

def blackman(M: int, dtype: Any = None, ctx: Any = None) -> ndarray:
    """Return the Blackman window of `M` points, default float32."""

def broadcast_arrays(*args: Any) -> Any:
    """Return arrays, and numbers, broadcast to their common shape."""

def broadcast_to(array: Any, shape: Any) -> ndarray:
    """Return `array` broadcast to a shape."""

def cbrt(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the cube root of each element."""

def ceil(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the next whole number upwards of each element."""

def choose(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `choose` does."""

def clip(a: Any, a_min: Any, a_max: Any, out: Any = None) -> ndarray:
    """Return the elements clipped to ``[a_min, a_max]``; one bound may be None."""

def column_stack(tup: Any) -> ndarray:
    """Return arrays joined as columns, or along their second axis."""

def compress(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `compress` does."""

def concatenate(seq: Any, axis: int | None = 0, out: Any = None) -> ndarray:
    """Return arrays joined along an axis; without one, all their elements."""

def copy(a: Any, out: Any = None) -> ndarray:
    """Return a copy."""

def copysign(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the first with the sign of the second of two arrays, broadcast together, or of an array and a number."""

def corrcoef(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `corrcoef` does."""

def correlate(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `correlate` does."""

def cos(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the cosine of each element."""

def cosh(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the hyperbolic cosine of each element."""

def count_nonzero(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `count_nonzero` does."""

def cov(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `cov` does."""

def cumsum(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> ndarray:
    """Return running sums along an axis, or of the flattened array."""

def deg2rad(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the angle in radians of each element."""

def degrees(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the angle in degrees of each element."""

def delete(arr: Any, obj: Any, axis: int | None = None) -> ndarray:
    """Return `arr` without the elements at indices: a number, a slice, or an array of numbers."""

def diag(array: Any, k: int = 0) -> ndarray:
    """Return a diagonal of a matrix, or the matrix with a vector on a diagonal."""

def diag_indices_from(arr: Any) -> Any:
    """Return the indices of the main diagonal, an array of int64 for each axis."""

def diagflat(array: Any, k: int = 0) -> ndarray:
    """Return a matrix of zeros with all elements on a diagonal."""

def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> ndarray:
    """Return the diagonals of the matrices that two axes span, as the last axis."""

def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> ndarray:
    """Return the differences of consecutive elements along an axis, applied `n` times."""

def digitize(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `digitize` does."""

def divide(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the quotient of two arrays, broadcast together, or of an array and a number."""

def divmod(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `divmod` does."""

def dot(a: Any, b: Any, out: Any = None) -> ndarray:
    """Return the product summed over the last axis of `a` and the second to last of `b`, or its only one."""

def dsplit(ary: Any, indices_or_sections: Any) -> Any:
    """Return the parts of an array along axis 2; see `split`."""

def dstack(arrays: Any, out: Any = None) -> ndarray:
    """Return arrays joined along their third axis."""

def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> ndarray:
    """Return the differences of consecutive flattened elements, between `to_begin` and `to_end`."""

def einsum(*operands: Any, **kwargs: Any) -> ndarray:
    """Return a product of arrays, summed over axes by Einstein's notation."""

def empty(shape: Any, dtype: Any = None, order: str = 'C', ctx: Any = None) -> ndarray:
    """Return an array of arbitrary values, which are zeros."""

def empty_like(
    prototype: Any,
    dtype: Any = None,
    order: str = 'C',
    subok: bool = False,
    shape: Any = None,
) -> ndarray:
    """Return an array of arbitrary values with the shape of another."""

def equal(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return True where the two are equal, of two arrays, broadcast together, or of an array and a number."""

def exp(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the exponential of each element."""

def expand_dims(a: Any, axis: int) -> ndarray:
    """Return `a` with an axis of length one before `axis`."""

def expm1(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the exponential minus one of each element."""

def extract(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `extract` does."""

def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = None, **kwargs: Any) -> ndarray:
    """Return a matrix of zeros, with ones on a diagonal."""

def fabs(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the absolute value of each element."""

def fix(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the next whole number towards 0 of each element."""

def flatnonzero(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `flatnonzero` does."""

def flip(m: Any, axis: Any = None, out: Any = None) -> ndarray:
    """Return `m` with elements in reverse order along an axis, several, or all."""

def fliplr(m: Any) -> ndarray:
    """Return `m` with columns in reverse order."""

def flipud(m: Any) -> ndarray:
    """Return `m` with rows in reverse order."""

def float_power(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `float_power` does."""

def floor(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the next whole number downwards of each element."""

def frexp(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `frexp` does."""

def full(
    shape: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = 'C',
    ctx: Any = None,
    out: Any = None,
) -> ndarray:
    """Return an array filled with a number."""

def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = 'C',
    ctx: Any = None,
    out: Any = None,
) -> ndarray:
    """Return an array filled with a number, with the shape of another."""

def greater(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return True where the first is greater, of two arrays, broadcast together, or of an array and a number."""

def greater_equal(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return True where the first is no smaller, of two arrays, broadcast together, or of an array and a number."""

def hamming(M: int, dtype: Any = None, ctx: Any = None) -> ndarray:
    """Return the Hamming window of `M` points, default float32."""

def hanning(M: int, dtype: Any = None, ctx: Any = None) -> ndarray:
    """Return the Hanning window of `M` points, default float32."""

def heaviside(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `heaviside` does."""

def histogram(
    a: Any,
    bins: Any = 10,
    range: Any = None,
    normed: Any = None,
    weights: Any = None,
    density: Any = None,
) -> Any:
    """Return the number of elements in each bin, and the edges of the bins."""

def histogram2d(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `histogram2d` does."""

def histogram_bin_edges(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `histogram_bin_edges` does."""

def histogramdd(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `histogramdd` does."""

def hsplit(ary: Any, indices_or_sections: Any) -> Any:
    """Return the parts of an array along its second axis, of a vector along its only one; see `split`."""

def hstack(arrays: Any, out: Any = None) -> ndarray:
    """Return arrays joined along their second axis, vectors along their only one."""

def hypot(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the hypotenuse of two arrays, broadcast together, or of an array and a number."""

def i0(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `i0` does."""

def identity(n: int, dtype: Any = None, ctx: Any = None) -> ndarray:
    """Return the square matrix of `n` rows with ones on its diagonal."""

def in1d(ar1: Any, ar2: Any, assume_unique: bool = False, invert: bool = False) -> ndarray:
    """Test for each element whether it is in another array; the result has one axis."""

def indices(dimensions: Any, dtype: Any = None, ctx: Any = None) -> ndarray:
    """Return the index of each element of a grid along each of its axes, default int32."""

def inner(a: Any, b: Any) -> ndarray:
    """Return the product summed over the last axes."""

def insert(arr: Any, obj: Any, values: Any, axis: int | None = None) -> ndarray:
    """Return `arr` with elements inserted before indices."""

def interp(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `interp` does."""

def intersect1d(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `intersect1d` does."""

def invert(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the number with all bits inverted of each element."""

def isclose(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `isclose` does."""

def isfinite(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return whether the number is finite of each element."""

def isin(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `isin` does."""

def isinf(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return whether the number is infinite of each element."""

def isnan(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return whether the number is NaN of each element."""

def isneginf(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return whether the number is negative and infinite of each element."""

def isposinf(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return whether the number is positive and infinite of each element."""

def ix_(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `ix_` does."""

def lcm(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the least common multiple of two arrays, broadcast together, or of an array and a number."""

def ldexp(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return ``x1 * 2 ** x2`` of two arrays, broadcast together, or of an array and a number."""

def less(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return True where the first is smaller, of two arrays, broadcast together, or of an array and a number."""

def less_equal(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return True where the first is no greater, of two arrays, broadcast together, or of an array and a number."""

def lexsort(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `lexsort` does."""

def linspace(
    start: float,
    stop: float,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    ctx: Any = None,
) -> Any:
    """Return `num` evenly spaced numbers from `start` to `stop`."""

def log(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the natural logarithm of each element."""

def log10(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the logarithm to base 10 of each element."""

def log1p(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the natural logarithm of one plus the number of each element."""

def log2(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the logarithm to base 2 of each element."""

def logical_not(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return True where the number is 0 of each element."""

def logspace(
    start: float,
    stop: float,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10.0,
    dtype: Any = None,
    axis: int = 0,
    ctx: Any = None,
) -> ndarray:
    """Return numbers between two powers of `base`, evenly spaced on a logarithmic scale; see `linspace`."""

def matmul(a: Any, b: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the products of matrices in the last two axes; the axes before are broadcast."""

def max(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> ndarray:
    """Return the largest element over axes; see `sum`."""

def maximum(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the greater of two arrays, broadcast together, or of an array and a number."""

def may_share_memory(a: Any, b: Any, max_work: Any = None) -> Any:
    """Return whether two arrays share memory."""

def mean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> ndarray:
    """Return the arithmetic mean over axes, of integers in float32; see `sum`."""

def meshgrid(*xi: Any, **kwargs: Any) -> Any:
    """Return arrays of coordinates from vectors: each is repeated along the axes of the others."""

def min(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> ndarray:
    """Return the smallest element over axes; see `sum`."""

def min_scalar_type(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `min_scalar_type` does."""

def minimum(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the smaller of two arrays, broadcast together, or of an array and a number."""

def mod(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the remainder of two arrays, broadcast together, or of an array and a number."""

def modf(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `modf` does."""

def moveaxis(a: Any, source: Any, destination: Any) -> ndarray:
    """Return `a` with axes moved to other positions; the others keep their order."""

def msort(a: Any) -> ndarray:
    """Return the array sorted along its first axis."""

def multiply(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the product of two arrays, broadcast together, or of an array and a number."""

def nan_to_num(
    x: Any,
    copy: bool = True,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
    **kwargs: Any,
) -> ndarray:
    """Return finite numbers as they are, others replaced."""

def nanargmax(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `nanargmax` does."""

def nanargmin(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `nanargmin` does."""

def nancumprod(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `nancumprod` does."""

def nancumsum(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `nancumsum` does."""

def nanmax(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `nanmax` does."""

def nanmedian(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `nanmedian` does."""

def nanmin(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `nanmin` does."""

def nanpercentile(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `nanpercentile` does."""

def nanprod(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `nanprod` does."""

def nanquantile(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `nanquantile` does."""

def ndim(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `ndim` does."""

def negative(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the number with the opposite sign of each element."""

def nonzero(a: Any) -> Any:
    """Return the indices of elements that are not 0, an array of int64 for each axis."""

def not_equal(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return True where the two differ, of two arrays, broadcast together, or of an array and a number."""

def ones(shape: Any, dtype: Any = None, order: str = 'C', ctx: Any = None) -> ndarray:
    """Return an array of ones."""

def ones_like(a: Any, dtype: Any = None, order: str = 'C', ctx: Any = None, out: Any = None) -> ndarray:
    """Return an array of ones with the shape of another."""

def outer(a: Any, b: Any) -> ndarray:
    """Return the outer product of the flattened arrays, a matrix."""

def packbits(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `packbits` does."""

def pad(x: Any, pad_width: Any, mode: Any = 'constant', **kwargs: Any) -> ndarray:
    """Return a padded array."""

def partition(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `partition` does."""

def percentile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: Any = None,
    interpolation: str = 'linear',
    keepdims: bool = False,
) -> ndarray:
    """Return percentiles of the elements over axes."""

def piecewise(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `piecewise` does."""

def poly(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `poly` does."""

def polyadd(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `polyadd` does."""

def polydiv(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `polydiv` does."""

def polyfit(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `polyfit` does."""

def polyint(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `polyint` does."""

def polymul(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `polymul` does."""

def polysub(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `polysub` does."""

def polyval(p: Any, x: Any) -> ndarray:
    """Return the values at `x` of a polynomial with coefficients `p`, the one of the highest power first."""

def positive(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `positive` does."""

def power(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the power of two arrays, broadcast together, or of an array and a number."""

def prod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> ndarray:
    """Return the product over axes; see `sum`."""

def product(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> ndarray:
    """Return the product over axes; see `sum`."""

def promote_types(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `promote_types` does."""

def ptp(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `ptp` does."""

def quantile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: Any = None,
    interpolation: str = 'linear',
    keepdims: bool = False,
) -> ndarray:
    """Return quantiles of the elements over axes; `q` is between 0 and 1. See `percentile`."""

def rad2deg(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the angle in degrees of each element."""

def radians(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the angle in radians of each element."""

def ravel(x: Any, order: str = 'C') -> ndarray:
    """Return the elements flattened to one axis."""

def real(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `real` does."""

def reciprocal(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return one divided by the number of each element."""

def remainder(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the remainder of two arrays, broadcast together, or of an array and a number."""

def repeat(a: Any, repeats: int, axis: int | None = None) -> ndarray:
    """Return `a` with each element repeated, along an axis or of the flattened array."""

def reshape(a: Any, newshape: Any, order: str = 'C', out: Any = None) -> ndarray:
    """Return the elements under another shape; one extent may be -1 and follows from the others."""

def resize(a: Any, new_shape: Any) -> ndarray:
    """Return the elements, repeated as needed, under another shape."""

def result_type(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `result_type` does."""

def rint(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the nearest whole number of each element."""

def roll(a: Any, shift: Any, axis: Any = None) -> ndarray:
    """Return `a` with elements shifted along axes; those that leave at one end reenter at the other."""

def rollaxis(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `rollaxis` does."""

def roots(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `roots` does."""

def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> ndarray:
    """Return `m` rotated by 90 degrees `k` times in the plane of two axes."""

def round(x: Any, decimals: int = 0, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the elements rounded to `decimals` decimals, halves to the even digit."""

def round_(x: Any, decimals: int = 0, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the elements rounded to `decimals` decimals, halves to the even digit."""

def row_stack(arrays: Any, out: Any = None) -> ndarray:
    """Return arrays joined as rows, or along their first axis."""

def searchsorted(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `searchsorted` does."""

def select(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `select` does."""

def setdiff1d(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `setdiff1d` does."""

def setxor1d(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `setxor1d` does."""

def shape(a: Any) -> Any:
    """Return the extents of an array."""

def shares_memory(a: Any, b: Any, max_work: Any = None) -> Any:
    """Return whether two arrays share memory."""

def sign(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return -1, 0 or 1 by the sign of each element."""

def signbit(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `signbit` does."""

def sin(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the sine of each element."""

def sinh(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the hyperbolic sine of each element."""

def size(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `size` does."""

def sometrue(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> ndarray:
    """Return whether an element is not 0, over axes."""

def sort(a: Any, axis: int | None = -1, kind: Any = None, order: Any = None) -> ndarray:
    """Return the elements in ascending order along an axis, or all of them."""

def spacing(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `spacing` does."""

def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Return the parts of an array."""

def sqrt(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the square root of each element."""

def square(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the square of each element."""

def squeeze(a: Any, axis: Any = None, out: Any = None) -> ndarray:
    """Return `a` without axes of length one: all of them, or those named."""

def stack(arrays: Any, axis: int = 0, out: Any = None) -> ndarray:
    """Return arrays of one shape joined along a new axis."""

def std(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: int = 0,
    keepdims: bool = False,
) -> ndarray:
    """Return the standard deviation over axes, divided by their number of elements less `ddof`."""

def subtract(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the difference of two arrays, broadcast together, or of an array and a number."""

def sum(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    keepdims: bool = False,
    initial: float | None = None,
    out: Any = None,
) -> ndarray:
    """Return the sum over axes."""

def swapaxes(a: Any, axis1: int, axis2: int) -> ndarray:
    """Return `a` with two axes exchanged."""

def take(a: Any, indices: Any, axis: int | None = None, mode: str = 'raise', out: Any = None) -> ndarray:
    """Return the elements at indices along an axis, or of the flattened array."""

def take_along_axis(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `take_along_axis` does."""

def tan(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the tangent of each element."""

def tanh(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the hyperbolic tangent of each element."""

def tensordot(a: Any, b: Any, axes: Any = 2) -> ndarray:
    """Return the product summed over pairs of axes."""

def tile(A: Any, reps: Any) -> ndarray:
    """Return copies of `A` side by side, `reps` along each axis."""

def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, out: Any = None) -> ndarray:
    """Return the sum along diagonals."""

def transpose(a: Any, axes: Any = None) -> ndarray:
    """Return `a` with its axes in another order, by default the reverse one."""

def trapz(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `trapz` does."""

def tril(m: Any, k: int = 0) -> ndarray:
    """Return `m` with zeros above a diagonal: 0 is the main one, positive ones lie above it."""

def tril_indices_from(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `tril_indices_from` does."""

def trim_zeros(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `trim_zeros` does."""

def triu_indices_from(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `triu_indices_from` does."""

def true_divide(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the quotient of two arrays, broadcast together, or of an array and a number."""

def trunc(x: Any, out: Any = None, **kwargs: Any) -> ndarray:
    """Return the number without its fraction of each element."""

def union1d(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `union1d` does."""

def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
) -> Any:
    """Return the unique elements in ascending order."""

def unpackbits(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `unpackbits` does."""

def unravel_index(indices: Any, shape: Any, order: str = 'C') -> Any:
    """Return the indices in a shape for flat indices: an array for each axis."""

def unwrap(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `unwrap` does."""

def vander(*args: Any, **kwargs: Any) -> Any:
    """Return what NumPy's `vander` does."""

def var(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: int = 0,
    keepdims: bool = False,
) -> ndarray:
    """Return the variance over axes, divided by their number of elements less `ddof`."""

def vdot(a: Any, b: Any) -> ndarray:
    """Return the sum of the elementwise products."""

def vsplit(ary: Any, indices_or_sections: Any) -> Any:
    """Return the parts of an array along axis 0; see `split`."""

def vstack(arrays: Any, out: Any = None) -> ndarray:
    """Return arrays joined as rows, or along their first axis."""

def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """Return `x` where the condition is not 0, `y` elsewhere; without them, the indices where it is not 0."""

def zeros(shape: Any, dtype: Any = None, order: str = 'C', ctx: Any = None) -> ndarray:
    """Return an array of zeros."""

def zeros_like(a: Any, dtype: Any = None, order: str = 'C', ctx: Any = None, out: Any = None) -> ndarray:
    """Return an array of zeros with the shape of another."""
