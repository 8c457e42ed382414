"""Blocks: the names of their parts, how they are shown, collected, shared, summed up and written."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np


def _names(net: Any) -> dict[str, Any]:
    return {
        "prefix": net.prefix,
        "name": net.name,
        "parameters": list(net.collect_params()),
        "structure": list(net._collect_params_with_prefix()),
        "children": [child.prefix for child in net._children.values()],
        "dictionary": net.params.prefix,
    }


def _graph(mx: Any, net: Any, *inputs: Any) -> dict[str, Any]:
    symbol = net(*[mx.sym.var(name) for name in inputs or ("x",)])
    symbol = mx.sym.Group(list(symbol)) if isinstance(symbol, (list, tuple)) else symbol
    return {
        "arguments": symbol.list_arguments(),
        "states": symbol.list_auxiliary_states(),
        "outputs": symbol.list_outputs(),
        "internals": symbol.get_internals().list_outputs(),
    }


def _mlp(mx: Any, scope: bool = True, **settings: Any) -> Any:
    net = mx.gluon.nn.HybridSequential(**settings)
    dense = mx.gluon.nn.Dense
    with net.name_scope() if scope else contextlib.nullcontext():
        net.add(dense(4, activation="relu", in_units=3), dense(2, in_units=4))
    return net


def _residual(mx: Any) -> Any:
    class Residual(mx.gluon.HybridBlock):  # type: ignore[misc]
        def __init__(self, **settings: Any) -> None:
            super().__init__(**settings)
            with self.name_scope():
                self.body = _mlp(mx, prefix="body_")
                self.norm = mx.gluon.nn.BatchNorm(in_channels=2)
                self.scale = self.params.get("scale", shape=(1, 2), init="ones")

        def hybrid_forward(self, F: Any, x: Any, scale: Any) -> Any:
            y = F.broadcast_mul(self.norm(self.body(x)), scale)
            return F.relu(y) + F.sigmoid(y, name="gate"), F.sum(y) * 2

    return Residual


def _two(mx: Any, **settings: Any) -> dict[str, Any]:
    nets = [_mlp(mx, **settings) for _ in range(2)]
    return {"first": _names(nets[0]), "second": _names(nets[1]), "graph": _graph(mx, nets[1])}


def _scoped(mx: Any) -> dict[str, Any]:
    nn = mx.gluon.nn
    outer = nn.HybridSequential(prefix="outer_")
    with outer.name_scope():
        outer.add(nn.Dense(2), nn.Dense(2, prefix="own_"), nn.HybridSequential(prefix=""))
        with outer[2].name_scope():
            outer[2].add(nn.Dense(3), nn.Conv2D(2, 3))
        outer.add(nn.Dense(2), nn.Dropout(0.5), nn.Activation("tanh"), nn.LeakyReLU(0.1))
    return {**_names(outer), "inner": _names(outer[2])}


def _shared(mx: Any) -> dict[str, Any]:
    nn = mx.gluon.nn
    first = nn.Dense(2, in_units=2, prefix="first_")
    second = nn.Dense(2, in_units=2, params=first.params)
    third = nn.Dense(2, in_units=2, params=first.collect_params(), prefix="third_")
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(first, second, third)
    return {
        **_names(net),
        "second": _names(second),
        "third": _names(third),
        "one": first.weight is second.weight is third.weight,
        "graph": _graph(mx, net),
    }


def _kinds(mx: Any) -> dict[str, Any]:
    nn, rnn, loss = mx.gluon.nn, mx.gluon.rnn, mx.gluon.loss
    made = [
        nn.Conv2D(1, 1), nn.Conv1DTranspose(1, 1), nn.MaxPool2D(), nn.GlobalAvgPool2D(), nn.BatchNorm(),
        nn.LayerNorm(), nn.InstanceNorm(), nn.GroupNorm(), nn.Embedding(2, 2), nn.Flatten(),
        nn.Lambda("relu"), nn.HybridLambda("relu"), nn.Activation("relu"), nn.PReLU(), nn.ELU(),
        nn.SELU(), nn.GELU(), nn.Swish(), nn.Dropout(0.1), nn.ReflectionPad2D(1), rnn.LSTM(2),
        rnn.GRUCell(2), loss.L2Loss(), loss.SoftmaxCrossEntropyLoss(), nn.Sequential(),
    ]  # fmt: skip
    return {"prefixes": [block.prefix for block in made]}


def _residual_names(mx: Any) -> dict[str, Any]:
    net = _residual(mx)()
    return {**_names(net), **_graph(mx, net)}


def _selected(mx: Any, select: str) -> dict[str, Any]:
    return {"parameters": list(_residual(mx)(prefix="net_").collect_params(select))}


def _shown(mx: Any) -> dict[str, Any]:
    net = _residual(mx)(prefix="net_")
    return {"net": repr(net), "dense": repr(net.body[0]), "sequence": repr(_mlp(mx))}


def _shown_parameters(mx: Any) -> dict[str, Any]:
    net = _residual(mx)(prefix="net_")
    return {
        "all": repr(net.collect_params()),
        "own": repr(net.params),
        "one": repr(net.scale),
        "deferred": repr(mx.gluon.nn.Dense(3, prefix="d_").weight),
    }


def _summary(mx: Any, make: Callable[[], Any], *shape: int) -> dict[str, Any]:
    net = make()
    net.initialize()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        net.summary(mx.nd.ones(shape))
    lines = [line[:80].rstrip() for line in printed.getvalue().splitlines()]
    end = lines.index("-" * 80, 1) + 1  # gluonic goes on, and has more columns
    return {"printed": "\n".join(lines[:end])}


def _conv_net(mx: Any) -> Any:
    nn = mx.gluon.nn
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(nn.Conv2D(4, 3), nn.BatchNorm(), nn.MaxPool2D(), nn.Flatten())
        shared = nn.Dense(5, in_units=5)
        net.add(nn.Dense(5), shared, nn.Dense(5, in_units=5, params=shared.params), nn.Dropout(0.5))
    return net


def _exported(mx: Any) -> dict[str, Any]:
    net = _residual(mx)(prefix="net_")
    net.initialize()
    net.hybridize()
    net(mx.nd.ones((2, 3)))
    with tempfile.TemporaryDirectory() as folder:
        net.export(f"{folder}/net", epoch=3)
        files = sorted(path.name for path in Path(folder).iterdir())
        text = Path(folder, "net-symbol.json").read_text()
        saved = mx.nd.load(f"{folder}/net-0003.params")
    return {
        "files": files,
        "json": json.loads(text),
        "saved": {k: v.shape for k, v in saved.items()},
    }


def _inputs(mx: Any, count: int) -> dict[str, Any]:
    class Several(mx.gluon.HybridBlock):  # type: ignore[misc]
        def hybrid_forward(self, F: Any, x: Any, *others: Any) -> Any:
            for other in others:
                x = x + other
            return x

    net = Several(prefix="several_")
    net.hybridize()
    net(*[mx.nd.ones((2,)) for _ in range(count)])
    with tempfile.TemporaryDirectory() as folder:
        net.export(f"{folder}/net")
        document = json.loads(Path(folder, "net-symbol.json").read_text())
    return {"names": [node["name"] for node in document["nodes"]]}


def _applied(mx: Any) -> dict[str, Any]:
    visited: list[str] = []
    _residual(mx)(prefix="net_").apply(lambda block: visited.append(block.name))
    return {"visited": visited}


def _hooked(mx: Any) -> dict[str, Any]:
    net = _mlp(mx, prefix="net_")
    net.initialize()
    called: list[Any] = []
    net[0].register_forward_hook(lambda b, i, o: called.append(["after", b.name, type(i).__name__]))
    handle = net.register_forward_pre_hook(lambda b, i: called.append(["before", b.name, len(i)]))
    net(mx.nd.ones((1, 3)))
    handle.detach()
    net(mx.nd.ones((1, 3)))
    return {"called": called}


def _files(mx: Any) -> dict[str, Any]:
    net = _residual(mx)(prefix="net_")
    net.initialize()
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/net.params"
        net.save_parameters(path)
        found["structure"] = sorted(mx.nd.load(path))
        net.collect_params().save(path, strip_prefix="net_")
        found["stripped"] = sorted(mx.nd.load(path))
        shared = _conv_net(mx)
        shared.initialize()
        shared(mx.nd.ones((1, 1, 6, 6)))
        shared.save_parameters(path, deduplicate=True)
        found["once"] = sorted(mx.nd.load(path))
    return found


def _errors(mx: Any) -> dict[str, Any]:
    nn = mx.gluon.nn
    deferred, ready = nn.Dense(2), nn.Dense(2, in_units=2)
    deferred.initialize()

    def constant() -> Any:
        return mx.gluon.ParameterDict().get_constant("c")

    attempts: dict[str, Callable[[], Any]] = {
        "deferred": lambda: deferred.weight.data(),
        "uninitialized": lambda: ready.weight.data(),
        "uninitialized gradient": lambda: ready.weight.grad(),
        "no constant": constant,
        "child": lambda: nn.HybridSequential().add(nn.Sequential()),
        "attribute": lambda: setattr(_residual(mx)(), "norm", 3),
        "request": lambda: setattr(ready.weight, "grad_req", "writ"),
        "shape": lambda: setattr(ready.weight, "shape", (3, 3)),
        "two names": lambda: (
            nn.Dense(2, prefix="a_")
            .collect_params()
            .update(nn.Dense(2, prefix="a_").collect_params())
        ),
        "export": lambda: nn.Dense(2).export("net"),
        "no shape": lambda: mx.gluon.Parameter("w").initialize(),
    }
    found = {}
    for name, attempt in attempts.items():
        try:
            attempt()
        except Exception as error:
            kinds = (AssertionError, ValueError, TypeError, RuntimeError, KeyError)
            found[name] = [kind.__name__ for kind in kinds if isinstance(error, kind)]
    return found


CASES: dict[str, Callable[[Any], dict[str, Any]]] = {
    "numbered": lambda mx: _two(mx),
    "not scoped": lambda mx: _two(mx, scope=False),
    "prefixed": lambda mx: _two(mx, prefix="model_"),
    "no prefix": lambda mx: _two(mx, prefix=""),
    "scopes": _scoped,
    "shared": _shared,
    "kinds": _kinds,
    "user block": _residual_names,
    "select all": lambda mx: _selected(mx, ".*"),
    "select weights": lambda mx: _selected(mx, ".*weight"),
    "select two": lambda mx: _selected(mx, "net_scale|.*gamma"),
    "select beginning": lambda mx: _selected(mx, "net_body"),
    "select nothing": lambda mx: _selected(mx, "weight"),
    "shown": _shown,
    "shown parameters": _shown_parameters,
    "summary": lambda mx: _summary(mx, lambda: _mlp(mx), 2, 3),
    "summary of a convolutional net": lambda mx: _summary(mx, lambda: _conv_net(mx), 2, 1, 8, 8),
    "summary of a user block": lambda mx: _summary(mx, lambda: _residual(mx)(), 2, 3),
    "exported": _exported,
    "one input": lambda mx: _inputs(mx, 1),
    "three inputs": lambda mx: _inputs(mx, 3),
    "applied": _applied,
    "hooked": _hooked,
    "files": _files,
    "errors": _errors,
}


def run(mx: Any, case: str) -> dict[str, Any]:
    """Build something with names counted from zero."""
    np.random.seed(0)
    with mx.name.NameManager():
        return CASES[case](mx)


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    return {case: lambda case=case: run(mx, case) for case in CASES}
