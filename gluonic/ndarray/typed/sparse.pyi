"""The functions of ndarray.sparse that are made at run time; written by ``python -m gluonic.tools.stubs``."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import DTypeLike

from gluonic.ndarray.context import Context
from gluonic.ndarray.array import NDArray

__all__: list[str] = [
    "ElementWiseSum",
    "Embedding",
    "FullyConnected",
    "LinearRegressionOutput",
    "LogisticRegressionOutput",
    "MAERegressionOutput",
    "abs",
    "adagrad_update",
    "adam_update",
    "add",
    "add_n",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctanh",
    "broadcast_add",
    "broadcast_div",
    "broadcast_minus",
    "broadcast_mul",
    "broadcast_plus",
    "broadcast_sub",
    "cast_storage",
    "cbrt",
    "ceil",
    "clip",
    "concat",
    "cos",
    "cosh",
    "degrees",
    "divide",
    "dot",
    "elemwise_add",
    "elemwise_div",
    "elemwise_mul",
    "elemwise_sub",
    "exp",
    "expm1",
    "fix",
    "floor",
    "ftrl_update",
    "gamma",
    "gammaln",
    "log",
    "log10",
    "log1p",
    "log2",
    "make_loss",
    "mean",
    "multiply",
    "negative",
    "norm",
    "radians",
    "relu",
    "retain",
    "rint",
    "round",
    "rsqrt",
    "sgd_mom_update",
    "sgd_update",
    "sigmoid",
    "sign",
    "sin",
    "sinh",
    "slice",
    "sqrt",
    "square",
    "stop_gradient",
    "subtract",
    "sum",
    "tan",
    "tanh",
    "trunc",
    "where",
    "zeros_like",
]

def ElementWiseSum(
    *args: NDArray,
    num_args: int = ...,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """The sum of all inputs, which have one shape."""

def Embedding(
    data: NDArray,
    weight: NDArray,
    input_dim: int = ...,
    output_dim: int = ...,
    dtype: DTypeLike = 'float32',
    sparse_grad: bool | int = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """Look up a vector for each number."""

def FullyConnected(
    data: NDArray,
    weight: NDArray | None = None,
    bias: NDArray | None = None,
    num_hidden: int = ...,
    no_bias: bool | int = False,
    flatten: bool | int = True,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """Apply a linear map and add a bias: ``data · weightᵀ + bias``."""

def LinearRegressionOutput(
    data: NDArray,
    label: NDArray,
    grad_scale: float = 1.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """The identity, with the gradient of the squared error."""

def LogisticRegressionOutput(
    data: NDArray,
    label: NDArray,
    grad_scale: float = 1.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """The logistic function, with the gradient of the binary cross entropy."""

def MAERegressionOutput(
    data: NDArray,
    label: NDArray,
    grad_scale: float = 1.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """The identity, with the gradient of the absolute error."""

def abs(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Absolute value, of every element."""

