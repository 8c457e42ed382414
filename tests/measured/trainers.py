"""Trainers: their private members, which programs read, call and override, and what they call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def _net(mx: Any, *contexts: Any) -> Any:
    net = mx.gluon.nn.Dense(2, in_units=3, prefix="net_", weight_initializer="ones")
    net.initialize(ctx=list(contexts) or None)
    return net


def _trainer(mx: Any, net: Any, kind: Any = None, **settings: Any) -> Any:
    kind = mx.gluon.Trainer if kind is None else kind
    return kind(net.collect_params(), "sgd", {"learning_rate": 0.5, "momentum": 0.9}, **settings)


def _backward(mx: Any, net: Any) -> None:
    for ctx in net.weight.list_ctx():
        with mx.autograd.record():
            y = net(mx.nd.ones((4, 3), ctx=ctx))
        y.backward()


def _members(trainer: Any) -> dict[str, Any]:
    store = trainer._kvstore
    return {
        "params": [param.name for param in trainer._params],
        "param2idx": trainer._param2idx,
        "contexts": [str(ctx) for ctx in trainer._contexts],
        "scale": trainer._scale,
        "rescale_grad": trainer._optimizer.rescale_grad,
        "updaters": len(trainer._updaters),
        "states": [len(updater.states) for updater in trainer._updaters],
        "kvstore": store if store is None else store.type,
        "settings": {k: str(v) for k, v in trainer._kvstore_params.items()},
        "update_on_kvstore": trainer._update_on_kvstore,
        "kv_initialized": trainer._kv_initialized,
        "distributed": trainer._distributed,
        "params_to_init": [param.name for param in trainer._params_to_init],
        "sparse": [trainer._contains_sparse_weight, trainer._contains_sparse_grad],
        "knows its parameters": all(p._trainer is trainer for p in trainer._params),
        "optimizer's parameters": {
            i: p.name for i, p in sorted(trainer._optimizer.param_dict.items())
        },
        "fresh": [a._fresh_grad for p in trainer._params for a in p.list_data()],
    }


def _stages(
    contexts: Callable[[Any], list[Any]], **settings: Any
) -> Callable[[Any], dict[str, Any]]:
    """The members when the trainer is made, and after what is done to it."""

    def run(mx: Any) -> dict[str, Any]:
        net = _net(mx, *contexts(mx))
        trainer = _trainer(mx, net, **settings)
        found = {"made": _members(trainer)}
        _backward(mx, net)
        found["recorded"] = _members(trainer)
        trainer.step(4)
        found["stepped"] = _members(trainer)
        found["value"] = net.weight.list_data()
        net.weight.set_data(mx.nd.zeros((2, 3)))
        found["set"] = _members(trainer)
        trainer._reset_kvstore()
        found["reset"] = _members(trainer)
        trainer._init_kvstore()
        found["with a store"] = _members(trainer)
        trainer._init_params()
        found["initialized"] = _members(trainer)
        _backward(mx, net)
        trainer._check_and_rescale_grad(0.125)
        trainer._allreduce_grads()
        found["gradient"] = net.weight.list_grad()
        trainer._update()
        found["updated"] = _members(trainer)
        found["new value"] = net.weight.list_data()
        return found

    return run


def _overridden(mx: Any) -> dict[str, Any]:
    """What a step of a trainer calls: libraries of distributed training override it."""
    called: list[str] = []
    names = (
        *("_allreduce_grads", "_check_and_rescale_grad", "_init_kvstore", "_init_params"),
        *("_update", "_init_optimizer", "_check_contexts", "_reset_kvstore"),
    )

    def logged(name: str) -> Any:
        def method(self: Any, *args: Any, **kwargs: Any) -> Any:
            called.append(name)
            return getattr(mx.gluon.Trainer, name)(self, *args, **kwargs)

        return method

    kind = type("Logged", (mx.gluon.Trainer,), {name: logged(name) for name in names})
    net = _net(mx)
    trainer = _trainer(mx, net, kind)
    found = {"made": sorted(called)}
    for stage in ("first step", "second step"):
        _backward(mx, net)
        called.clear()
        trainer.step(4)
        found[stage] = sorted(called)
    _backward(mx, net)
    called.clear()
    trainer.allreduce_grads()
    found["summed up"] = sorted(called)
    called.clear()
    trainer.update(4)
    found["updated"] = sorted(called)
    return found


def _other_updaters(mx: Any) -> dict[str, Any]:
    """User-defined updaters replace those of a trainer."""
    seen: list[Any] = []

    class Half:
        def __init__(self, updater: Any) -> None:
            self.updater = updater

        def __call__(self, index: Any, grad: Any, weight: Any) -> None:
            seen.append([list(index), [g.shape for g in grad], [w.shape for w in weight]])
            self.updater(index, [g / 2 for g in grad], weight)

    net = _net(mx)
    trainer = _trainer(mx, net)
    trainer._updaters = [Half(updater) for updater in trainer._updaters]
    _backward(mx, net)
    trainer.step(4)
    return {
        "seen": seen,
        "value": net.weight.data(),
        "states": len(trainer._updaters[0].updater.states),
    }


def _scaled(mx: Any) -> dict[str, Any]:
    """Loss scaling writes gradients through the private members."""
    net = _net(mx)
    trainer = _trainer(mx, net)
    trainer._scale = 0.5
    _backward(mx, net)
    for grads in [p._grad for p in trainer._params if p._grad is not None]:
        for grad in grads:
            grad[:] *= trainer._scale
    trainer._scale = 1.0

    class Scaler:
        overflows = True

        def has_overflow(self, params: Any) -> bool:
            return self.overflows

    trainer._amp_loss_scaler = scaler = Scaler()
    trainer.step(4)
    found = {"overflow": net.weight.data().copy()}
    scaler.overflows = False
    trainer.step(4)
    found["none"] = net.weight.data()
    return found


def _refused(mx: Any) -> dict[str, Any]:
    net, two = _net(mx), _net(mx, mx.cpu(0), mx.cpu(1))
    trainer = _trainer(mx, net)
    storing = _trainer(mx, two, update_on_kvstore=True)
    _backward(mx, two)
    storing.step(4)
    attempts: dict[str, Callable[[], Any]] = {
        "stale": lambda: trainer.step(1),
        "summing up": lambda: storing.allreduce_grads(),
        "updating": lambda: storing.update(1),
        "contexts": lambda: mx.gluon.Trainer([net.weight, two.weight], "sgd"),
        "settings": lambda: mx.gluon.Trainer(
            net.collect_params(), mx.optimizer.SGD(), {"learning_rate": 1.0}
        ),
        "parameters": lambda: mx.gluon.Trainer([1], "sgd"),
        "no list": lambda: mx.gluon.Trainer(net.weight, "sgd"),
    }
    found = {}
    for name, attempt in attempts.items():
        try:
            attempt()
        except Exception as error:
            kinds = (AssertionError, ValueError, TypeError, RuntimeError, UserWarning)
            found[name] = [kind.__name__ for kind in kinds if isinstance(error, kind)]
    return found


def _one(mx: Any) -> list[Any]:
    return []


def _two(mx: Any) -> list[Any]:
    return [mx.cpu(0), mx.cpu(1)]


CASES: dict[str, Callable[[Any], dict[str, Any]]] = {
    "one context": _stages(_one),
    "no store": _stages(_one, kvstore=None),
    "store asked for": _stages(_one, kvstore="local", update_on_kvstore=False),
    "two contexts": _stages(_two),
    "two contexts, local": _stages(_two, kvstore="local"),
    "two contexts, own update": _stages(_two, update_on_kvstore=False),
    "overridden": _overridden,
    "other updaters": _other_updaters,
    "scaled": _scaled,
    "refused": _refused,
}


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    return {case: lambda case=case: CASES[case](mx) for case in CASES}
