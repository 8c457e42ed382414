"""The cases of `benchmarks.coverage`: every layer, recurrent cell and loss, and the networks of the zoo."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from gluonic import nd
from gluonic.gluon import HybridBlock, loss, nn, rnn
from gluonic.gluon.model_zoo import vision

Shapes = Sequence[tuple[int, ...]]
Make = Callable[..., Any]


@dataclass(frozen=True)
class Case:
    """A net with inputs of two sizes.

    Attributes
    ----------
    name : such as ``Conv2D NHWC``
    make : makes the block
    small, medium : the shapes of its inputs
    dtype : of the inputs and of the parameters
    fill : makes an input, from its position and its shape
    """

    name: str
    make: Make
    small: Shapes
    medium: Shapes
    dtype: str = "float32"
    fill: Callable[[int, tuple[int, ...]], Any] | None = None

    def inputs(self, size: str) -> list[Any]:
        """Random inputs."""
        made = []
        for position, shape in enumerate(self.small if size == "small" else self.medium):
            fill = self.fill or normal
            made.append(nd.array(fill(position, shape), dtype=self.dtype))
        return made


def normal(position: int, shape: tuple[int, ...]) -> Any:
    """Random numbers."""
    return np.random.default_rng(position).standard_normal(shape)


def _labels(classes: int) -> Callable[[int, tuple[int, ...]], Any]:
    """The first input as scores, the others as numbers of classes."""

    def fill(position: int, shape: tuple[int, ...]) -> Any:
        if position == 0:
            return normal(position, shape)
        return np.random.default_rng(position).integers(0, classes, shape)

    return fill


def _indices(position: int, shape: tuple[int, ...]) -> Any:
    return np.random.default_rng(position).integers(0, 50, shape)


def _probabilities(position: int, shape: tuple[int, ...]) -> Any:
    return np.random.default_rng(position).random(shape) * 0.8 + 0.1


def _signs(position: int, shape: tuple[int, ...]) -> Any:
    return normal(position, shape) if position < 2 else np.sign(normal(position, shape))


class Unrolled(HybridBlock):
    """A cell over a sequence (batch, time, channels…)."""

    def __init__(self, cell: Any, steps: int) -> None:
        super().__init__()
        with self.name_scope():
            self.cell, self.steps = cell, steps

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """The outputs of all steps."""
        self.cell.reset()
        return self.cell.unroll(self.steps, x, layout="NTC", merge_outputs=True)[0]


def _layers() -> list[Case]:
    flat, wide = (8, 32), (64, 256)
    of_rows: dict[str, Make] = {
        "Dense": lambda: nn.Dense(32, activation="relu"),
        "Dropout": lambda: nn.Dropout(0.5),
        "LayerNorm": nn.LayerNorm,
        "GELU": nn.GELU,
        "SELU": nn.SELU,
        "ELU": nn.ELU,
        "Swish": nn.Swish,
        "LeakyReLU": lambda: nn.LeakyReLU(0.1),
        "PReLU": nn.PReLU,
    }
    for kind in ("relu", "sigmoid", "tanh", "softrelu", "softsign"):
        of_rows[f"Activation {kind}"] = partial(nn.Activation, kind)
    images, more = (2, 16, 8, 8), (8, 32, 28, 28)
    of_images: dict[str, Make] = {
        "BatchNorm": nn.BatchNorm,
        "BatchNorm axis=-1": lambda: nn.BatchNorm(axis=-1),
        "BatchNormReLU": nn.BatchNormReLU,
        "InstanceNorm": nn.InstanceNorm,
        "GroupNorm": lambda: nn.GroupNorm(4),
        "Flatten": nn.Flatten,
        "ReflectionPad2D": lambda: nn.ReflectionPad2D(1),
    }
    return [
        *(Case(name, make, [flat], [wide]) for name, make in of_rows.items()),
        *(Case(name, make, [images], [more]) for name, make in of_images.items()),
        Case("PReLU of channels", lambda: nn.PReLU(in_channels=16), [images], [(8, 16, 28, 28)]),
        Case("Embedding", lambda: nn.Embedding(50, 16), [(8,)], [(32, 64)], fill=_indices),
    ]


_EXTENTS: dict[int, tuple[tuple[int, ...], tuple[int, ...]]] = {
    1: ((16,), (256,)),
    2: ((10, 10), (28, 28)),
    3: ((6, 6, 6), (14, 14, 14)),
}
_LAST = {1: "NWC", 2: "NHWC", 3: "NDHWC"}


def _layers_of_rank(rank: int) -> dict[str, Make]:
    """The layers with windows of some axes; each takes a layout."""
    made = {
        f"Conv{rank}D": {"channels": 16, "kernel_size": 3, "padding": 1},
        f"Conv{rank}DTranspose": {"channels": 16, "kernel_size": 3, "strides": 2, "padding": 1},
        f"MaxPool{rank}D": {"pool_size": 3, "strides": 2, "padding": 1},
        f"AvgPool{rank}D": {"pool_size": 3, "strides": 2, "padding": 1},
        f"GlobalAvgPool{rank}D": {},
        f"GlobalMaxPool{rank}D": {},
    }
    return {name: partial(getattr(nn, name), **settings) for name, settings in made.items()}


def _windowed() -> list[Case]:
    cases = []
    for rank, (few, many) in _EXTENTS.items():
        layout = _LAST[rank]
        for name, make in _layers_of_rank(rank).items():
            small, medium = [(2, 8, *few)], [(4, 32, *many)]
            cases.append(Case(name, make, small, medium))
            cases.append(Case(f"{name} float64", make, small, medium, dtype="float64"))
            if layout == "NWC" and "Conv" in name:
                continue
            last = partial(make, layout=layout)
            cases.append(Case(f"{name} {layout}", last, [(2, *few, 8)], [(4, *many, 32)]))
    groups: dict[str, Make] = {
        "Conv2D groups": lambda: nn.Conv2D(16, 3, groups=4),
        "Conv1D depthwise": lambda: nn.Conv1D(32, 3, groups=32),
        "Conv1D dilated": lambda: nn.Conv1D(16, 3, dilation=2),
    }
    for name, make in groups.items():
        few, many = _EXTENTS[1 if "1D" in name else 2]
        cases.append(Case(name, make, [(2, 32, *few)], [(4, 32, *many)]))
    cases.append(Case("lp pooling", _LpPool, [(2, 8, 10, 10)], [(4, 32, 28, 28)]))
    return cases


class _LpPool(HybridBlock):
    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.Pooling(x, kernel=(2, 2), stride=(2, 2), pool_type="lp", p_value=2)


def _unrolled(make_cell: Make) -> Unrolled:
    return Unrolled(make_cell(), 5)


def _recurrent() -> list[Case]:
    cells: dict[str, Make] = {
        "RNNCell": lambda: rnn.RNNCell(32),
        "LSTMCell": lambda: rnn.LSTMCell(32),
        "GRUCell": lambda: rnn.GRUCell(32),
        "BidirectionalCell": lambda: rnn.BidirectionalCell(rnn.LSTMCell(32), rnn.LSTMCell(32)),
        "ResidualCell": lambda: rnn.ResidualCell(rnn.GRUCell(32)),
        "ZoneoutCell": lambda: rnn.ZoneoutCell(rnn.GRUCell(32), 0.1, 0.1),
        "DropoutCell": lambda: rnn.DropoutCell(0.2),
    }
    cases = [
        Case(name, partial(_unrolled, cell), [(2, 5, 32)], [(32, 5, 32)])
        for name, cell in cells.items()
    ]
    layers: dict[str, Make] = {
        "rnn.RNN": lambda: rnn.RNN(32),
        "rnn.LSTM": lambda: rnn.LSTM(32),
        "rnn.GRU": lambda: rnn.GRU(32),
        "rnn.LSTM bidirectional": lambda: rnn.LSTM(32, bidirectional=True),
        "rnn.LSTM two layers": lambda: rnn.LSTM(32, 2),
        "rnn.LSTM dropout": lambda: rnn.LSTM(32, 2, dropout=0.3),
    }
    return cases + [Case(name, make, [(5, 2, 32)], [(20, 32, 32)]) for name, make in layers.items()]


def _losses() -> list[Case]:
    rows, many = [(8, 10)] * 2, [(128, 100)] * 2
    cases = [
        Case(name, getattr(loss, name), rows, many, fill=fill)
        for name, fill in {
            "L1Loss": None,
            "L2Loss": None,
            "HuberLoss": None,
            "HingeLoss": None,
            "SquaredHingeLoss": None,
            "LogisticLoss": None,
            "SigmoidBCELoss": _probabilities,
            "KLDivLoss": _probabilities,
            "PoissonNLLLoss": _probabilities,
            "SDMLLoss": None,
        }.items()
    ]
    return [
        *cases,
        Case(
            "SoftmaxCELoss",
            loss.SoftmaxCELoss,
            [(8, 10), (8,)],
            [(128, 100), (128,)],
            fill=_labels(10),
        ),
        Case(
            "SoftmaxCELoss dense",
            lambda: loss.SoftmaxCELoss(sparse_label=False),
            rows,
            many,
            fill=_probabilities,
        ),
        Case("TripletLoss", loss.TripletLoss, [(8, 10)] * 3, [(128, 100)] * 3),
        Case(
            "CosineEmbeddingLoss",
            loss.CosineEmbeddingLoss,
            [*rows, (8,)],
            [*many, (128,)],
            fill=_signs,
        ),
        Case(
            "CTCLoss", loss.CTCLoss, [(2, 12, 10), (2, 3)], [(16, 40, 30), (16, 8)], fill=_labels(9)
        ),
    ]


_SMALLEST = {"inceptionv3": 299, "alexnet": 67, "squeezenet1.0": 224, "squeezenet1.1": 224}
ALL_MODELS = sorted(vision.FUNCTIONS)
MODELS = [
    *("alexnet", "densenet121", "inceptionv3", "mobilenet0.25", "mobilenetv2_0.25"),
    *("resnet18_v1", "resnet18_v2", "resnet50_v1", "resnet50_v2", "squeezenet1.0", "squeezenet1.1"),
    *("vgg11", "vgg11_bn"),
]


def models(names: Sequence[str]) -> list[Case]:
    """Networks for one image; in `small` it is the smallest that they take."""
    return [
        Case(
            name,
            partial(vision.get_model, name, classes=10),
            [(1, 3, *(_SMALLEST.get(name, 32 if "dense" not in name else 224),) * 2)],
            [(1, 3, *(_SMALLEST["inceptionv3"] if "incep" in name else 224,) * 2)],
        )
        for name in names
    ]


def layers() -> list[Case]:
    """All but the networks."""
    return [*_layers(), *_windowed(), *_recurrent(), *_losses()]
