"""MobileNets: depthwise convolutions (Howard et al., 2017), inverted bottlenecks (Sandler et al., 2018)."""

from collections.abc import Callable
from typing import Any

from gluonic.gluon import nn
from gluonic.gluon.hybrid import HybridBlock
from gluonic.gluon.model_zoo.vision.classifier import Classifier, with_pretrained
from gluonic.graph.attributes import Positive

__all__ = [
    "MobileNet",
    "MobileNetV2",
    "get_mobilenet",
    "get_mobilenet_v2",
    "mobilenet0_5",
    "mobilenet0_25",
    "mobilenet0_75",
    "mobilenet1_0",
    "mobilenet_v2_0_5",
    "mobilenet_v2_0_25",
    "mobilenet_v2_0_75",
    "mobilenet_v2_1_0",
]


class RELU6(HybridBlock):
    """A rectifier bounded at 6."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Clip to 0 … 6; the shape stays."""
        return F.clip(x, 0, 6, name="relu6")


def _add_conv(
    out: nn.HybridSequential,
    channels: int,
    activation: Callable[[], HybridBlock] | None,
    kernel: int = 1,
    stride: int = 1,
    pad: int = 0,
    groups: int = 1,
) -> None:
    """Add a convolution, a normalization and an activation."""
    out.add(
        nn.Conv2D(channels, kernel, stride, pad, groups=groups, use_bias=False),
        nn.BatchNorm(scale=True),
    )
    if activation is not None:
        out.add(activation())


def _add_depthwise(
    out: nn.HybridSequential,
    channels: int,
    stride: int,
    activation: Callable[[], HybridBlock],
) -> None:
    _add_conv(out, channels, activation, 3, stride, 1, groups=channels)


def _relu() -> HybridBlock:
    return nn.Activation("relu")