def adagrad_update(
    weight: NDArray,
    grad: NDArray,
    history: NDArray,
    lr: float = ...,
    epsilon: float = 1e-07,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """A step of AdaGrad; with a row_sparse gradient, only in the rows that it stores."""

def adam_update(
    weight: NDArray,
    grad: NDArray,
    mean: NDArray,
    var: NDArray,
    lr: float = ...,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-08,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool | int = True,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """A step of Adam without bias correction, which is the caller's (in `lr`)."""

def add(lhs: Any, rhs: Any) -> Any:
    """Return the sum of two arrays of any storage type, broadcast together, or of an array and a number."""

def add_n(
    *args: NDArray,
    num_args: int = ...,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """The sum of all inputs, which have one shape."""

def arccos(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Inverse cosine, in radians, of every element."""

def arccosh(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Inverse hyperbolic cosine, of every element."""

def arcsin(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Inverse sine, in radians, of every element."""

def arcsinh(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Inverse hyperbolic sine, of every element."""

def arctan(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Inverse tangent, in radians, of every element."""

def arctanh(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Inverse hyperbolic tangent, of every element."""

def broadcast_add(
    lhs: NDArray,
    rhs: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """``lhs + rhs``, repeating axes of length one."""

def broadcast_div(
    lhs: NDArray,
    rhs: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """``lhs / rhs``, for integers rounded towards zero, repeating axes of length one."""

def broadcast_minus(
    lhs: NDArray,
    rhs: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """``lhs - rhs``, repeating axes of length one."""

def broadcast_mul(
    lhs: NDArray,
    rhs: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """``lhs * rhs``, repeating axes of length one."""

def broadcast_plus(
    lhs: NDArray,
    rhs: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """``lhs + rhs``, repeating axes of length one."""

def broadcast_sub(
    lhs: NDArray,
    rhs: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """``lhs - rhs``, repeating axes of length one."""

def cast_storage(
    data: NDArray,
    stype: Literal['default', 'row_sparse', 'csr'] | str = ...,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """Return the elements in another storage type."""

def cbrt(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Cube root, of every element."""

def ceil(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """The next integer upwards, of every element."""

def clip(
    data: NDArray,
    a_min: float = ...,
    a_max: float = ...,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """Numbers below `a_min` become `a_min`, numbers above `a_max` become `a_max`."""

def concat(
    *arg: NDArray,
    num_args: int = ...,
    dim: int = 1,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """Join arrays along an axis."""

def cos(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Cosine, of every element."""

def cosh(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Hyperbolic cosine, of every element."""

def degrees(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Radians converted to degrees, of every element."""

def divide(lhs: Any, rhs: Any) -> Any:
    """Return the quotient of two arrays of any storage type, broadcast together, or of an array and a number."""

def dot(
    lhs: NDArray,
    rhs: NDArray,
    transpose_a: bool | int = False,
    transpose_b: bool | int = False,
    forward_stype: Literal['csr', 'default', 'row_sparse'] | str | None = None,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """Multiply two matrices, or vectors, or arrays along one axis of each."""

def elemwise_add(
    lhs: NDArray,
    rhs: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """``lhs + rhs``, element by element."""

def elemwise_div(
    lhs: NDArray,
    rhs: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """``lhs / rhs``, for integers rounded towards zero, element by element."""

def elemwise_mul(
    lhs: NDArray,
    rhs: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """``lhs * rhs``, element by element."""

def elemwise_sub(
    lhs: NDArray,
    rhs: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """``lhs - rhs``, element by element."""

def exp(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Exponential, of every element."""

def expm1(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """``exp(x) - 1``, exact for small numbers, of every element."""

def fix(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """The next integer towards 0, of every element."""

def floor(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """The next integer downwards, of every element."""

def ftrl_update(
    weight: NDArray,
    grad: NDArray,
    z: NDArray,
    n: NDArray,
    lr: float = ...,
    lamda1: float = 0.01,
    beta: float = 1.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """A step of FTRL-Proximal (McMahan et al., Ad Click Prediction, 2013)."""

def gamma(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Gamma function, of every element."""

def gammaln(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Logarithm of the absolute value of the gamma function, of every element."""

def log(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Natural logarithm, of every element."""

def log10(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Logarithm to base 10, of every element."""

def log1p(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """``log(1 + x)``, exact for small numbers, of every element."""

def log2(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Logarithm to base 2, of every element."""

def make_loss(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """The input itself, as a loss: its gradient is always 1."""

def mean(
    data: NDArray,
    axis: int | Sequence[int] | None = None,
    keepdims: bool | int = False,
    exclude: bool | int = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """The arithmetic mean over the given axes."""

def multiply(lhs: Any, rhs: Any) -> Any:
    """Return the product of two arrays of any storage type, broadcast together, or of an array and a number."""

def negative(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """The negated number, of every element."""

def norm(
    data: NDArray,
    ord: Literal[2, 1] = 2,
    axis: int | Sequence[int] | None = None,
    out_dtype: DTypeLike | None = None,
    keepdims: bool | int = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """The norm of vectors: the root of the sum of squares, or the sum of absolute values."""

def radians(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Degrees converted to radians, of every element."""

def relu(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """The number, or 0 if it is negative, of every element."""

def retain(
    data: NDArray,
    indices: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """Keep some rows and set others to zero; in a row_sparse array the others are removed."""

def rint(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """The nearest integer; ties are rounded down, of every element."""

def round(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """The nearest integer; ties are rounded away from 0, of every element."""

def rsqrt(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """``1 / sqrt(x)``, of every element."""

def sgd_mom_update(
    weight: NDArray,
    grad: NDArray,
    mom: NDArray,
    lr: float = ...,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool | int = True,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """A step of gradient descent with momentum."""

def sgd_update(
    weight: NDArray,
    grad: NDArray,
    lr: float = ...,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool | int = True,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """A step of gradient descent: ``weight - lr * (grad + wd * weight)``."""

def sigmoid(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Logistic function, ``1 / (1 + exp(-x))``, of every element."""

def sign(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """1 for positive numbers, -1 for negative ones, else 0, of every element."""

def sin(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Sine, of every element."""

def sinh(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Hyperbolic sine, of every element."""

def slice(
    data: NDArray,
    begin: int | None | Sequence[int | None] = ...,
    end: int | None | Sequence[int | None] = ...,
    step: int | None | Sequence[int | None] = (),
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """Slice an array, as Python's ``data[begin[0]:end[0]:step[0], ...]`` does."""

def sqrt(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Square root, of every element."""

def square(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """``x * x``, of every element."""

def stop_gradient(
    data: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """The input itself; no gradient passes."""

def subtract(lhs: Any, rhs: Any) -> Any:
    """Return the difference of two arrays of any storage type, broadcast together, or of an array and a number."""

def sum(
    data: NDArray,
    axis: int | Sequence[int] | None = None,
    keepdims: bool | int = False,
    exclude: bool | int = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """The sum over the given axes."""

def tan(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Tangent, of every element."""

def tanh(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Hyperbolic tangent, of every element."""

def trunc(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """The integer without the fraction, of every element."""

def where(
    condition: NDArray,
    x: NDArray,
    y: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """Elements of `x` where `condition` is not 0, of `y` elsewhere."""

def zeros_like(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Zeros, as many as `data` has elements."""
