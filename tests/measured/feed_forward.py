"""Estimators before modules: trained on given batches from given parameters."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np


def _normal(*shape: int) -> Any:
    return np.round(np.random.RandomState(sum(shape)).randn(*shape), 3).astype(np.float32)


SHAPES = {
    "a_weight": (8, 4), "a_bias": (8,), "b_gamma": (8,), "b_beta": (8,), "c_weight": (2, 8), "c_bias": (2,),
}  # fmt: skip
DATA = _normal(50, 4)
LABELS = (DATA[:, 0] + DATA[:, 1] > 0).astype(np.float32)

CASES: dict[str, dict[str, Any]] = {
    "plain": {},
    "short epochs": {"epoch_size": 3},
    "adam": {"optimizer": "adam"},
    "later epochs": {"begin_epoch": 2, "momentum": 0.9},
}


def network(mx: Any) -> Any:
    """A classifier of four numbers."""
    net = mx.sym.FullyConnected(mx.sym.Variable("data"), num_hidden=8, name="a")
    net = mx.sym.BatchNorm(mx.sym.Activation(net, act_type="tanh"), fix_gamma=False, name="b")
    net = mx.sym.FullyConnected(net, num_hidden=2, name="c")
    return mx.sym.SoftmaxOutput(net, name="softmax")


def parameters(mx: Any) -> dict[str, Any]:
    """Where training starts."""
    return {name: mx.nd.array(0.3 * _normal(*shape)) for name, shape in SHAPES.items()}


def made(mx: Any, **settings: Any) -> Any:
    """An estimator."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return mx.model.FeedForward(network(mx), **settings)


def run(mx: Any, case: str) -> dict[str, Any]:
    """Train for three epochs, and use what was trained."""
    batches = mx.io.NDArrayIter(DATA, LABELS, 20)
    told: list[Any] = []
    states = {"b_moving_mean": mx.nd.zeros((8,)), "b_moving_var": mx.nd.ones((8,))}
    settings = {"num_epoch": 3, "learning_rate": 0.1, "numpy_batch_size": 20, **CASES[case]}
    model = made(mx, arg_params=parameters(mx), aux_params=states, **settings)
    model.fit(
        batches,
        eval_data=(DATA[:40], LABELS[:40]),
        batch_end_callback=lambda given: told.append([given.epoch, given.nbatch]),
        epoch_end_callback=lambda epoch, symbol, args, aux: told.append(
            [epoch, sorted(args), sorted(aux)]
        ),
        eval_batch_end_callback=lambda given: told.append(["eval", given.epoch]),
    )
    outputs, data, labels = model.predict(batches, num_batch=2, return_data=True)
    return {
        "told": told,
        "outputs": model.predict(batches),
        "some": [outputs, data, labels],
        "of an array": model.predict(DATA[:7]),
        "score": model.score(batches),
        "parameters": {name: model.arg_params[name] for name in SHAPES},
    }


def initialized(mx: Any) -> Any:
    """The names of what is made for inputs of given shapes."""
    return made(mx)._init_params([("data", (5, 4)), ("softmax_label", (5,))])


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    trained = {case: lambda case=case: run(mx, case) for case in CASES}
    return {**trained, "names": lambda: initialized(mx)}
