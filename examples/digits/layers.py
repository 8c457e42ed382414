"""The two home-made parts of the demo's net: an operator written in Python, and a custom layer."""

from typing import Any

import numpy as np

import gluonic as mx


class Sigmoid(mx.operator.CustomOp):
    """The logistic function, computed with NumPy by the user's own code."""

    def forward(self, is_train: bool, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        x = in_data[0].asnumpy()
        self.assign(out_data[0], req[0], mx.nd.array(1 / (1 + np.exp(-x))))

    def backward(
        self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
    ) -> None:
        y, dy = out_data[0].asnumpy(), out_grad[0].asnumpy()
        self.assign(in_grad[0], req[0], mx.nd.array(dy * y * (1 - y)))


@mx.operator.register("digits_sigmoid")
class SigmoidProp(mx.operator.CustomOpProp):
    """What the framework has to know of `Sigmoid`; shapes and dtypes are those of the input."""

    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> Sigmoid:
        return Sigmoid()


class PythonSigmoid(mx.gluon.HybridBlock):
    """A layer that applies the operator written in Python."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.Custom(x, op_type="digits_sigmoid")


class Normalization(mx.gluon.HybridBlock):
    """Map the data to [0, 1], then apply a linear map and scale by a constant that is not trained.

    Parameters
    ----------
    hidden_units : number of output features
    scales : the constant, of shape (1,)
    """

    def __init__(self, hidden_units: int, scales: mx.nd.NDArray) -> None:
        super().__init__()
        self.hidden_units = hidden_units
        with self.name_scope():
            self.weights = self.params.get(
                "weights", shape=(hidden_units, 0), allow_deferred_init=True
            )
            self.scales = self.params.get(
                "scales",
                shape=scales.shape,
                init=mx.init.Constant(scales.asnumpy().tolist()),
                differentiable=False,
            )

    def hybrid_forward(self, F: Any, x: Any, weights: Any, scales: Any) -> Any:
        low, high = F.min(x), F.max(x)
        normalized = F.broadcast_div(F.broadcast_sub(x, low), F.broadcast_sub(high, low))
        mapped = F.FullyConnected(normalized, weights, num_hidden=self.hidden_units, no_bias=True)
        return F.broadcast_mul(scales, mapped)
