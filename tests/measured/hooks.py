"""Which methods that a program overrides are called, of optimizers, metrics, iterators, modules and others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

_OPTIMIZERS = (
    *("SGD", "Adam", "NAG", "RMSProp", "AdaGrad", "Signum", "Ftrl", "LAMB", "LARS", "SGLD"),
    *("FTML", "DCASGD", "AdaDelta", "Adamax", "Nadam"),
)
_STEPS = (
    *("update", "update_multi_precision", "create_state", "create_state_multi_precision"),
    *("_get_lr", "_get_wd", "_get_lrs", "_get_wds", "_update_count", "_set_current_context"),
)
_OF_METRIC = (
    *("update", "update_dict", "get", "get_name_value", "get_global", "get_global_name_value"),
    *("reset", "reset_local"),
)
_OF_INITIALIZER = (
    *("__call__", "_init_weight", "_init_bias", "_init_gamma", "_init_beta", "_init_default"),
    *("_init_zero", "_init_one", "init_weight", "_legacy_init"),
)
_OF_ITERATOR = (
    *("next", "__next__", "__iter__", "reset", "iter_next", "getdata", "getlabel", "getpad"),
    "getindex",
)
_OF_TRAINER = (
    *("step", "update", "allreduce_grads", "_allreduce_grads", "_update", "_init_kvstore"),
    *("_init_params", "_init_optimizer", "_check_contexts", "_row_sparse_pull"),
)
_OF_MODULE = (
    *("bind", "init_params", "init_optimizer", "forward", "backward", "forward_backward", "update"),
    *("update_metric", "prepare", "get_outputs", "get_params", "set_params", "score", "fit"),
    *("predict", "install_monitor", "iter_predict", "save_checkpoint"),
)


def _watched(base: type, names: tuple[str, ...], called: set[str]) -> Any:
    """A class whose methods note that they are called."""

    def method(name: str) -> Callable[..., Any]:
        def call(self: Any, *args: Any, **keywords: Any) -> Any:
            called.add(name)
            return getattr(super(made, self), name)(*args, **keywords)

        return call

    made = type("Mine", (base,), {n: method(n) for n in names if hasattr(base, n)})
    return made


def _trained(mx: Any, optimizer: Any, **settings: Any) -> Any:
    half = getattr(optimizer, "multi_precision", False)
    weight = mx.gluon.Parameter("weight", shape=(2, 3), dtype="float16" if half else "float32")
    weight.initialize(mx.init.One(), ctx=[mx.cpu(0), mx.cpu(1)][: settings.pop("devices", 1)])
    found = mx.gluon.ParameterDict()
    found.update({"weight": weight})
    trainer = settings.pop("kind", mx.gluon.Trainer)(found, optimizer, **settings)
    with mx.autograd.record():
        losses = [(array * 2).sum() for array in weight.list_data()]
    mx.autograd.backward(losses)
    trainer.step(4)
    return trainer


def _module(mx: Any, kind: Any = None) -> Any:
    data = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")
    symbol = mx.sym.SoftmaxOutput(
        mx.sym.BatchNorm(data, fix_gamma=False, name="bn"), name="softmax"
    )
    return (kind or mx.mod.Module)(symbol, context=mx.cpu())


def _data(mx: Any, kind: Any = None) -> Any:
    images, labels = np.ones((6, 3), np.float32), np.array([0, 1] * 3, np.float32)
    return (kind or mx.io.NDArrayIter)(images, labels, batch_size=2)


def _optimizer(mx: Any, called: set[str], name: str) -> None:
    _trained(mx, _watched(getattr(mx.optimizer, name), _STEPS, called)())


def _optimizer_of(mx: Any, called: set[str], how: str) -> None:
    kind = _watched(mx.optimizer.SGD, _STEPS, called)
    if how == "half":
        _trained(mx, kind(multi_precision=True))
    elif how == "momentum":
        _trained(mx, kind(momentum=0.9), update_on_kvstore=False)
    elif how == "module":
        _module(mx).fit(_data(mx), num_epoch=1, optimizer=kind())
    else:
        mx.optimizer.get_updater(kind())(0, mx.nd.ones(2), mx.nd.ones(2))


def _metric(mx: Any, called: set[str], how: str) -> None:
    metric = _watched(mx.metric.Accuracy, _OF_METRIC, called)()
    if how == "fit":
        _module(mx).fit(_data(mx), eval_data=_data(mx), num_epoch=1, eval_metric=metric)
    elif how == "speedometer":
        shown = mx.callback.Speedometer(2, 1, auto_reset=True)
        _module(mx).fit(_data(mx), num_epoch=1, eval_metric=metric, batch_end_callback=shown)
    else:
        both = mx.metric.CompositeEvalMetric([metric])
        both.update([mx.nd.ones(2)], [mx.nd.ones((2, 2))])
        both.reset()
        both.get_name_value()


def _initializer(mx: Any, called: set[str], how: str) -> None:
    made = _watched(mx.init.Xavier, _OF_INITIALIZER, called)(rnd_type="uniform")
    if how == "net":
        net = mx.gluon.nn.HybridSequential()
        net.add(mx.gluon.nn.Dense(2, in_units=3), mx.gluon.nn.BatchNorm(in_channels=2))
        net.initialize(made)
    elif how == "mixed":
        mx.init.Mixed([".*"], [made])("fc_weight", mx.nd.zeros((2, 3)))
    else:
        module = _module(mx)
        module.bind(_data(mx).provide_data, _data(mx).provide_label)
        module.init_params(made)


def _iterator(mx: Any, called: set[str], how: str) -> None:
    data = _data(mx, _watched(mx.io.NDArrayIter, _OF_ITERATOR, called))
    if how == "fit":
        _module(mx).fit(data, num_epoch=1)
    elif how == "resize":
        list(mx.io.ResizeIter(data, 2))
    else:
        list(mx.io.PrefetchingIter(data))


def _trainer(mx: Any, called: set[str], how: str) -> None:
    kind = _watched(mx.gluon.Trainer, _OF_TRAINER, called)
    _trained(mx, "sgd", kind=kind, devices=2, update_on_kvstore=how == "store")


def _modules(mx: Any, called: set[str], how: str) -> None:
    module = _module(mx, _watched(mx.mod.Module, _OF_MODULE, called))
    if how == "fit":
        module.fit(_data(mx), eval_data=_data(mx), num_epoch=1)
    else:
        module.bind(_data(mx).provide_data, _data(mx).provide_label, for_training=False)
        module.init_params()
        module.predict(_data(mx))
        module.score(_data(mx), "acc")


_KINDS: dict[str, tuple[Callable[..., None], tuple[str, ...]]] = {
    "optimizer": (_optimizer, _OPTIMIZERS),
    "SGD": (_optimizer_of, ("half", "momentum", "module", "updater")),
    "metric": (_metric, ("fit", "speedometer", "composite")),
    "initializer": (_initializer, ("net", "mixed", "module")),
    "iterator": (_iterator, ("fit", "resize", "prefetching")),
    "trainer": (_trainer, ("store", "apart")),
    "module": (_modules, ("fit", "predict")),
}
CASES = {f"{kind} {how}": (run, how) for kind, (run, ways) in _KINDS.items() for how in ways}


def run(mx: Any, case: str) -> list[str]:
    """Return the names of the methods that were called."""
    call, how = CASES[case]
    called: set[str] = set()
    call(mx, called, how)
    return sorted(called)


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    return {case: lambda case=case: run(mx, case) for case in CASES}
