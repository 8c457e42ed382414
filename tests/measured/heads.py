"""Gradients that output heads give though nothing flows into them: operators without gradient lie before."""

from __future__ import annotations

from typing import Any

import numpy as np

SCORES = np.array([[0.1, 0.5, 0.2], [0.7, 0.3, 0.4]], np.float32)
LABELS = np.array([0, 2], np.float32)

# operators that let no gradient pass, by name: from F and an array to a result
BARRIERS: dict[str, Any] = {
    "BlockGrad": lambda F, x: F.BlockGrad(x),
    "stop_gradient": lambda F, x: F.stop_gradient(x),
    "zeros_like": lambda F, x: F.zeros_like(x),
    "ones_like": lambda F, x: F.ones_like(x),
    "argmax": lambda F, x: F.argmax(x, axis=1),
    "argmin": lambda F, x: F.argmin(x, axis=1),
    "argsort": lambda F, x: F.argsort(x),
    "topk": lambda F, x: F.topk(x, k=2),
    "topk mask": lambda F, x: F.topk(x, k=2, ret_typ="mask"),
    "topk both, indices": lambda F, x: F.topk(x, k=2, ret_typ="both")[1],
    "shape_array": lambda F, x: F.shape_array(x),
    "size_array": lambda F, x: F.size_array(x),
    "arange_like": lambda F, x: F.contrib.arange_like(x, axis=1),
    "index_array": lambda F, x: F.contrib.index_array(x),
    "one_hot": lambda F, x: F.one_hot(F.argmax(x, axis=1), depth=3),
    "box_iou": lambda F, x: F.contrib.box_iou(
        F.concat(x, x, dim=1).slice_axis(axis=1, begin=0, end=4), F.ones((2, 4))
    ),
    "less": lambda F, x: x < 0.3,
    "greater": lambda F, x: x > F.ones((2, 3)) * 0.3,
    "equal": lambda F, x: F.broadcast_equal(x, F.ones((1, 3))),
    "not_equal": lambda F, x: x != 0.5,
    "logical_and": lambda F, x: F.broadcast_logical_and(x, F.ones((2, 3))),
    "logical_not": lambda F, x: F.logical_not(x),
    "sign": lambda F, x: F.sign(x),
    "round": lambda F, x: F.round(x),
    "rint": lambda F, x: F.rint(x),
    "ceil": lambda F, x: F.ceil(x),
    "floor": lambda F, x: F.floor(x),
    "trunc": lambda F, x: F.trunc(x),
    "fix": lambda F, x: F.fix(x),
    "condition of where": lambda F, x: F.where(x, F.ones((2, 3)), F.zeros((2, 3))),
    "indices of take": lambda F, x: F.take(F.ones((5, 2)), x),
    "indices of pick": lambda F, x: F.pick(F.ones((2, 3)), F.argmax(x, axis=1)),
    "indices of gather_nd": lambda F, x: F.gather_nd(F.ones((3, 3)), F.round(x)),
    "lengths of a mask": lambda F, x: F.SequenceMask(
        F.ones((4, 3)), x.slice_axis(axis=0, begin=0, end=1).reshape((3,)), use_sequence_length=True
    ),
    "uniform_like": lambda F, x: F.random.uniform_like(x),
    "limits of uniform": lambda F, x: F.random.uniform(x, x + 1),
    "mean of normal": lambda F, x: F.random.normal(x, x + 1),
    "shape_like of broadcast": lambda F, x: F.broadcast_like(F.ones((1, 3)), x),
    "shape_like of reshape": lambda F, x: F.reshape_like(F.ones((3, 2)), x),
    "shape_like of slice": lambda F, x: F.slice_like(F.ones((3, 4)), x),
    "BlockGrad of a logarithm": lambda F, x: F.BlockGrad(F.log(x * 0)),
    "BlockGrad of a product": lambda F, x: F.BlockGrad(F.dot(x, F.ones((3, 4)))),
}


