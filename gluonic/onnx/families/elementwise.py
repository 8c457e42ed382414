"""Element-wise operators that ONNX has by name; the others are written by their expressions."""

from functools import partial
from typing import Any

import numpy as np

from gluonic.onnx.errors import NotExportable, NotImportable
from gluonic.onnx.table import family
from gluonic.onnx.tensors import dtype_of_type
from gluonic.onnx.use import (
    broadcast_to,
    operator_of,
    output_dtype,
    output_shape,
    reshaped,
    shape_of,
)
from gluonic.onnx.writer import BOOL, OnnxValue

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


def _converted(o: Any, value: OnnxValue, dtype: Any) -> Any:
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
    number = {"zeros_like": 0, "ones_like": 1}.get(operator_of(n).name)
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


# ------------------------------------------------------------------------ reading

_ARITHMETIC = {
    "Add": ("broadcast_add", "_plus_scalar", "_plus_scalar"),
    "Sub": ("broadcast_sub", "_minus_scalar", "_rminus_scalar"),
    "Mul": ("broadcast_mul", "_mul_scalar", "_mul_scalar"),
    "Div": ("broadcast_div", "_div_scalar", "_rdiv_scalar"),
    "Pow": ("broadcast_power", "_power_scalar", "_rpower_scalar"),
}
"""Operators on two arrays, on an array and a number, on a number and an array."""


def with_number(F: Any, n: Any, op_type: str) -> Any:
    """Arithmetic with a constant of one element as an operator with a number; None if there is none."""
    _, right, left = _ARITHMETIC[op_type]
    for position, name in ((1, right), (0, left)):
        number = n.known_or_none(position)
        other = 1 - position
        if (
            number is None
            or number.size != 1
            or number.dtype == object
            or n.known_or_none(other) is not None
        ):
            continue
        data, is_float = n[other], n.dtype(other).kind == "f"
        if number.ndim <= n.rank(other) and is_float and number.dtype == n.dtype(other):
            return getattr(F, name)(data, scalar=float(number.item()), is_int=False)
    return None


def _read_arithmetic(op_type: str, F: Any, n: Any) -> Any:
    """A binary operator on two inputs."""
    found = with_number(F, n, op_type)
    if found is not None:
        return found
    lhs, rhs = n[0], n[1]
    if n.dtype(0) != n.dtype(1):
        rhs = F.Cast(rhs, dtype=n.dtype(0).name)
    if op_type == "Div" and n.dtype(0).kind in "iu":
        return F.broadcast_div(lhs, rhs)
    return getattr(F, _ARITHMETIC[op_type][0])(lhs, rhs)


def _same(ours: str, F: Any, n: Any) -> Any:
    """The operator of gluonic's that computes the same."""
    return getattr(F, ours)(*n.entries)


for _name in _ARITHMETIC:
    elementwise.read(_name)(partial(_read_arithmetic, _name))

for _theirs, _ours in (
    ("Equal", "_npi_equal"), ("Greater", "_npi_greater"), ("GreaterOrEqual", "_npi_greater_equal"),
    ("Less", "_npi_less"), ("LessOrEqual", "_npi_less_equal"), ("And", "broadcast_logical_and"),
    ("Or", "broadcast_logical_or"), ("Xor", "broadcast_logical_xor"), ("Not", "logical_not"),
    ("IsNaN", "_npi_isnan"), ("Round", "_npi_around"), ("Sign", "sign"), ("Identity", "_copy"),
    ("BitwiseAnd", "_npi_bitwise_and"), ("BitwiseOr", "_npi_bitwise_or"), ("BitwiseXor", "_npi_bitwise_xor"),
    ("BitwiseNot", "_npi_bitwise_not"),
):  # fmt: skip
    elementwise.read(_theirs)(partial(_same, _ours))


def _chain(F: Any, n: Any, ours: str) -> Any:
    total, *others = n.entries
    for each in others:
        total = getattr(F, ours)(total, each)
    return F._copy(total) if not others else total


elementwise.read("Sum")(lambda F, n: _chain(F, n, "broadcast_add"))
elementwise.read("Max")(lambda F, n: _chain(F, n, "broadcast_maximum"))
elementwise.read("Min")(lambda F, n: _chain(F, n, "broadcast_minimum"))
elementwise.read("Mean")(lambda F, n: _chain(F, n, "broadcast_add") / float(len(n.inputs)))


@elementwise.read("IsInf")
def _(F: Any, n: Any) -> Any:
    low, high = n.attribute("detect_negative", 1), n.attribute("detect_positive", 1)
    if low and high:
        return F._npi_isinf(n[0])
    if low:
        return F._npi_isneginf(n[0])
    return F._npi_isposinf(n[0]) if high else F._npi_not_equal(n[0], n[0]) * 0


