"""Monitors: which rows they have of an executor's runs, forward and backward, with sums of absolute values."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

# name: from `sym` to a symbol whose node is called "node", shapes of its arguments
NODES: dict[str, Any] = {
    "dense": (lambda s, a, b: s.FullyConnected(a, num_hidden=2, name="node"), {"a": (2, 3)}),
    "dense without bias": (
        lambda s, a, b: s.FullyConnected(a, num_hidden=2, no_bias=True, name="node"),
        {"a": (2, 3)},
    ),
    "batch norm": (
        lambda s, a, b: s.BatchNorm(a, fix_gamma=False, name="node"),
        {"a": (2, 3, 4, 4)},
    ),
    "convolution": (
        lambda s, a, b: s.Convolution(a, kernel=(2, 2), num_filter=2, name="node"),
        {"a": (1, 1, 3, 3)},
    ),
    "rectifier": (lambda s, a, b: s.Activation(a, act_type="relu", name="node"), {"a": (2, 3)}),
    "concatenation": (
        lambda s, a, b: s.Concat(a, b, dim=1, name="node"),
        {"a": (2, 2), "b": (2, 3)},
    ),
    "product": (lambda s, a, b: s.elemwise_mul(a, b, name="node"), {"a": (2, 2), "b": (2, 2)}),
    "product that repeats": (
        lambda s, a, b: s.broadcast_mul(a, b, name="node"),
        {"a": (2, 2), "b": (1, 2)},
    ),
    "matrices": (lambda s, a, b: s.dot(a, b, name="node"), {"a": (2, 2), "b": (2, 2)}),
    "exponential": (lambda s, a, b: s.exp(a, name="node"), {"a": (2, 2)}),
    "softmax": (lambda s, a, b: s.softmax(a, name="node"), {"a": (2, 2)}),
    "head": (lambda s, a, b: s.SoftmaxOutput(a, b, name="node"), {"a": (2, 3), "b": (2,)}),
}


def rows(monitor: Any, name: str = "node_") -> list[Any]:
    """What a monitor noted of a node, values as sums."""
    found = []
    for _, called, values in monitor.queue:
        if called.startswith(name):
            value = values[0] if isinstance(values, list) else values
            found.append([called, float(np.abs(value.asnumpy()).sum())])
    return found


def node(mx: Any, case: str) -> Any:
    """Run one operator forward and backward."""
    make, shapes = NODES[case]
    executor = make(mx.sym, mx.sym.var("a"), mx.sym.var("b")).simple_bind(mx.cpu(), **shapes)
    for value in executor.arg_dict.values():
        value[:] = (np.arange(value.size).reshape(value.shape) % 3) / 2 - 0.25
    monitor = mx.mon.Monitor(1, lambda x: x.copy())
    monitor.install(executor)
    monitor.tic()
    executor.forward(is_train=True)
    executor.backward([mx.nd.ones(output.shape) for output in executor.outputs])
    return rows(monitor)


def network(mx: Any) -> Any:
    """A small classifier in a module that is ready to be trained, and a batch."""
    x = mx.sym.Activation(
        mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="first"),
        act_type="relu",
        name="relu",
    )
    x = mx.sym.FullyConnected(x, num_hidden=2, name="second")
    module = mx.mod.Module(mx.sym.SoftmaxOutput(x, name="softmax"))
    module.bind([("data", (2, 4))], [("softmax_label", (2,))])
    module.init_params(mx.init.One())
    module.init_optimizer()
    return module, mx.io.DataBatch([mx.nd.ones((2, 4))], [mx.nd.array([0, 1])])


def trained(mx: Any, pattern: str, monitor_all: bool, is_train: bool) -> list[str]:
    """The names of a training step's rows, or of those of a prediction."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module, batch = network(mx)
        monitor = mx.mon.Monitor(1, pattern=pattern, monitor_all=monitor_all)
        module.install_monitor(monitor)
        monitor.tic()
        if is_train:
            module.forward_backward(batch)
            module.update()
        else:
            module.forward(batch, is_train=False)
        return [name for _, name, _ in monitor.toc() if "_backward_input" not in name]


def hooked(mx: Any, monitor_all: bool) -> list[str]:
    """The names that the hook of a hybridized net's operators is called with."""
    net = mx.gluon.nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(mx.gluon.nn.Dense(2, in_units=3), mx.gluon.nn.Activation("relu"))
    net.initialize()
    net.hybridize()
    names: list[str] = []
    net(mx.nd.ones((2, 3)))
    net.register_op_hook(lambda name, operator, array: names.append(as_text(name)), monitor_all)
    net(mx.nd.ones((2, 3))).wait_to_read()
    return [name for name in names if "dense" in name or "relu" in name]


def as_text(name: Any) -> str:
    """A name, which MXNet gives as bytes."""
    return name.decode() if isinstance(name, bytes) else str(name)


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    found: dict[str, Any] = {f"node: {case}": lambda case=case: node(mx, case) for case in NODES}
    for pattern in (".*", ".*weight.*", ".*backward.*"):
        for monitor_all in (False, True):
            for is_train in (False, True):
                if monitor_all and is_train and "backward" not in pattern:
                    continue  # MXNet also reports what gradients are computed from
                found[f"module: {pattern}, {monitor_all}, {is_train}"] = (
                    lambda p=pattern, m=monitor_all, t=is_train: trained(mx, p, m, t)
                )
    for monitor_all in (False, True):
        found[f"hook: {monitor_all}"] = lambda m=monitor_all: hooked(mx, m)
    return found
