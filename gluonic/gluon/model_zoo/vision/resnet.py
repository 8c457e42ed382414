"""Residual networks (He et al., 2016): version 1 normalizes after convolutions, version 2 before."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from gluonic.gluon import nn
from gluonic.gluon.hybrid import HybridBlock
from gluonic.gluon.model_zoo.vision.classifier import Classifier, with_pretrained
from gluonic.graph.attributes import Positive
from gluonic.graph.errors import AttributeValueError

__all__ = [
    "BasicBlockV1",
    "BasicBlockV2",
    "BottleneckV1",
    "BottleneckV2",
    "ResNetV1",
    "ResNetV2",
    "get_resnet",
    "resnet18_v1",
    "resnet18_v2",
    "resnet34_v1",
    "resnet34_v2",
    "resnet50_v1",
    "resnet50_v2",
    "resnet101_v1",
    "resnet101_v2",
    "resnet152_v1",
    "resnet152_v2",
]


def _conv3x3(channels: int, stride: int, in_channels: int) -> nn.Conv2D:
    return nn.Conv2D(channels, 3, stride, 1, use_bias=False, in_channels=in_channels)


class _BlockV1(HybridBlock):
    """Convolutions in parallel with a shortcut, then a rectifier.

    Parameters
    ----------
    channels : number of output channels
    stride : how much the image shrinks
    downsample : whether the shortcut is a convolution
    in_channels : number of input channels
    kwargs : see `Block`
    """

    _shortcut_first: ClassVar[bool] = False  # the order of the summands in MXNet's graphs

    def __init__(
        self,
        channels: int,
        stride: int,
        downsample: bool = False,
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.body = nn.HybridSequential(prefix="")
        for position, layer in enumerate(self._convolutions(channels, stride, in_channels)):
            if position:
                self.body.add(nn.Activation("relu"))
            self.body.add(layer(), nn.BatchNorm())
        self.downsample = None
        if downsample:
            self.downsample = nn.HybridSequential(prefix="")
            self.downsample.add(
                nn.Conv2D(channels, 1, stride, use_bias=False, in_channels=in_channels),
                nn.BatchNorm(),
            )

    def _convolutions(
        self, channels: int, stride: int, in_channels: int
    ) -> Sequence[Callable[[], nn.Conv2D]]:
        raise NotImplementedError

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Add the shortcut to the convolutions and rectify."""
        out = self.body(x)
        shortcut = x if self.downsample is None else self.downsample(x)
        total = shortcut + out if self._shortcut_first else out + shortcut
        return F.Activation(total, act_type="relu")


class BasicBlockV1(_BlockV1):
    """Two 3×3 convolutions; the parameters are those of `BottleneckV1`."""

    _shortcut_first = True

    def _convolutions(
        self, channels: int, stride: int, in_channels: int
    ) -> Sequence[Callable[[], nn.Conv2D]]:
        return (
            lambda: _conv3x3(channels, stride, in_channels),
            lambda: _conv3x3(channels, 1, channels),
        )


class BottleneckV1(_BlockV1):
    """A 1×1 convolution to a fourth of the channels, a 3×3 and a 1×1 convolution.

    Parameters
    ----------
    channels : number of output channels
    stride : how much the image shrinks, at the first convolution
    downsample : whether the shortcut is a convolution
    in_channels : number of input channels
    kwargs : see `Block`
    """

    def _convolutions(
        self, channels: int, stride: int, in_channels: int
    ) -> Sequence[Callable[[], nn.Conv2D]]:
        narrow = channels // 4
        return (
            lambda: nn.Conv2D(narrow, 1, stride),
            lambda: _conv3x3(narrow, 1, narrow),
            lambda: nn.Conv2D(channels, 1, 1),
        )


