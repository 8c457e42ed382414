"""Load librelu_lib.so and use its operators under autograd and in a hybridized net.

make relu_lib && python test_relu.py
"""

from typing import Any

import gluonic as mx
from gluonic import autograd, gluon, nd

mx.library.load("librelu_lib.so")

x = nd.array([[-2, -1, 0, 1, 2]])
x.attach_grad()
with autograd.record():
    y = nd.my_relu(x)
y.backward()
print("my_relu", y, "gradient", x.grad)

mx.random.seed(42)
print("my_noisy_relu", nd.my_noisy_relu(x, sigma=0.1))


class Net(gluon.HybridBlock):
    """A dense layer with the library's activation."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.dense = gluon.nn.Dense(4)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Run with F = nd or F = sym."""
        return F.my_relu(self.dense(x))


net = Net()
net.initialize(mx.init.One())
eager = net(x)
net.hybridize()
print("in a net", net(x))
assert (net(x).asnumpy() == eager.asnumpy()).all()
