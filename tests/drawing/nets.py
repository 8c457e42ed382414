"""Nets to draw."""

from typing import Any

import gluonic as mx
from gluonic import gluon, nd
from gluonic import symbol as sym
from gluonic.drawing.drawing import Drawing
from gluonic.gluon import nn
from gluonic.gluon.model_zoo import vision


def lenet() -> nn.HybridSequential:
    net = nn.HybridSequential(prefix="lenet_")
    with net.name_scope():
        net.add(nn.Conv2D(20, 5, activation="relu"), nn.MaxPool2D(2, 2))
        net.add(nn.Conv2D(50, 5, activation="relu"), nn.MaxPool2D(2, 2))
        net.add(nn.Flatten(), nn.Dense(500, activation="relu"), nn.Dense(10))
    net.initialize()
    return net


class Attention(gluon.HybridBlock):
    """Several heads attend to all positions."""

    def __init__(self, units: int, heads: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.heads = heads
        with self.name_scope():
            self.query, self.key, self.value, self.out = (
                nn.Dense(units, flatten=False) for _ in range(4)
            )

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        def split(x: Any) -> Any:
            x = F.transpose(F.reshape(x, (0, 0, self.heads, -1)), (0, 2, 1, 3))
            return F.reshape(x, (-1, 0, 0), reverse=True)

        query, key, value = (split(layer(x)) for layer in (self.query, self.key, self.value))
        weights = F.softmax(F.batch_dot(query, key, transpose_b=True) / 4)
        y = F.reshape(F.batch_dot(weights, value), (-1, self.heads, 0, 0), reverse=True)
        return self.out(F.reshape(F.transpose(y, (0, 2, 1, 3)), (0, 0, -1)))


class EncoderLayer(gluon.HybridBlock):
    """Attention and two dense layers, each beside a way past it."""

    def __init__(self, units: int, heads: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.attention = Attention(units, heads)
            self.first, self.second = nn.LayerNorm(), nn.LayerNorm()
            self.wide = nn.Dense(4 * units, activation="relu", flatten=False)
            self.narrow = nn.Dense(units, flatten=False)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        x = self.first(x + self.attention(x))
        return self.second(x + self.narrow(self.wide(x)))


def encoder(layers: int = 6, units: int = 32) -> nn.HybridSequential:
    net = nn.HybridSequential(prefix="encoder_")
    with net.name_scope():
        net.add(nn.Embedding(100, units))
        for _ in range(layers):
            net.add(EncoderLayer(units, 4))
        net.add(nn.Dense(10))
    net.initialize()
    return net


class Detector(gluon.HybridBlock):
    """A single shot detector: at each of three sizes, boxes and classes."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.body, self.classes, self.boxes = (nn.HybridSequential() for _ in range(3))
            for width in (16, 32, 64):
                stage = nn.HybridSequential()
                for _ in range(2):
                    stage.add(nn.Conv2D(width, 3, padding=1), nn.BatchNorm(), nn.Activation("relu"))
                stage.add(nn.MaxPool2D(2))
                self.body.add(stage)
                self.classes.add(nn.Conv2D(4 * 3, 3, padding=1))
                self.boxes.add(nn.Conv2D(4 * 4, 3, padding=1))

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        anchors, classes, boxes = [], [], []
        for stage, of_class, of_box in zip(self.body, self.classes, self.boxes, strict=True):
            x = stage(x)
            anchors.append(F.contrib.MultiBoxPrior(x, sizes=(0.2, 0.3), ratios=(1, 2, 0.5)))
            classes.append(F.flatten(F.transpose(of_class(x), (0, 2, 3, 1))))
            boxes.append(F.flatten(F.transpose(of_box(x), (0, 2, 3, 1))))
        return (
            F.concat(*anchors, dim=1),
            F.reshape(F.concat(*classes, dim=1), (0, -1, 3)),
            F.concat(*boxes, dim=1),
        )


def detector() -> Detector:
    net = Detector(prefix="ssd_")
    net.initialize()
    return net


class _Identity(mx.operator.CustomOp):
    def forward(self, is_train: Any, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        self.assign(out_data[0], req[0], in_data[0])


@mx.operator.register("drawn_identity")
class _IdentityProp(mx.operator.CustomOpProp):
    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> _Identity:
        return _Identity()


class Loops(gluon.HybridBlock):
    """Control flow, and an operator in Python."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.first, self.second = nn.Dense(16), nn.Dense(4)

    def hybrid_forward(self, F: Any, x: Any, h: Any) -> Any:
        out, _ = F.contrib.foreach(lambda a, b: (F.tanh(a + b[0]), [F.sigmoid(a * b[0])]), x, [h])
        again, _ = F.contrib.while_loop(
            lambda i, z: F.sum(i) < 5,
            lambda i, z: (z, (i + 1, z * 2)),
            (F.zeros((1,)), h),
            max_iterations=6,
        )
        chosen = F.contrib.cond(F.sum(h) > 0, lambda: F.relu(h), lambda: -h)
        y = F.Custom(self.first(F.mean(out, axis=0)), op_type="drawn_identity")
        return self.second(y), chosen, again


def unrolled(steps: int = 20) -> sym.Symbol:
    cell = gluon.rnn.LSTMCell(16, prefix="lstm_")
    outputs, states = cell.unroll(steps, sym.var("data"), layout="NTC", merge_outputs=True)
    return sym.Group([outputs, *states])


def large(count: int = 10_000) -> sym.Symbol:
    """Units of four operators, one in seven of another kind."""
    x = sym.var("data")
    for i in range(count // 4):
        y = sym.FullyConnected(x, num_hidden=8, name=f"fc{i}")
        y = sym.Activation(y, act_type="relu", name=f"act{i}")
        z = sym.tanh(y, name=f"tanh{i}") if i % 7 else y * 2
        x = sym.elemwise_add(x, z, name=f"add{i}")
    return x


def drawings() -> dict[str, Drawing]:
    """The nets that every release's picture is looked at."""
    loops = Loops(prefix="loops_")
    loops.initialize()
    resnet, mobilenet = vision.resnet50_v1(prefix="resnet_"), vision.mobilenet1_0(prefix="mobile_")
    for net in (resnet, mobilenet):
        net.initialize()
    image = nd.zeros((1, 3, 64, 64))
    return {
        "lenet": lenet().plot(nd.zeros((1, 1, 28, 28))),
        "resnet50": resnet.plot(image),
        "resnet50-file": sym.load_json(resnet(sym.var("data")).tojson()).plot(
            shape={"data": (1, 3, 64, 64)}
        ),
        "mobilenet": mobilenet.plot(image),
        "transformer": encoder().plot(nd.zeros((2, 16))),
        "lstm": unrolled().plot(shape={"data": (4, 20, 8)}),
        "ssd": detector().plot(image),
        "control-flow": loops.plot(nd.ones((5, 2, 3)), nd.ones((2, 3))),
        "inception": _initialized(vision.inception_v3(prefix="inception_")).plot(
            nd.zeros((1, 3, 299, 299))
        ),
        "densenet": _initialized(vision.densenet121(prefix="dense_")).plot(
            nd.zeros((1, 3, 224, 224))
        ),
    }


def _initialized(net: Any) -> Any:
    net.initialize()
    return net
