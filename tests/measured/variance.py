"""`SVRGModule`: parameters, metrics and mean gradients after training."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np


def module(mx: Any, update_freq: int = 2, count: int = 30, contexts: int = 1) -> Any:
    """Return an iterator and a module, bound, with known parameters."""
    random = np.random.RandomState(1)
    data = random.randint(1, 5, [count, 2]).astype(np.float32)
    label = data.dot(np.array([1.0, 2.0], np.float32))
    batches = mx.io.NDArrayIter(data, label, batch_size=8, label_name="y_label")
    found = mx.sym.FullyConnected(mx.sym.Variable("data"), name="fc1", num_hidden=1)
    loss = mx.sym.LinearRegressionOutput(found, mx.sym.Variable("y_label"), name="lro")
    place = importlib.import_module(mx.__name__ + ".contrib.svrg_optimization.svrg_module")
    made = place.SVRGModule(
        loss,
        data_names=["data"],
        label_names=["y_label"],
        update_freq=update_freq,
        context=[mx.cpu(number) for number in range(contexts)],
    )
    made.bind(batches.provide_data, batches.provide_label)
    made.init_params(mx.init.One())
    return batches, made


def fit(mx: Any, epochs: int, **settings: Any) -> Any:
    """Train, and return what has become of it."""
    options = {
        name: settings.pop(name)
        for name in ("update_freq", "count", "contexts")
        if name in settings
    }
    batches, made = module(mx, **options)
    metric = mx.metric.create("mse")
    seen: list[Any] = []
    made.fit(
        batches,
        eval_metric=metric,
        num_epoch=epochs,
        batch_end_callback=lambda p: seen.append([p.epoch, p.nbatch, p.eval_metric.get()[1]]),
        **settings,
    )
    means = made._param_dict[0]
    return [made.get_params()[0], seen, {name: means[name] for name in sorted(means)}]


def by_hand(mx: Any) -> Any:
    """Train by single steps."""
    batches, made = module(mx)
    made.init_optimizer(optimizer="sgd", optimizer_params={"learning_rate": 0.02})
    for _ in range(2):
        made.update_full_grads(batches)
        batches.reset()
        for batch in batches:
            made.forward_backward(batch)
            made.update()
    return made.get_params()[0]


CASES: dict[str, Any] = {
    "sgd": lambda mx: fit(mx, 4, optimizer_params={"learning_rate": 0.02}),
    "momentum": lambda mx: fit(
        mx, 3, update_freq=1, optimizer_params=(("learning_rate", 0.01), ("momentum", 0.9))
    ),
    "adam": lambda mx: fit(
        mx, 3, count=32, optimizer="adam", optimizer_params={"learning_rate": 0.1}
    ),
    "no store": lambda mx: fit(mx, 3, kvstore=None, update_freq=3),
    "begun": lambda mx: fit(mx, 6, begin_epoch=2),
    "by hand": by_hand,
}


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    return {name: lambda run=run: run(mx) for name, run in CASES.items()}
