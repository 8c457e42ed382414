"""Operators that compute element by element, products, random numbers, quantized numbers."""

from functools import partial
from typing import Any

import numpy as np

from gluonic.onnx.errors import NotExportable
from gluonic.pytorch.code import Loose, call, sequence, torch_dtype
from gluonic.pytorch.table import emits

_FUNCTIONS = {
    "Abs": "torch.abs", "Acos": "torch.acos", "Acosh": "torch.acosh", "Asin": "torch.asin",
    "Asinh": "torch.asinh", "Atan": "torch.atan", "Atanh": "torch.atanh", "BitwiseNot": "torch.bitwise_not",
    "Ceil": "torch.ceil", "Cos": "torch.cos", "Cosh": "torch.cosh", "Det": "torch.linalg.det",
    "Erf": "torch.erf", "Exp": "torch.exp", "Floor": "torch.floor", "Gelu": "F.gelu", "IsInf": "torch.isinf",
    "IsNaN": "torch.isnan", "Log": "torch.log", "Not": "torch.logical_not", "Reciprocal": "torch.reciprocal",
    "Relu": "F.relu", "Round": "torch.round", "Selu": "F.selu", "Sigmoid": "torch.sigmoid",
    "Sign": "torch.sign", "Sin": "torch.sin", "Sinh": "torch.sinh", "Softplus": "F.softplus",
    "Softsign": "F.softsign", "Sqrt": "torch.sqrt", "Tan": "torch.tan", "Tanh": "torch.tanh",
}  # fmt: skip
_INFIX = {
    "Add": "+", "Sub": "-", "Mul": "*", "Pow": "**", "Equal": "==", "Less": "<", "LessOrEqual": "<=",
    "Greater": ">", "GreaterOrEqual": ">=", "BitwiseAnd": "&", "BitwiseOr": "|", "BitwiseXor": "^",
    "And": "&", "Or": "|", "Xor": "^", "MatMul": "@",
}  # fmt: skip


def _called(function: str, n: Any) -> str:
    return f"{function}({n[0]})"


def _infix(symbol: str, n: Any) -> str:
    if symbol == "@":
        return Loose(f"{n.atom(0)} @ {n.atom(1)}")
    return Loose(f"{n.operand(0, 1)} {symbol} {n.operand(1, 0)}")


for _name, _function in _FUNCTIONS.items():
    emits(_name)(partial(_called, _function))
for _name, _symbol in _INFIX.items():
    emits(_name)(partial(_infix, _symbol))


@emits("Neg")
def _(n: Any) -> str:
    return Loose(f"-{n.atom(0)}")


@emits("Identity")
def _(n: Any) -> str:
    same: str = n[0]
    return same


@emits("Div")
def _(n: Any) -> str:
    if n.result().kind in "iu":
        return f'torch.div({n[0]}, {n.operand(1, 0)}, rounding_mode="trunc")'
    return _infix("/", n)


@emits("Mod")
def _(n: Any) -> str:
    function = "torch.fmod" if n.get("fmod", 0) else "torch.remainder"
    return f"{function}({n[0]}, {n.operand(1, 0)})"


@emits("Max", "Min")
def _(n: Any) -> str:
    word, limit = ("maximum", "min") if n.op_type == "Max" else ("minimum", "max")
    for one, other in ((0, 1), (1, 0)):
        bound = n.operand(one, other)
        if n.array(one) is not None and bound != n.atom(one):
            return f"{n.atom(other)}.clamp({limit}={bound})"
    return f"torch.{word}({n[0]}, {n[1]})"


@emits("Clip")
def _(n: Any) -> str:
    limits = {
        name: (n.operand(index, 0), None)
        for name, index in (("min", 1), ("max", 2))
        if n.has(index)
    }
    return call(f"{n.atom(0)}.clamp", **limits)


@emits("Where")
def _(n: Any) -> str:
    return f"torch.where({n[0]}, {n.operand(1, 2)}, {n.operand(2, 1)})"


@emits("Cast")
def _(n: Any) -> str:
    return f"{n.atom(0)}.to({torch_dtype(n.result())})"


@emits("LeakyRelu")
def _(n: Any) -> str:
    return call("F.leaky_relu", n[0], n.get("alpha", 0.01))


@emits("Elu")
def _(n: Any) -> str:
    return call("F.elu", n[0], alpha=(n.get("alpha", 1.0), 1.0))


@emits("HardSigmoid")
def _(n: Any) -> str:
    return f"({n.get('alpha', 0.2)} * {n.atom(0)} + {n.get('beta', 0.5)}).clamp(0, 1)"


@emits("Einsum")
def _(n: Any) -> str:
    return f'torch.einsum("{n.get("equation")}", {", ".join(n.all())})'


@emits("Cholesky")
def _(n: Any) -> str:
    return call("torch.linalg.cholesky", n[0], upper=(n.get("upper"), False))


@emits("CholeskyInverse")
def _(n: Any) -> str:
    return call("torch.cholesky_inverse", n[0], upper=(n.get("upper"), False))


@emits("SolveTriangular")
def _(n: Any) -> str:
    upper, left = n.get("upper"), n.get("left")
    return call("torch.linalg.solve_triangular", n[0], n[1], upper=(upper, None), left=(left, True))


# ------------------------------------------------------------------------ random numbers


@emits("RandomUniform", "RandomUniformLike")
def _(n: Any) -> str:
    low, high = n.get("low", 0.0), n.get("high", 1.0)
    return Loose(f"{_drawn('torch.rand', n)} * {high - low} + {low}")


@emits("RandomNormal", "RandomNormalLike")
def _(n: Any) -> str:
    return Loose(f"{_drawn('torch.randn', n)} * {n.get('scale', 1.0)} + {n.get('mean', 0.0)}")


def _drawn(function: str, n: Any) -> str:
    if n.op_type.endswith("Like"):
        return f"{function}_like({n[0]}, dtype={torch_dtype(n.result())})"
    dtype = torch_dtype(n.result())
    return f"{function}({sequence(n.get('shape'))}, dtype={dtype}, device={n.device})"


# ------------------------------------------------------------------------ quantized numbers


@emits("QuantizeLinear")
def _(n: Any) -> str:
    _check_scale(n)
    zero = n.operand(2, 0) if n.has(2) else "0"
    dtype = torch_dtype(n.result())
    return f"{n.helper('quantize')}({n[0]}, {n.operand(1, 0)}, {zero}, {dtype})"


@emits("DequantizeLinear")
def _(n: Any) -> str:
    _check_scale(n)
    numbers = f"{n.atom(0)}.to({torch_dtype(n.result())})"
    if n.has(2) and (n.array(2) is None or np.any(n.array(2))):
        numbers = f"({numbers} - {n.operand(2, 0)})"
    return Loose(f"{numbers} * {n.operand(1, 0)}")


def _check_scale(n: Any) -> None:
    if n.rank(1) != 0 and n.get("axis") is not None:
        raise NotExportable("a scale for each channel")


@emits("Multinomial")
def _(n: Any) -> str:
    count = n.get("sample_size", 1)
    return f"torch.multinomial({n.atom(0)}.exp(), {count}, replacement=True)"
