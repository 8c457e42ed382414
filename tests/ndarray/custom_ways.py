"""Operators written in Python, made from functions, and the ways in which they are called."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd, sym
from gluonic.ndarray import NDArray
from gluonic.operator import CustomOp, CustomOpProp, register

Way = Callable[..., tuple[list[np.ndarray[Any, Any]], list[np.ndarray[Any, Any]]]]


class Sigmoid(CustomOp):
    def forward(
        self,
        is_train: bool,
        req: list[str],
        in_data: list[NDArray],
        out_data: list[NDArray],
        aux: list[NDArray],
    ) -> None:
        y = 1.0 / (1.0 + np.exp(-in_data[0].asnumpy()))
        self.assign(out_data[0], req[0], mx.nd.array(y, dtype=y.dtype))

    def backward(
        self,
        req: list[str],
        out_grad: list[NDArray],
        in_data: list[NDArray],
        out_data: list[NDArray],
        in_grad: list[NDArray],
        aux: list[NDArray],
    ) -> None:
        y = out_data[0]
        self.assign(in_grad[0], req[0], y * (1.0 - y) * out_grad[0])


@register("test_sigmoid")
class SigmoidProp(CustomOpProp):
    def create_operator(self, ctx: Any, in_shapes: list[Any], in_dtypes: list[Any]) -> CustomOp:
        return Sigmoid()


def define(
    name: str,
    forward: Callable[..., Any],
    backward: Callable[..., Any] | None = None,
    need_top_grad: bool = True,
    **methods: Callable[..., Any],
) -> type[CustomOpProp]:
    """Register an operator from functions: `forward` and `backward` of the op, the rest of the prop."""

    class Op(CustomOp):
        def forward(self, is_train: bool, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
            forward(self, is_train, req, in_data, out_data, aux)

        def backward(
            self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
        ) -> None:
            assert backward is not None
            backward(self, req, out_grad, in_data, out_data, in_grad, aux)

    class Prop(CustomOpProp):
        def __init__(self, **settings: str) -> None:
            super().__init__(need_top_grad)
            self.settings = settings

        def create_operator(self, ctx: Any, in_shapes: list[Any], in_dtypes: list[Any]) -> CustomOp:
            return Op()

    for method, function in methods.items():
        setattr(Prop, method, function)
    register(name)(Prop)
    return Prop


def note(seen: list[Any], value: Any) -> Any:
    """Append a value, within an expression."""
    seen.append(value)
    return value


class Net(gluon.HybridBlock):
    """One Custom operator; its inputs are the block's."""

    def __init__(self, settings: dict[str, Any]) -> None:
        super().__init__()
        self._settings = settings

    def hybrid_forward(self, F: Any, x: Any, *args: Any) -> Any:
        return F.Custom(x, *args, **self._settings)


def _arrays(values: Any) -> list[np.ndarray[Any, Any]]:
    return [v.asnumpy() for v in (values if isinstance(values, (list, tuple)) else [values])]


def _recorded(
    call: Callable[..., Any], inputs: Sequence[Any]
) -> tuple[list[np.ndarray[Any, Any]], list[np.ndarray[Any, Any]]]:
    arrays = [nd.array(x, dtype=x.dtype) for x in inputs]
    for array in arrays:
        array.attach_grad()
    with autograd.record():
        outputs = call(*arrays)
    results = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    heads = [nd.ones(r.shape, dtype=r.dtype) * (i + 2) for i, r in enumerate(results)]
    autograd.backward(list(results), heads)
    return _arrays(outputs), [a.grad.asnumpy() for a in arrays]


def eagerly(*inputs: Any, **settings: Any) -> Any:
    return _recorded(lambda *arrays: nd.Custom(*arrays, **settings), inputs)


def eagerly_again(*inputs: Any, **settings: Any) -> Any:
    eagerly(*inputs, **settings)
    return eagerly(*inputs, **settings)


def hybridized(*inputs: Any, **settings: Any) -> Any:
    net = Net(settings)
    net.hybridize()
    return _recorded(net, inputs)


def bound(*inputs: Any, **settings: Any) -> Any:
    names = [f"x{i}" for i in range(len(inputs))]
    symbol = sym.Custom(*map(sym.var, names), **settings)
    arrays = {n: nd.array(x, dtype=x.dtype) for n, x in zip(names, inputs, strict=True)}
    gradients = {n: nd.zeros_like(a) for n, a in arrays.items()}
    executor = symbol.bind(mx.cpu(), arrays, gradients)
    results = executor.forward(is_train=True)
    executor.backward([nd.ones(r.shape, dtype=r.dtype) * (i + 2) for i, r in enumerate(results)])
    return _arrays(results), [gradients[n].asnumpy() for n in names]


WAYS = [eagerly, eagerly_again, hybridized, bound]
every_way = pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
X = np.linspace(-2, 2, 6, dtype=np.float32).reshape(2, 3)


class CustomDense(gluon.HybridBlock):
    def __init__(self, units: int) -> None:
        super().__init__()
        self._units = units
        self.weight = self.params.get("weight", shape=(units, 0), allow_deferred_init=True)

    def hybrid_forward(self, F: Any, x: Any, weight: Any) -> Any:
        return F.Custom(x, weight, op_type="test_dense", units=self._units)


def define_dense() -> None:
    define(
        "test_dense",
        lambda op, train, req, x, y, aux: op.assign(y[0], req[0], nd.dot(x[0], x[1].T)),
        lambda op, req, dy, x, y, dx, aux: (
            op.assign(dx[0], req[0], nd.dot(dy[0], x[1])),
            op.assign(dx[1], req[1], nd.dot(dy[0].T, x[0])),
        ),
        list_arguments=lambda self: ["data", "weight"],
        infer_shape=lambda self, s: (
            [s[0], [int(self.settings["units"]), s[0][1]]],
            [[s[0][0], int(self.settings["units"])]],
        ),
    )


class Written(CustomOp):
    """Writes the length of a text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def forward(self, is_train: bool, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        self.assign(out_data[0], req[0], nd.array([len(self.text)]))
