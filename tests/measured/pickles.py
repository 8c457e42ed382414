"""Pickles that MXNet makes, each with what its object answers, and must answer once it is loaded here."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

_WEIGHTS = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)
_OPTIMIZERS: dict[str, dict[str, Any]] = {
    "SGD": {"momentum": 0.9, "wd": 0.01},
    "NAG": {"momentum": 0.9},
    "Signum": {"wd_lh": 0.01},
    "FTML": {},
    "DCASGD": {},
    "LBSGD": {"momentum": 0.5},
    "LARS": {"momentum": 0.5},
    "LAMB": {},
    "Adam": {"beta1": 0.8},
    "AdaGrad": {"eps": 1e-5},
    "RMSProp": {"centered": True},
    "AdaDelta": {"rho": 0.8},
    "Ftrl": {"lamda1": 0.1},
    "Adamax": {},
    "Nadam": {},
}
_INITIALIZERS = {
    "Zero": (), "One": (), "Constant": (2.5,), "Uniform": (0.1,), "Normal": (0.1,), "Orthogonal": (2.0,),
    "Xavier": ("gaussian", "in", 2), "MSRAPrelu": (), "Bilinear": (), "LSTMBias": (2.0,),
}  # fmt: skip


def _train(mx: Any, updater: Any, steps: int) -> Any:
    weight = mx.nd.array(_WEIGHTS)
    for step in range(steps):
        updater(0, mx.nd.array(_WEIGHTS * (step + 1)), weight)
    return weight


def _updater(mx: Any, name: str, **settings: Any) -> Any:
    updater = mx.optimizer.get_updater(mx.optimizer.create(name, learning_rate=0.1, **settings))
    _train(mx, updater, 2)
    return updater


def _next_weights(mx: Any, updater: Any) -> Any:
    return [_train(mx, updater, 2), updater.optimizer.num_update]


def _metric(mx: Any, name: str) -> Any:
    metric = mx.metric.create(name)
    metric.update([mx.nd.array([0, 1, 1])], [mx.nd.array([[0.9, 0.1], [0.2, 0.8], [0.7, 0.3]])])
    return metric


def _net(mx: Any) -> Any:
    nn = mx.gluon.nn
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(3, activation="relu"), nn.BatchNorm(), nn.Dense(2, use_bias=False))
    net.initialize(mx.init.One())
    net(mx.nd.array(_WEIGHTS))
    return net


def _symbol(mx: Any) -> Any:
    x = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=4, name="fc")
    return mx.sym.SoftmaxOutput(mx.sym.Activation(x, act_type="tanh", name="act"), name="out")


def _batch(mx: Any) -> Any:
    return mx.io.DataBatch([mx.nd.array(_WEIGHTS)], [mx.nd.array([1, 2])], pad=1)


def _made(mx: Any, make: Any, x: Any) -> Any:
    block = make(mx)
    block.initialize(mx.init.Constant(0.25))
    _output(mx, block, x)
    return block


def _output(mx: Any, block: Any, x: Any) -> Any:
    if hasattr(block, "unroll"):
        return block.unroll(x.shape[0], mx.nd.array(x), layout="TNC", merge_outputs=True)[0]
    return block(mx.nd.array(x, dtype=x.dtype))


_IMAGES = np.linspace(-1, 1, 72, dtype=np.float32).reshape(2, 1, 6, 6)
_STEPS = np.linspace(-1, 1, 24, dtype=np.float32).reshape(3, 2, 4)
_LAYERS: dict[str, tuple[Any, Any]] = {
    "Dense": (lambda mx: mx.gluon.nn.Dense(2, activation="tanh"), _WEIGHTS),
    "Conv2D": (lambda mx: mx.gluon.nn.Conv2D(2, 3, strides=2, activation="relu"), _IMAGES),
    "Conv2DTranspose": (lambda mx: mx.gluon.nn.Conv2DTranspose(1, 2), _IMAGES),
    "MaxPool2D": (lambda mx: mx.gluon.nn.MaxPool2D(), _IMAGES),
    "LayerNorm": (lambda mx: mx.gluon.nn.LayerNorm(), _WEIGHTS),
    "GroupNorm": (lambda mx: mx.gluon.nn.GroupNorm(1), _IMAGES),
    "Embedding": (lambda mx: mx.gluon.nn.Embedding(3, 2), np.array([0, 2], np.float32)),
    "PReLU": (lambda mx: mx.gluon.nn.PReLU(), _WEIGHTS),
    "GELU": (lambda mx: mx.gluon.nn.GELU(), _WEIGHTS),
    "LSTM": (lambda mx: mx.gluon.rnn.LSTM(2, bidirectional=True), _STEPS),
    "GRUCell": (lambda mx: mx.gluon.rnn.GRUCell(2), _STEPS),
    "ResidualCell": (lambda mx: mx.gluon.rnn.ResidualCell(mx.gluon.rnn.RNNCell(4)), _STEPS),
    "PixelShuffle1D": (lambda mx: mx.gluon.contrib.nn.PixelShuffle1D(2), _STEPS.transpose(0, 2, 1)),
    "CropResize": (
        lambda mx: mx.gluon.data.vision.transforms.CropResize(1, 1, 2, 2),
        np.arange(27, dtype=np.uint8).reshape(3, 3, 3),
    ),
}
Make = Any
OBJECTS: dict[str, tuple[Make, Make]] = {
    **{
        f"array {dtype}": (
            lambda mx, d=dtype: mx.nd.array(_WEIGHTS * 3, dtype=d),
            lambda mx, x: [x, str(x.dtype)],
        )
        for dtype in ("float32", "float64", "float16", "int32", "uint8", "int8", "int64")
    },
    "list of arrays": (lambda mx: [mx.nd.ones((2,)), {"a": mx.nd.zeros((1, 2))}], lambda mx, x: x),
    "symbol": (
        _symbol,
        lambda mx, x: [x.list_arguments(), x.infer_shape(data=(2, 3))[0], x.attr_dict()],
    ),
    "context": (lambda mx: mx.cpu(1), lambda mx, x: [str(x), x == mx.cpu(1)]),
    **{
        f"optimizer {name}": (
            lambda mx, n=name, s=settings: _updater(mx, n, **s).optimizer,
            lambda mx, x: _next_weights(mx, mx.optimizer.get_updater(x)),
        )
        for name, settings in _OPTIMIZERS.items()
    },
    "scheduled optimizer": (
        lambda mx: (
            _updater(mx, "sgd", lr_scheduler=mx.lr_scheduler.FactorScheduler(1, 0.5)).optimizer
        ),
        lambda mx, x: _next_weights(mx, mx.optimizer.get_updater(x)),
    ),
    "updater": (lambda mx: _updater(mx, "adam"), _next_weights),
    **{
        f"initializer {name}": (
            lambda mx, n=name, a=a: getattr(mx.init, n)(*a),
            lambda mx, x: x.dumps(),
        )
        for name, a in _INITIALIZERS.items()
    },
    "schedule": (
        lambda mx: mx.lr_scheduler.MultiFactorScheduler([3, 5], 0.1, base_lr=1.0, warmup_steps=2),
        lambda mx, x: [x(i) for i in range(8)],
    ),
    "cosine schedule": (
        lambda mx: mx.lr_scheduler.CosineScheduler(10, base_lr=1.0),
        lambda mx, x: [x(i) for i in range(12)],
    ),
    **{
        f"metric {n}": (lambda mx, n=n: _metric(mx, n), lambda mx, x: x.get())
        for n in ("acc", "ce", "f1")
    },
    "loss": (
        lambda mx: mx.gluon.loss.HuberLoss(rho=0.5),
        lambda mx, x: x(mx.nd.array(_WEIGHTS), mx.nd.zeros((2, 3))),
    ),
    "transform": (
        lambda mx: mx.gluon.data.vision.transforms.Normalize(0.5, 2.0),
        lambda mx, x: x(mx.nd.ones((3, 2, 2))),
    ),
    "transforms": (
        lambda mx: mx.gluon.data.vision.transforms.Compose(
            [
                mx.gluon.data.vision.transforms.ToTensor(),
                mx.gluon.data.vision.transforms.Cast("float64"),
            ]
        ),
        lambda mx, x: x(mx.nd.ones((2, 2, 3), dtype="uint8")),
    ),
    "net": (_net, lambda mx, x: [x(mx.nd.array(_WEIGHTS)), sorted(x.collect_params()), str(x)]),
    **{
        f"layer {name}": (
            lambda mx, make=make, x=x: _made(mx, make, x),
            lambda mx, block, x=x: [_output(mx, block, x), str(block)],
        )
        for name, (make, x) in _LAYERS.items()
    },
    "parameter": (
        lambda mx: _net(mx)[0].weight,
        lambda mx, x: [x.name, x.data(), list(x.shape), x.grad_req],
    ),
    "description": (
        lambda mx: mx.io.DataDesc("data", (2, 3), layout="NC"),
        lambda mx, x: [str(x), x.layout],
    ),
    "batch": (_batch, lambda mx, x: [x.data, x.label, x.pad]),
    "data set": (
        lambda mx: mx.gluon.data.ArrayDataset(_WEIGHTS.tolist(), mx.nd.array([1, 2])),
        lambda mx, x: [len(x), x[1]],
    ),
    "samplers": (
        lambda mx: mx.gluon.data.BatchSampler(mx.gluon.data.SequentialSampler(5), 2, "keep"),
        lambda mx, x: list(x),
    ),
    "classes": (
        lambda mx: [mx.gluon.nn.Dense, mx.nd.NDArray, mx.init.Xavier, mx.MXNetError, mx.metric.F1],
        lambda mx, x: [kind.__name__ for kind in x],
    ),
}


def answers(mx: Any, case: str, pickled: str) -> Any:
    """What the object of a pickle answers."""
    return OBJECTS[case][1](mx, pickle.loads(bytes.fromhex(pickled)))


def cases(mx: Any) -> dict[str, Any]:
    """A case an object: its pickle, and its answers."""

    def run(name: str) -> Any:
        mx.random.seed(0)
        pickled = pickle.dumps(OBJECTS[name][0](mx)).hex()
        return [pickled, answers(mx, name, pickled)]

    return {name: lambda name=name: run(name) for name in OBJECTS}