@elementwise.read("Mod")
def _(F: Any, n: Any) -> Any:
    if not n.attribute("fmod", 0):
        return F.broadcast_mod(*n.entries)
    whole = F.broadcast_div(*n.entries)
    if n.dtype().kind == "f":
        whole = F.trunc(whole)
    return F.broadcast_sub(n[0], F.broadcast_mul(whole, n[1]))


@elementwise.read("BitShift")
def _(F: Any, n: Any) -> Any:
    if n.dtype().itemsize > 4:
        raise NotImportable("shifts of 64 bits")
    exact = F.Cast(n[0], dtype="float64")
    powers = F.broadcast_power(F.ones_like(exact) * 2.0, F.Cast(n[1], dtype="float64"))
    if n.attribute("direction") == "LEFT":
        return F.Cast(F.Cast(F.broadcast_mul(exact, powers), dtype="int64"), dtype=n.dtype().name)
    return F.Cast(F.floor(F.broadcast_div(exact, powers)), dtype=n.dtype().name)


@elementwise.read("Where")
def _(F: Any, n: Any) -> Any:
    return F._npi_where(*n.entries)


@elementwise.read("Clip")
def _(F: Any, n: Any) -> Any:
    if n.opset < 11:
        limits = [n.attribute("min"), n.attribute("max")]
    else:
        bounds = [n.known_or_none(i) if n.has(i) else np.array([np.nan]) for i in (1, 2)]
        if any(bound is None for bound in bounds) or n.dtype().kind != "f":
            data = F.broadcast_maximum(n[0], n[1]) if n.has(1) else n[0]
            data = F.broadcast_minimum(data, n[2]) if n.has(2) else data
            return F._copy(data) if data is n[0] else data
        limits = [None if np.isnan(bound).all() else float(bound.item()) for bound in bounds]
    low, high = (float("-inf") if limits[0] is None else limits[0], limits[1])
    return F.clip(n[0], a_min=low, a_max=float("inf") if high is None else high)


@elementwise.read("Cast")
def _(F: Any, n: Any) -> Any:
    return F.Cast(n[0], dtype=dtype_of_type(n.attribute("to")).name)


@elementwise.read("CastLike")
def _(F: Any, n: Any) -> Any:
    return F.Cast(n[0], dtype=n.dtype(1).name)


@elementwise.read("LeakyRelu")
def _(F: Any, n: Any) -> Any:
    return F.LeakyReLU(n[0], act_type="leaky", slope=n.attribute("alpha", 0.01))


@elementwise.read("Elu")
def _(F: Any, n: Any) -> Any:
    return F.LeakyReLU(n[0], act_type="elu", slope=n.attribute("alpha", 1.0))


@elementwise.read("Selu")
def _(F: Any, n: Any) -> Any:
    alpha, gamma = n.attribute("alpha", 1.6732632), n.attribute("gamma", 1.0507009)
    if abs(alpha - 1.6732632) < 1e-6 and abs(gamma - 1.0507009) < 1e-6:
        return F.LeakyReLU(n[0], act_type="selu")
    return F.LeakyReLU(n[0], act_type="elu", slope=alpha) * gamma


@elementwise.read("PRelu")
def _(F: Any, n: Any) -> Any:
    data, slope = n.shape(0), n.shape(1)
    array = n.known_or_none(1)
    if (
        array is not None
        and len(data) > 2
        and len(slope) == len(data) - 1
        and set(slope[1:]) == {1}
    ):
        return F.LeakyReLU(n[0], n.constant(array.reshape(-1), n.inputs[1].name), act_type="prelu")
    return F._npi_where(n[0] < 0, F.broadcast_mul(n[0], n[1]), n[0])


@elementwise.read("Softplus")
def _(F: Any, n: Any) -> Any:
    return F.Activation(n[0], act_type="softrelu")


@elementwise.read("HardSigmoid")
def _(F: Any, n: Any) -> Any:
    return F.hard_sigmoid(n[0], alpha=n.attribute("alpha", 0.2), beta=n.attribute("beta", 0.5))


@elementwise.read("Gelu")
def _(F: Any, n: Any) -> Any:
    if n.attribute("approximate", "none") == "none":
        return F.LeakyReLU(n[0], act_type="gelu")
    x = n[0]
    return 0.5 * x * (F.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x * x * x)) + 1.0)


@elementwise.read("Dropout")
def _(F: Any, n: Any) -> Any:
    mode = n.known_or_none(2) if n.has(2) else np.array(False)
    ratio = n.known_or_none(1) if n.has(1) else np.array(n.attribute("ratio", 0.5))
    if mode is None or ratio is None or (mode.any() and ratio.item() > 0):
        raise NotImportable("dropout in training, whose random numbers differ")
    mask = F.Cast(F.ones_like(n[0]), dtype="bool")
    return [F.Dropout(n[0], p=float(ratio.item()))[0], mask][: n.output_count]
