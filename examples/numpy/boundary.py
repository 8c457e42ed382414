"""NumPy's interface: a net written by hand with mx.np, gradients by autograd, and the boundary it learns.

gluonic examples/numpy/boundary.py [--steps 300]
"""

import argparse

import mxnet as mx
from mxnet import autograd, np, npx

npx.set_np()

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--steps", type=int, default=300)
options = parser.parse_args()

mx.random.seed(8)


def moons(count):
    """Points of two interlocking half circles, and which of the two each belongs to."""
    label = np.random.randint(0, 2, (count,))
    angle = np.random.uniform(0, np.pi, (count,))
    side = 1 - 2 * label
    x = np.cos(angle) * side + label
    y = np.sin(angle) * side + 0.5 * label
    points = np.stack([x, y], axis=1) + np.random.normal(0, 0.1, (count, 2))
    return points, label.astype("float32")


def layer(inputs, outputs):
    """A weight and a bias."""
    return np.random.normal(0, inputs**-0.5, (inputs, outputs)), np.zeros((outputs,))


parameters = [*layer(2, 24), *layer(24, 24), *layer(24, 1)]
for parameter in parameters:
    parameter.attach_grad()


def score(x):
    """Above zero for points of the second half circle."""
    for weight, bias in zip(parameters[:-2:2], parameters[1:-2:2], strict=True):
        x = np.tanh(x @ weight + bias)
    return (x @ parameters[-2] + parameters[-1]).squeeze(-1)


for step in range(options.steps):
    points, label = moons(64)
    with autograd.record():
        value = score(points)
        error = (np.log1p(np.exp(-np.abs(value))) + npx.relu(value) - value * label).mean()
    error.backward()
    for parameter in parameters:
        parameter -= 0.5 * parameter.grad
    if step % 100 == 99:
        print(f"step {step + 1}: loss {error.item():.3f}")

points, label = moons(1000)
print(f"{((score(points) > 0) == (label > 0.5)).mean().item():.3f} of new points are right")
rows, columns = np.meshgrid(np.linspace(1.2, -0.8, 15), np.linspace(-1.2, 2.2, 60), indexing="ij")
inside = score(np.stack([columns, rows], axis=-1)) > 0
for row in inside.asnumpy():
    print("".join("#" if value else "." for value in row))
