"""The functions of symbol.sparse that are made at run time; written by ``python -m gluonic.tools.stubs``."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import DTypeLike

from gluonic.ndarray.context import Context
from gluonic.symbol.symbol import Symbol

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
    "sum",
    "tan",
    "tanh",
    "trunc",
    "where",
    "zeros_like",
]

def ElementWiseSum(
    *args: Symbol,
    num_args: int = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The sum of all inputs, which have one shape."""

def Embedding(
    data: Symbol | None = None,
    weight: Symbol | None = None,
    input_dim: int = ...,
    output_dim: int = ...,
    dtype: DTypeLike = 'float32',
    sparse_grad: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Look up a vector for each number."""

def FullyConnected(
    data: Symbol | None = None,
    weight: Symbol | None = None,
    bias: Symbol | None = None,
    num_hidden: int = ...,
    no_bias: bool | int = False,
    flatten: bool | int = True,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Apply a linear map and add a bias: ``data · weightᵀ + bias``."""

def LinearRegressionOutput(
    data: Symbol | None = None,
    label: Symbol | None = None,
    grad_scale: float = 1.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The identity, with the gradient of the squared error."""

def LogisticRegressionOutput(
    data: Symbol | None = None,
    label: Symbol | None = None,
    grad_scale: float = 1.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The logistic function, with the gradient of the binary cross entropy."""

def MAERegressionOutput(
    data: Symbol | None = None,
    label: Symbol | None = None,
    grad_scale: float = 1.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The identity, with the gradient of the absolute error."""

def abs(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Absolute value, of every element."""

def adagrad_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    history: Symbol | None = None,
    lr: float = ...,
    epsilon: float = 1e-07,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """A step of AdaGrad; with a row_sparse gradient, only in the rows that it stores."""

def adam_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    mean: Symbol | None = None,
    var: Symbol | None = None,
    lr: float = ...,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-08,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool | int = True,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """A step of Adam without bias correction, which is the caller's (in `lr`)."""

def add_n(
    *args: Symbol,
    num_args: int = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The sum of all inputs, which have one shape."""

def arccos(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Inverse cosine, in radians, of every element."""

def arccosh(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Inverse hyperbolic cosine, of every element."""

def arcsin(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Inverse sine, in radians, of every element."""

def arcsinh(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Inverse hyperbolic sine, of every element."""

def arctan(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Inverse tangent, in radians, of every element."""

def arctanh(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Inverse hyperbolic tangent, of every element."""

def broadcast_add(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``lhs + rhs``, repeating axes of length one."""

def broadcast_div(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``lhs / rhs``, for integers rounded towards zero, repeating axes of length one."""

def broadcast_minus(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``lhs - rhs``, repeating axes of length one."""

def broadcast_mul(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``lhs * rhs``, repeating axes of length one."""

def broadcast_plus(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``lhs + rhs``, repeating axes of length one."""

def broadcast_sub(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``lhs - rhs``, repeating axes of length one."""

def cast_storage(
    data: Symbol | None = None,
    stype: Literal['default', 'row_sparse', 'csr'] | str = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Return the elements in another storage type."""

def cbrt(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Cube root, of every element."""

def ceil(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """The next integer upwards, of every element."""

def clip(
    data: Symbol | None = None,
    a_min: float = ...,
    a_max: float = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Numbers below `a_min` become `a_min`, numbers above `a_max` become `a_max`."""

def concat(
    *arg: Symbol,
    num_args: int = ...,
    dim: int = 1,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Join arrays along an axis."""

def cos(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Cosine, of every element."""

def cosh(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Hyperbolic cosine, of every element."""

def degrees(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Radians converted to degrees, of every element."""

def dot(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    transpose_a: bool | int = False,
    transpose_b: bool | int = False,
    forward_stype: Literal['csr', 'default', 'row_sparse'] | str | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Multiply two matrices, or vectors, or arrays along one axis of each."""

def elemwise_add(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``lhs + rhs``, element by element."""

def elemwise_div(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``lhs / rhs``, for integers rounded towards zero, element by element."""

def elemwise_mul(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``lhs * rhs``, element by element."""

def elemwise_sub(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``lhs - rhs``, element by element."""

def exp(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Exponential, of every element."""

def expm1(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """``exp(x) - 1``, exact for small numbers, of every element."""

def fix(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """The next integer towards 0, of every element."""

def floor(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """The next integer downwards, of every element."""

def ftrl_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    z: Symbol | None = None,
    n: Symbol | None = None,
    lr: float = ...,
    lamda1: float = 0.01,
    beta: float = 1.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """A step of FTRL-Proximal (McMahan et al., Ad Click Prediction, 2013)."""

def gamma(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Gamma function, of every element."""

def gammaln(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Logarithm of the absolute value of the gamma function, of every element."""

def log(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Natural logarithm, of every element."""

def log10(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Logarithm to base 10, of every element."""

def log1p(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """``log(1 + x)``, exact for small numbers, of every element."""

def log2(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Logarithm to base 2, of every element."""

def make_loss(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The input itself, as a loss: its gradient is always 1."""

def mean(
    data: Symbol | None = None,
    axis: int | Sequence[int] | None = None,
    keepdims: bool | int = False,
    exclude: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The arithmetic mean over the given axes."""

def negative(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The negated number, of every element."""

def norm(
    data: Symbol | None = None,
    ord: Literal[2, 1] = 2,
    axis: int | Sequence[int] | None = None,
    out_dtype: DTypeLike | None = None,
    keepdims: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The norm of vectors: the root of the sum of squares, or the sum of absolute values."""

def radians(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Degrees converted to radians, of every element."""

def relu(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """The number, or 0 if it is negative, of every element."""

def retain(
    data: Symbol | None = None,
    indices: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Keep some rows and set others to zero; in a row_sparse array the others are removed."""

def rint(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """The nearest integer; ties are rounded down, of every element."""

def round(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """The nearest integer; ties are rounded away from 0, of every element."""

def rsqrt(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """``1 / sqrt(x)``, of every element."""

def sgd_mom_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    mom: Symbol | None = None,
    lr: float = ...,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool | int = True,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """A step of gradient descent with momentum."""

def sgd_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    lr: float = ...,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool | int = True,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """A step of gradient descent: ``weight - lr * (grad + wd * weight)``."""

def sigmoid(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Logistic function, ``1 / (1 + exp(-x))``, of every element."""

def sign(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """1 for positive numbers, -1 for negative ones, else 0, of every element."""

def sin(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Sine, of every element."""

def sinh(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Hyperbolic sine, of every element."""

def slice(
    data: Symbol | None = None,
    begin: int | None | Sequence[int | None] = ...,
    end: int | None | Sequence[int | None] = ...,
    step: int | None | Sequence[int | None] = (),
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Slice an array, as Python's ``data[begin[0]:end[0]:step[0], ...]`` does."""

def sqrt(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Square root, of every element."""

def square(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``x * x``, of every element."""

def stop_gradient(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The input itself; no gradient passes."""

def sum(
    data: Symbol | None = None,
    axis: int | Sequence[int] | None = None,
    keepdims: bool | int = False,
    exclude: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The sum over the given axes."""

def tan(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Tangent, of every element."""

def tanh(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Hyperbolic tangent, of every element."""

def trunc(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """The integer without the fraction, of every element."""

def where(
    condition: Symbol | None = None,
    x: Symbol | None = None,
    y: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Elements of `x` where `condition` is not 0, of `y` elsewhere."""

def zeros_like(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Zeros, as many as `data` has elements."""