class _BlockV2(HybridBlock):
    """Convolutions, each after normalization and a rectifier, in parallel with a shortcut."""

    _depth: ClassVar[int]

    def _add_downsample(
        self, channels: int, stride: int, downsample: bool, in_channels: int
    ) -> None:
        self.downsample = (
            nn.Conv2D(channels, 1, stride, use_bias=False, in_channels=in_channels)
            if downsample
            else None
        )

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Add the shortcut to the convolutions."""
        shortcut = x
        for number in range(1, self._depth + 1):
            x = F.Activation(getattr(self, f"bn{number}")(x), act_type="relu")
            if number == 1 and self.downsample is not None:
                shortcut = self.downsample(x)
            x = getattr(self, f"conv{number}")(x)
        return x + shortcut


class BasicBlockV2(_BlockV2):
    """Two 3×3 convolutions; the parameters are those of `BottleneckV2`."""

    _depth = 2

    def __init__(
        self,
        channels: int,
        stride: int,
        downsample: bool = False,
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.bn1 = nn.BatchNorm()
        self.conv1 = _conv3x3(channels, stride, in_channels)
        self.bn2 = nn.BatchNorm()
        self.conv2 = _conv3x3(channels, 1, channels)
        self._add_downsample(channels, stride, downsample, in_channels)


class BottleneckV2(_BlockV2):
    """A 1×1 convolution to a fourth of the channels, a 3×3 and a 1×1 convolution.

    Parameters
    ----------
    channels : number of output channels
    stride : how much the image shrinks, at the 3×3 convolution
    downsample : whether the shortcut is a convolution
    in_channels : number of input channels
    kwargs : see `Block`
    """

    _depth = 3

    def __init__(
        self,
        channels: int,
        stride: int,
        downsample: bool = False,
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        narrow = channels // 4
        self.bn1 = nn.BatchNorm()
        self.conv1 = nn.Conv2D(narrow, 1, 1, use_bias=False)
        self.bn2 = nn.BatchNorm()
        self.conv2 = _conv3x3(narrow, stride, narrow)
        self.bn3 = nn.BatchNorm()
        self.conv3 = nn.Conv2D(channels, 1, 1, use_bias=False)
        self._add_downsample(channels, stride, downsample, in_channels)


class _ResNet(Classifier):
    """The base of both versions.

    Parameters
    ----------
    block : the class of the blocks
    layers : number of blocks in each stage
    channels : number of channels in the stem and in each stage
    classes : number of classes
    thumbnail : whether images are small, so that the stem does not shrink them
    kwargs : see `Block`
    """

    _preactivated: ClassVar[bool]

    def __init__(
        self,
        block: Callable[..., HybridBlock],
        layers: Sequence[int],
        channels: Sequence[int],
        classes: Positive = 1000,
        thumbnail: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if len(layers) != len(channels) - 1:
            raise AttributeValueError(
                f"{len(layers)} stages need {len(layers) + 1} numbers of channels: the stem's, too"
            )
        with self.name_scope():
            self.features = nn.HybridSequential(prefix="")
            self._add_stem(channels[0], thumbnail)
            for stage, count in enumerate(layers):
                self.features.add(self._stage(block, stage, count, channels))
            self._add_end()
            self.output = nn.Dense(classes, in_units=channels[-1])

    def _add_stem(self, channels: int, thumbnail: bool) -> None:
        if self._preactivated:
            self.features.add(nn.BatchNorm(scale=False, center=False))
        if thumbnail:
            self.features.add(_conv3x3(channels, 1, 0))
            return
        self.features.add(
            nn.Conv2D(channels, 7, 2, 3, use_bias=False),
            nn.BatchNorm(),
            nn.Activation("relu"),
            nn.MaxPool2D(3, 2, 1),
        )

    def _stage(
        self, block: Callable[..., HybridBlock], stage: int, count: int, channels: Sequence[int]
    ) -> nn.HybridSequential:
        ins, outs = channels[stage : stage + 2]
        layer = nn.HybridSequential(prefix=f"stage{stage + 1}_")
        with layer.name_scope():
            stride = 2 if stage else 1
            layer.add(block(outs, stride, outs != ins, in_channels=ins, prefix=""))
            for _ in range(count - 1):
                layer.add(block(outs, 1, False, in_channels=outs, prefix=""))
        return layer

    def _add_end(self) -> None:
        if self._preactivated:
            self.features.add(nn.BatchNorm(), nn.Activation("relu"))
        self.features.add(nn.GlobalAvgPool2D())
        if self._preactivated:
            self.features.add(nn.Flatten())


class ResNetV1(_ResNet):
    """A residual network of version 1.

    Parameters
    ----------
    block : `BasicBlockV1` or `BottleneckV1`
    layers : number of blocks in each stage
    channels : number of channels in the stem and in each stage
    classes : number of classes
    thumbnail : whether images are small, so that the stem does not shrink them
    kwargs : see `Block`
    """

    _preactivated = False


class ResNetV2(_ResNet):
    """A residual network of version 2.

    Parameters
    ----------
    block : `BasicBlockV2` or `BottleneckV2`
    layers : number of blocks in each stage
    channels : number of channels in the stem and in each stage
    classes : number of classes
    thumbnail : whether images are small, so that the stem does not shrink them
    kwargs : see `Block`
    """

    _preactivated = True


_NARROW, _WIDE = [64, 64, 128, 256, 512], [64, 256, 512, 1024, 2048]
# the number of layers; which blocks, how many of them each stage has, and with how many channels
resnet_spec = {
    18: ("basic_block", [2, 2, 2, 2], _NARROW),
    34: ("basic_block", [3, 4, 6, 3], _NARROW),
    50: ("bottle_neck", [3, 4, 6, 3], _WIDE),
    101: ("bottle_neck", [3, 4, 23, 3], _WIDE),
    152: ("bottle_neck", [3, 8, 36, 3], _WIDE),
}
resnet_net_versions: list[type[_ResNet]] = [ResNetV1, ResNetV2]
resnet_block_versions: list[dict[str, type[HybridBlock]]] = [
    {"basic_block": BasicBlockV1, "bottle_neck": BottleneckV1},
    {"basic_block": BasicBlockV2, "bottle_neck": BottleneckV2},
]


def get_resnet(
    version: int,
    num_layers: int,
    pretrained: bool = False,
    ctx: Any = None,
    root: str | None = None,
    **kwargs: Any,
) -> Any:
    """Make a residual network.

    Parameters
    ----------
    version : 1 or 2
    num_layers : 18, 34, 50, 101 or 152
    pretrained : load parameters from a file on this machine
    ctx, root : see `with_pretrained`
    kwargs : further arguments for `ResNetV1` or `ResNetV2`, such as `classes`
    """
    if version not in (1, 2) or num_layers not in resnet_spec:
        raise AttributeValueError(
            f"there is no ResNet of version {version} with {num_layers} layers; versions are 1 and 2, "
            f"numbers of layers {', '.join(map(str, resnet_spec))}"
        )
    kind, layers, channels = resnet_spec[num_layers]
    block = resnet_block_versions[version - 1][kind]
    made = resnet_net_versions[version - 1](block, layers, channels, **kwargs)
    return with_pretrained(made, f"resnet{num_layers}_v{version}", pretrained, ctx, root)


def _named(version: int, num_layers: int) -> Callable[..., Any]:
    def make(**kwargs: Any) -> Any:
        return get_resnet(version, num_layers, **kwargs)

    make.__name__ = make.__qualname__ = f"resnet{num_layers}_v{version}"
    make.__doc__ = f"Make a ResNet of version {version} with {num_layers} layers; see `get_resnet`."
    return make


resnet18_v1, resnet18_v2 = _named(1, 18), _named(2, 18)
resnet34_v1, resnet34_v2 = _named(1, 34), _named(2, 34)
resnet50_v1, resnet50_v2 = _named(1, 50), _named(2, 50)
resnet101_v1, resnet101_v2 = _named(1, 101), _named(2, 101)
resnet152_v1, resnet152_v2 = _named(1, 152), _named(2, 152)
