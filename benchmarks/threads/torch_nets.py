"""The nets of `benchmarks.threads.nets` as modules of PyTorch; importing this needs torch."""

import importlib
from collections.abc import Callable
from typing import Any

torch: Any = importlib.import_module("torch")
nn = torch.nn


def _layer(channels: int, filters: int, kernel: int, stride: int = 1, groups: int = 1) -> list[Any]:
    """A convolution with its normalization."""
    around, settings = kernel // 2, {"groups": groups, "bias": False}
    convolution = nn.Conv2d(channels, filters, kernel, stride, around, **settings)
    return [convolution, nn.BatchNorm2d(filters)]


def _active(*sizes: int) -> list[Any]:
    return [*_layer(*sizes), nn.ReLU()]


def _stem() -> list[Any]:
    return [*_active(3, 64, 7, 2), nn.MaxPool2d(3, 2, 1)]


def _head(channels: int) -> list[Any]:
    return [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 1000)]


class Residual(nn.Module):  # type: ignore[misc, name-defined]
    """Layers, added to their input or to a convolution of it.

    Parameters
    ----------
    body : the layers
    channels, filters : the channels of its input and output
    stride : of the whole
    """

    def __init__(self, body: list[Any], channels: int, filters: int, stride: int) -> None:
        super().__init__()
        changes = stride != 1 or channels != filters
        self.body = nn.Sequential(*body)
        self.skip = nn.Sequential(*(_layer(channels, filters, 1, stride) if changes else []))

    def forward(self, x: Any) -> Any:
        """The sum, without what is negative."""
        return torch.relu(self.body(x) + self.skip(x))


class Chain(nn.Module):  # type: ignore[misc, name-defined]
    """Element-wise operators."""

    def forward(self, x: Any) -> Any:
        """Arithmetic and exponentials."""
        y = torch.tanh(x * 0.5 + 1.0)
        z = torch.sigmoid(y * x - 0.3)
        return torch.relu(z * y + torch.exp(-z * z)) * 0.7 + x


class Encoder(nn.Module):  # type: ignore[misc, name-defined]
    """A layer of a transformer's encoder.

    Parameters
    ----------
    units : the elements of a position
    heads : the number of heads
    """

    def __init__(self, units: int = 256, heads: int = 4) -> None:
        super().__init__()
        self.heads = heads
        self.dense = nn.ModuleList([nn.Linear(units, units) for _ in range(4)])
        self.norms = nn.ModuleList([nn.LayerNorm(units) for _ in range(2)])
        wide, narrow = nn.Linear(units, 4 * units), nn.Linear(4 * units, units)
        self.last = nn.Sequential(wide, nn.GELU(), narrow)

    def forward(self, x: Any) -> Any:
        """Attention, and two dense layers, each with a residual."""
        y, shape = self.norms[0](x), (*x.shape[:2], self.heads, -1)
        q, k, v = (dense(y).view(shape).transpose(1, 2) for dense in self.dense[:3])
        mixed = torch.softmax(q @ k.transpose(-1, -2) / 8.0, -1) @ v
        x = x + self.dense[3](mixed.transpose(1, 2).reshape(x.shape))
        return x + self.last(self.norms[1](x))


def resnet50() -> Any:
    """ResNet-50."""
    layers, channels = _stem(), 64
    for width, count, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for number in range(count):
            step = 1 if number else stride
            body = [*_active(channels, width, 1, step), *_active(width, width, 3)]
            body += _layer(width, 4 * width, 1)
            layers.append(Residual(body, channels, 4 * width, step))
            channels = 4 * width
    return nn.Sequential(*layers, *_head(channels))


def resnet18() -> Any:
    """ResNet-18."""
    layers, channels = _stem(), 64
    for width, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        for step in (stride, 1):
            body = [*_active(channels, width, 3, step), *_layer(width, width, 3)]
            layers.append(Residual(body, channels, width, step))
            channels = width
    return nn.Sequential(*layers, *_head(channels))


def mobilenet() -> Any:
    """MobileNet 1.0."""
    layers, channels = _active(3, 32, 3, 2), 32
    pairs = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5]
    for filters, stride in (*pairs, (1024, 2), (1024, 1)):
        layers += _active(channels, channels, 3, stride, channels) + _active(channels, filters, 1)
        channels = filters
    return nn.Sequential(*layers, *_head(channels))


NETS: dict[str, Callable[[], Any]] = {
    "resnet50": resnet50,
    "mobilenet": mobilenet,
    "resnet18 step": resnet18,
    "chain": Chain,
    "encoder": Encoder,
}
