"""SqueezeNets (Iandola et al., 2016): few parameters."""

from typing import Any

from gluonic.gluon import nn
from gluonic.gluon.contrib.nn import HybridConcurrent
from gluonic.gluon.model_zoo.vision.classifier import Classifier, with_pretrained
from gluonic.graph.attributes import Positive
from gluonic.graph.errors import AttributeValueError

__all__ = ["SqueezeNet", "get_squeezenet", "squeezenet1_0", "squeezenet1_1"]


def _rectified(channels: int, kernel: int, padding: int = 0) -> nn.HybridSequential:
    out = nn.HybridSequential(prefix="")
    out.add(nn.Conv2D(channels, kernel, padding=padding), nn.Activation("relu"))
    return out


def _fire(squeezed: int) -> nn.HybridSequential:
    """Few channels, then four times as many by 1×1 and as many again by 3×3 convolutions."""
    out = nn.HybridSequential(prefix="")
    out.add(_rectified(squeezed, 1))
    paths = HybridConcurrent(axis=1, prefix="")
    paths.add(_rectified(4 * squeezed, 1), _rectified(4 * squeezed, 3, 1))
    out.add(paths)
    return out


# the stem's channels and kernel; then the fires by their squeezed channels, None for pooling
_VERSIONS: dict[str, tuple[tuple[int, int], tuple[int | None, ...]]] = {
    "1.0": ((96, 7), (None, 16, 16, 32, None, 32, 48, 48, 64, None, 64)),
    "1.1": ((64, 3), (None, 16, 16, None, 32, 32, None, 48, 48, 64, 64)),
}


class SqueezeNet(Classifier):
    """A SqueezeNet.

    Parameters
    ----------
    version : ``"1.0"`` or ``"1.1"``
    classes : number of classes
    kwargs : see `Block`
    """

    def __init__(self, version: str, classes: Positive = 1000, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if version not in _VERSIONS:
            raise AttributeValueError(
                f"there is no SqueezeNet {version!r}; there are {', '.join(_VERSIONS)}"
            )
        (channels, kernel), fires = _VERSIONS[version]
        with self.name_scope():
            self.features = nn.HybridSequential(prefix="")
            self.features.add(nn.Conv2D(channels, kernel, 2), nn.Activation("relu"))
            for squeezed in fires:
                self.features.add(
                    nn.MaxPool2D(3, 2, ceil_mode=True) if squeezed is None else _fire(squeezed)
                )
            self.features.add(nn.Dropout(0.5))
            self.output = nn.HybridSequential(prefix="")
            self.output.add(
                nn.Conv2D(classes, 1), nn.Activation("relu"), nn.AvgPool2D(13), nn.Flatten()
            )


def get_squeezenet(
    version: str,
    pretrained: bool = False,
    ctx: Any = None,
    root: str | None = None,
    **kwargs: Any,
) -> SqueezeNet:
    """Make a SqueezeNet.

    Parameters
    ----------
    version : ``"1.0"`` or ``"1.1"``
    pretrained : load parameters from a file on this machine
    ctx, root : see `with_pretrained`
    kwargs : further arguments for `SqueezeNet`, such as `classes`
    """
    net = SqueezeNet(version, **kwargs)
    return with_pretrained(net, f"squeezenet{version}", pretrained, ctx, root)


def squeezenet1_0(**kwargs: Any) -> SqueezeNet:
    """Make a SqueezeNet of version 1.0; see `get_squeezenet`."""
    return get_squeezenet("1.0", **kwargs)


def squeezenet1_1(**kwargs: Any) -> SqueezeNet:
    """Make a SqueezeNet of version 1.1; see `get_squeezenet`."""
    return get_squeezenet("1.1", **kwargs)