class MobileNet(Classifier):
    """MobileNet of version 1.

    Parameters
    ----------
    multiplier : a factor on the numbers of channels
    classes : number of classes
    kwargs : see `Block`
    """

    # channels and stride of each depthwise-separable convolution
    _LAYERS = (
        (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2),
        *[(512, 1)] * 5, (1024, 2), (1024, 1),
    )  # fmt: skip

    def __init__(self, multiplier: float = 1.0, classes: Positive = 1000, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = nn.HybridSequential(prefix="")
            before = int(32 * multiplier)
            _add_conv(self.features, before, _relu, 3, 2, 1)
            for channels, stride in self._LAYERS:
                _add_depthwise(self.features, before, stride, _relu)
                before = int(channels * multiplier)
                _add_conv(self.features, before, _relu)
            self.features.add(nn.GlobalAvgPool2D(), nn.Flatten())
            self.output = nn.Dense(classes)


class LinearBottleneck(HybridBlock):
    """Expand, convolve each channel, project without an activation, and add the input if shapes agree.

    Parameters
    ----------
    in_channels, channels : numbers of input and output channels
    t : the expansion factor
    stride : the stride, by which the image shrinks
    kwargs : see `Block`
    """

    def __init__(self, in_channels: int, channels: int, t: int, stride: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.use_shortcut = stride == 1 and in_channels == channels
        with self.name_scope():
            self.out = nn.HybridSequential()
            _add_conv(self.out, in_channels * t, RELU6)
            _add_depthwise(self.out, in_channels * t, stride, RELU6)
            _add_conv(self.out, channels, None)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Run the convolutions, and add the input if shapes agree."""
        out = self.out(x)
        return F.elemwise_add(out, x) if self.use_shortcut else out


class MobileNetV2(Classifier):
    """MobileNet of version 2.

    Parameters
    ----------
    multiplier : a factor on the numbers of channels
    classes : number of classes
    kwargs : see `Block`
    """

    # number of bottlenecks, their channels, the expansion factor, the stride of the first one
    _STAGES = (
        (1, 16, 1, 1), (2, 24, 6, 2), (3, 32, 6, 2), (4, 64, 6, 2),
        (3, 96, 6, 1), (3, 160, 6, 2), (1, 320, 6, 1),
    )  # fmt: skip

    def __init__(self, multiplier: float = 1.0, classes: Positive = 1000, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = nn.HybridSequential(prefix="features_")
            with self.features.name_scope():
                before = int(32 * multiplier)
                _add_conv(self.features, before, RELU6, 3, 2, 1)
                for count, channels, widening, first_stride in self._STAGES:
                    for position in range(count):
                        after = int(channels * multiplier)
                        stride = 1 if position else first_stride
                        self.features.add(LinearBottleneck(before, after, widening, stride))
                        before = after
                _add_conv(self.features, max(1280, int(1280 * multiplier)), RELU6)
                self.features.add(nn.GlobalAvgPool2D())
            self.output = nn.HybridSequential(prefix="output_")
            with self.output.name_scope():
                self.output.add(nn.Conv2D(classes, 1, use_bias=False, prefix="pred_"), nn.Flatten())


def _suffix(multiplier: float) -> str:
    return f"{multiplier:.2f}".removesuffix("0")


def get_mobilenet(
    multiplier: float,
    pretrained: bool = False,
    ctx: Any = None,
    root: str | None = None,
    **kwargs: Any,
) -> MobileNet:
    """Make a MobileNet of version 1.

    Parameters
    ----------
    multiplier : a factor on the numbers of channels
    pretrained : load parameters from a file on this machine
    ctx, root : see `with_pretrained`
    kwargs : further arguments for `MobileNet`, such as `classes`
    """
    net = MobileNet(multiplier, **kwargs)
    return with_pretrained(net, f"mobilenet{_suffix(multiplier)}", pretrained, ctx, root)


def get_mobilenet_v2(
    multiplier: float,
    pretrained: bool = False,
    ctx: Any = None,
    root: str | None = None,
    **kwargs: Any,
) -> MobileNetV2:
    """Make a MobileNet of version 2.

    Parameters
    ----------
    multiplier : a factor on the numbers of channels
    pretrained : load parameters from a file on this machine
    ctx, root : see `with_pretrained`
    kwargs : further arguments for `MobileNetV2`, such as `classes`
    """
    net = MobileNetV2(multiplier, **kwargs)
    return with_pretrained(net, f"mobilenetv2_{_suffix(multiplier)}", pretrained, ctx, root)


def mobilenet1_0(**kwargs: Any) -> MobileNet:
    """Make a MobileNet with all its channels; see `get_mobilenet`."""
    return get_mobilenet(1.0, **kwargs)


def mobilenet0_75(**kwargs: Any) -> MobileNet:
    """Make a MobileNet with three quarters of its channels; see `get_mobilenet`."""
    return get_mobilenet(0.75, **kwargs)


def mobilenet0_5(**kwargs: Any) -> MobileNet:
    """Make a MobileNet with half its channels; see `get_mobilenet`."""
    return get_mobilenet(0.5, **kwargs)


def mobilenet0_25(**kwargs: Any) -> MobileNet:
    """Make a MobileNet with a quarter of its channels; see `get_mobilenet`."""
    return get_mobilenet(0.25, **kwargs)


def mobilenet_v2_1_0(**kwargs: Any) -> MobileNetV2:
    """Make a MobileNet of version 2 with all its channels; see `get_mobilenet_v2`."""
    return get_mobilenet_v2(1.0, **kwargs)


def mobilenet_v2_0_75(**kwargs: Any) -> MobileNetV2:
    """Make a MobileNet of version 2 with three quarters of its channels; see `get_mobilenet_v2`."""
    return get_mobilenet_v2(0.75, **kwargs)


def mobilenet_v2_0_5(**kwargs: Any) -> MobileNetV2:
    """Make a MobileNet of version 2 with half its channels; see `get_mobilenet_v2`."""
    return get_mobilenet_v2(0.5, **kwargs)


def mobilenet_v2_0_25(**kwargs: Any) -> MobileNetV2:
    """Make a MobileNet of version 2 with a quarter of its channels; see `get_mobilenet_v2`."""
    return get_mobilenet_v2(0.25, **kwargs)
