"""Element-wise operators that ONNX has by name; the others are written by their expressions."""

from typing import Any

import numpy as np

from gluonic.onnx.errors import NotExportable
from gluonic.onnx.table import family
from gluonic.onnx.use import broadcast_to, output_dtype, output_shape, reshaped, shape_of
from gluonic.onnx.writer import BOOL, Value

elementwise = family("element by element")

for _ours, _theirs in (
    ("abs", "Abs"), ("negative", "Neg"), ("reciprocal", "Reciprocal"), ("sqrt", "Sqrt"), ("exp", "Exp"),
    ("log", "Log"), ("sin", "Sin"), ("cos", "Cos"), ("tan", "Tan"), ("arcsin", "Asin"), ("arccos", "Acos"),
    ("arctan", "Atan"), ("sinh", "Sinh"), ("cosh", "Cosh"), ("tanh", "Tanh"), ("arcsinh", "Asinh"),
    ("arccosh", "Acosh"), ("arctanh", "Atanh"), ("sigmoid", "Sigmoid"), ("softsign", "Softsign"),
    ("relu", "Relu"), ("erf", "Erf"), ("ceil", "Ceil"), ("floor", "Floor"),
):  # fmt: skip
    elementwise.pair(_ours, _theirs)

_ACTIVATIONS = {
    "relu": "Relu", "sigmoid": "Sigmoid", "tanh": "Tanh", "softrelu": "Softplus", "softsign": "Softsign",
}  # fmt: skip


@elementwise.write("Activation")
def _(o: Any, n: Any) -> Any:
    return getattr(o, _ACTIVATIONS[n.act_type])(n.data)


@elementwise.write("LeakyReLU")
def _(o: Any, n: Any) -> Any:
    if n.act_type == "prelu":
        return o.PRelu(n.data, _slope(o, n))
    if n.act_type == "elu":
        return o.Elu(n.data, alpha=n.slope)
    if n.act_type == "selu":
        return o.Selu(n.data)
    if n.act_type == "gelu":
        return _gelu(o, n.data)
    slope = (n.lower_bound + n.upper_bound) / 2 if n.act_type == "rrelu" else n.slope
    return o.LeakyRelu(n.data, alpha=slope)


def _slope(o: Any, n: Any) -> Any:
    """The slopes of PReLU, one per channel: ONNX broadcasts from the last axis."""
    shape, rank = shape_of(n, "gamma"), len(shape_of(n, "data"))
    if len(shape) == 1 and rank > 1:
        return reshaped(o, n, n.gamma, shape, (shape[0], *[1] * (rank - 2)))
    return n.gamma


def _gelu(o: Any, data: Any) -> Any:
    if o.opset >= 20:
        return o.Gelu(data)
    half = o.Mul(data, 0.5)
    return o.Mul(half, o.Add(o.Erf(o.Mul(data, 0.5**0.5)), 1.0))


@elementwise.write("clip")
def _(o: Any, n: Any) -> Any:
    low, high = (np.array(bound).astype(n.data.dtype) for bound in (n.a_min, n.a_max))
    return o.Clip(n.data, low, high)


@elementwise.write("Cast", "amp_cast")
def _(o: Any, n: Any) -> Any:
    return _converted(o, n.data, output_dtype(n))


@elementwise.write("_cast_like", "_cast_as")
def _(o: Any, n: Any) -> Any:
    return _converted(o, n.inputs[0], output_dtype(n))


def _converted(o: Any, value: Value, dtype: Any) -> Any:
    return o.Identity(value) if value.dtype == dtype else o.cast(value, dtype)


@elementwise.write("hard_sigmoid")
def _(o: Any, n: Any) -> Any:
    return o.HardSigmoid(n.data, alpha=n.alpha, beta=n.beta)


@elementwise.write("add_n")
def _(o: Any, n: Any) -> Any:
    total, *others = n.inputs
    for each in others:
        total = o.Add(total, each)
    return o.Identity(total) if not others else total


@elementwise.write("zeros_like", "ones_like", "_npi_full_like")
def _(o: Any, n: Any) -> Any:
    number = {"zeros_like": 0, "ones_like": 1}.get(n._application.op.name)
    value = n.fill_value if number is None else number
    filled = o.constant(np.full((1,) * len(output_shape(n)), value, output_dtype(n)))
    return broadcast_to(o, n, filled, output_shape(n))


@elementwise.write("where")
def _(o: Any, n: Any) -> Any:
    condition = o.cast(n.condition, BOOL)
    shape, rank = shape_of(n, "condition"), len(shape_of(n, "x"))
    if len(shape) < rank:
        condition = o.unsqueeze(condition, *range(1, rank))
    return o.Where(condition, n.x, n.y, result=n.x.dtype)


@elementwise.write("_npi_where")
def _(o: Any, n: Any) -> Any:
    condition, x, y = n.inputs
    dtype = output_dtype(n)
    return o.Where(o.cast(condition, BOOL), o.cast(x, dtype), o.cast(y, dtype), result=dtype)


@elementwise.write("Dropout")
def _(o: Any, n: Any) -> Any:
    if n.mode == "always" and n.p > 0:
        raise NotExportable("mode='always' draws random numbers")
    return o.Identity(n.data)


for _name in ("MakeLoss", "IdentityAttachKLSparseReg", "_copyto", "_identity_with_attr_like_rhs"):
    elementwise.write(_name)(lambda o, n: o.Identity(n.inputs[0]))


@elementwise.write("LinearRegressionOutput", "MAERegressionOutput", "SVMOutput")
def _(o: Any, n: Any) -> Any:
    return o.Identity(n.data)


@elementwise.write("LogisticRegressionOutput")
def _(o: Any, n: Any) -> Any:
    return o.Sigmoid(n.data)


@elementwise.write("amp_multicast")
def _(o: Any, n: Any) -> Any:
    return [_converted(o, value, output_dtype(n, i)) for i, value in enumerate(n.inputs)]
