"""Typical nets, on gluonic and on the real MXNet in turn: forward, and a training step with Adam.

usage: python -m benchmarks.nets [--mxnet PYTHON] [--only unet,generator] [--seconds 3]
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.in_turn import main

Make = Callable[[Any], Any]


def _layers(mx: Any, *layers: Any) -> Any:
    net = mx.gluon.nn.HybridSequential()
    net.add(*layers)
    return net


def _zoo(name: str) -> Make:
    return lambda mx: mx.gluon.model_zoo.vision.get_model(name, classes=100)


def _unet(mx: Any) -> Any:
    nn = mx.gluon.nn

    class UNet(mx.gluon.HybridBlock):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            conv = {"kernel_size": 3, "padding": 1, "activation": "relu"}
            with self.name_scope():
                self.first, self.last = nn.Conv2D(32, **conv), nn.Conv2D(32, **conv)
                self.deep = _layers(
                    mx, nn.MaxPool2D(2), nn.Conv2D(64, **conv), nn.Conv2D(64, **conv)
                )
                self.up, self.out = nn.Conv2DTranspose(32, 2, strides=2), nn.Conv2D(2, 1)

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            x = self.first(x)
            return self.out(self.last(F.concat(x, self.up(self.deep(x)), dim=1)))

    return UNet()


def _generator(mx: Any) -> Any:
    nn = mx.gluon.nn
    layers: list[Any] = []
    for channels, *window in ((256, 4, 1, 0), (128, 4, 2, 1), (64, 4, 2, 1)):
        transposed = nn.Conv2DTranspose(channels, *window, use_bias=False)
        layers += [transposed, nn.BatchNorm(), nn.Activation("relu")]
    last = nn.Conv2DTranspose(3, 4, 2, 1, use_bias=False)
    return _layers(mx, *layers, last, nn.Activation("tanh"))


def _convnext(mx: Any) -> Any:
    nn = mx.gluon.nn
    depthwise = nn.Conv2D(96, 7, padding=3, groups=96)
    return _layers(mx, depthwise, nn.Conv2D(384, 1), nn.GELU(), nn.Conv2D(96, 1))


def _normalized(mx: Any) -> Any:
    nn = mx.gluon.nn
    first, second = (nn.Conv2D(32, 3, padding=1) for _ in range(2))
    halves = [first, nn.InstanceNorm(), nn.Swish(), second, nn.GroupNorm(8), nn.ELU()]
    return _layers(mx, *halves, nn.GlobalAvgPool2D())


def _language(mx: Any) -> Any:
    nn = mx.gluon.nn
    recurrent = mx.gluon.rnn.LSTM(128, 2, layout="NTC")
    return _layers(mx, nn.Embedding(2000, 128), recurrent, nn.Dense(2000, flatten=False))


def _dilated(mx: Any) -> Any:
    nn = mx.gluon.nn
    layers = [nn.Conv1D(32, 2, dilation=2**i, activation="relu") for i in range(6)]
    return _layers(mx, *layers, nn.GlobalAvgPool1D())


def _volumes(mx: Any) -> Any:
    nn = mx.gluon.nn
    first, second = (nn.Conv3D(n, 3, padding=1, activation="relu") for n in (16, 32))
    return _layers(mx, first, nn.MaxPool3D(2), second, nn.GlobalAvgPool3D())


def _videos(mx: Any) -> Any:
    nn = mx.gluon.nn
    layers: list[Any] = []
    for channels, pool in ((64, (1, 2, 2)), (128, 2), (256, 0), (256, 2), (512, 0), (512, 2)):
        layers.append(nn.Conv3D(channels, 3, padding=1, activation="relu"))
        layers += [nn.MaxPool3D(pool, pool)] if pool else []
    return _layers(mx, *layers, nn.Dense(101))


def _feed_forward(mx: Any) -> Any:
    nn = mx.gluon.nn
    wide, narrow = (nn.Dense(units, flatten=False) for units in (2048, 512))
    return _layers(mx, nn.LayerNorm(), wide, nn.GELU(), nn.Dropout(0.1), narrow)


NETS: dict[str, tuple[Make, tuple[int, ...], int]] = {
    "mobilenet 1.0": (_zoo("mobilenet1.0"), (8, 3, 96, 96), 0),
    "resnet-50 v1": (_zoo("resnet50_v1"), (4, 3, 96, 96), 0),
    "densenet-121": (_zoo("densenet121"), (2, 3, 224, 224), 0),
    "squeezenet 1.0": (_zoo("squeezenet1.0"), (2, 3, 224, 224), 0),
    "u-net": (_unet, (2, 3, 128, 128), 0),
    "generator": (_generator, (16, 100, 1, 1), 0),
    "convnext block": (_convnext, (2, 96, 56, 56), 0),
    "instance and group norm": (_normalized, (8, 3, 64, 64), 0),
    "language model, LSTM": (_language, (16, 35), 2000),
    "bidirectional GRU": (
        lambda mx: mx.gluon.rnn.GRU(128, 2, bidirectional=True, layout="NTC"),
        (16, 40, 64),
        0,
    ),
    "feed-forward": (_feed_forward, (16, 64, 512), 0),
    "dilated signals": (_dilated, (8, 32, 512), 0),
    "volumes": (_volumes, (2, 3, 16, 32, 32), 0),
    "videos": (_videos, (1, 3, 16, 56, 56), 0),
}
"""Each with the shape of its input, and the size of the vocabulary if the input is words."""


def calls(mx: Any, name: str) -> dict[str, Callable[[], Any]]:
    """A net's forward call and its training step."""
    make, shape, words = NETS[name]
    random = np.random.default_rng(0)
    x = mx.nd.array(random.integers(0, words, shape) if words else random.normal(size=shape))
    net = make(mx)
    net.initialize(mx.init.Xavier())
    net.hybridize(static_alloc=True, static_shape=True, compile_at_once=True)
    net(x).wait_to_read()
    trainer = mx.gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 1e-3})

    def step() -> None:
        with mx.autograd.record():
            loss = (net(x) ** 2).mean()
        loss.backward()
        trainer.step(len(x))
        mx.nd.waitall()

    return {"forward": lambda: net(x).wait_to_read(), "step": step}


if __name__ == "__main__":
    main(__file__, __doc__, NETS, calls)