def column(F: Any, y: Any) -> Any:
    """The labels of samples as numbers from 1 on, of shape (batch, 1)."""
    return F.expand_dims(y + 1, axis=1)


def target(F: Any, x: Any, y: Any) -> Any:
    """A number to be reached for each score."""
    return F.broadcast_like(column(F, y), x)


# output heads, by name: from F, scores and labels to a result
HEADS: dict[str, Any] = {
    "SoftmaxOutput": lambda F, x, y: F.SoftmaxOutput(x, y),
    "SoftmaxOutput, scaled": lambda F, x, y: F.SoftmaxOutput(
        x, y, grad_scale=0.5, normalization="batch"
    ),
    "MakeLoss": lambda F, x, y: F.MakeLoss(F.broadcast_mul(x * x, column(F, y))),
    "make_loss": lambda F, x, y: F.make_loss(F.broadcast_mul(x * x, column(F, y))),
    "LinearRegressionOutput": lambda F, x, y: F.LinearRegressionOutput(x, target(F, x, y)),
    "LogisticRegressionOutput": lambda F, x, y: F.LogisticRegressionOutput(x, target(F, x, y)),
    "MAERegressionOutput": lambda F, x, y: F.MAERegressionOutput(x, target(F, x, y)),
    "SVMOutput": lambda F, x, y: F.SVMOutput(x, y),
    "Custom without need": lambda F, x, y: F.Custom(
        F.broadcast_add(x, column(F, y)), op_type="measured_head_0"
    ),
    "Custom": lambda F, x, y: F.Custom(F.broadcast_add(x, column(F, y)), op_type="measured_head_1"),
}


def register(mx: Any) -> None:
    """Register operators whose gradient is 5, whatever flows in."""

    class Five(mx.operator.CustomOp):  # type: ignore[misc]
        def forward(self, is_train: Any, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
            self.assign(out_data[0], req[0], in_data[0])

        def backward(
            self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
        ) -> None:
            self.assign(in_grad[0], req[0], mx.nd.full(in_data[0].shape, 5))

    for need in (False, True):

        class Prop(mx.operator.CustomOpProp):  # type: ignore[misc]
            need_top_grad = need

            def __init__(self) -> None:
                super().__init__(need_top_grad=self.need_top_grad)

            def create_operator(self, ctx: Any, shapes: Any, dtypes: Any) -> Any:
                return Five()

        mx.operator.register(f"measured_head_{int(need)}")(Prop)


def computation(case: str) -> Any:
    """The result whose gradient is asked for, as a function of F, scores and labels."""
    kind, name = case.split(": ")
    if kind == "head":
        return lambda F, x, y: F.BlockGrad(HEADS[name](F, x, y))
    return lambda F, x, y: BARRIERS[name](F, F.SoftmaxOutput(x, y))


def run(mx: Any, case: str, way: str = "eager") -> Any:
    """The gradient of the scores.

    Parameters
    ----------
    way : eager, hybrid or symbol
    """
    function = computation(case)
    if way == "symbol":
        output = function(mx.sym, mx.sym.var("x"), mx.sym.var("y"))
        executor = output.simple_bind(mx.cpu(), x=SCORES.shape, y=LABELS.shape)
        executor.forward(is_train=True, x=mx.nd.array(SCORES), y=mx.nd.array(LABELS))
        executor.backward([mx.nd.ones(o.shape, dtype=o.dtype) for o in executor.outputs])
        return executor.grad_dict["x"]
    x, y = mx.nd.array(SCORES), mx.nd.array(LABELS)
    x.attach_grad()
    net = mx.gluon.nn.HybridLambda(function)
    if way == "hybrid":
        net.hybridize()
    with mx.autograd.record():
        output = net(x, y)
    output.backward()
    return x.grad


CASES = [*(f"behind: {name}" for name in BARRIERS), *(f"head: {name}" for name in HEADS)]


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    register(mx)
    return {case: lambda case=case: run(mx, case) for case in CASES}
