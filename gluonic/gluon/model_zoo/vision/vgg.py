"""The VGG networks (Simonyan and Zisserman, 2015): 3×3 convolutions only."""

from collections.abc import Callable, Sequence
from typing import Any

from gluonic.gluon import nn
from gluonic.gluon.model_zoo.vision.classifier import Classifier, with_pretrained
from gluonic.graph.attributes import Positive
from gluonic.graph.errors import AttributeValueError
from gluonic.initializer import Xavier

__all__ = [
    "VGG",
    "get_vgg",
    "vgg11",
    "vgg11_bn",
    "vgg13",
    "vgg13_bn",
    "vgg16",
    "vgg16_bn",
    "vgg19",
    "vgg19_bn",
]


class VGG(Classifier):
    """A VGG network.

    Parameters
    ----------
    layers : number of convolutions in each stage
    filters : number of channels in each stage
    classes : number of classes
    batch_norm : whether to normalize after each convolution
    kwargs : see `Block`
    """

    def __init__(
        self,
        layers: Sequence[int],
        filters: Sequence[int],
        classes: Positive = 1000,
        batch_norm: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if len(layers) != len(filters):
            raise AttributeValueError(f"{len(layers)} stages need as many numbers of channels")
        with self.name_scope():
            self.features = nn.HybridSequential(prefix="")
            for count, channels in zip(layers, filters, strict=True):
                self._add_stage(count, channels, batch_norm)
            for _ in range(2):
                self.features.add(
                    nn.Dense(4096, activation="relu", weight_initializer="normal"), nn.Dropout(0.5)
                )
            self.output = nn.Dense(classes, weight_initializer="normal")

    def _add_stage(self, count: int, channels: int, batch_norm: bool) -> None:
        for _ in range(count):
            init = Xavier("gaussian", "out", 2)
            self.features.add(nn.Conv2D(channels, 3, padding=1, weight_initializer=init))
            if batch_norm:
                self.features.add(nn.BatchNorm())
            self.features.add(nn.Activation("relu"))
        self.features.add(nn.MaxPool2D(strides=2))


_FILTERS = [64, 128, 256, 512, 512]
vgg_spec = {
    11: ([1, 1, 2, 2, 2], _FILTERS),
    13: ([2, 2, 2, 2, 2], _FILTERS),
    16: ([2, 2, 3, 3, 3], _FILTERS),
    19: ([2, 2, 4, 4, 4], _FILTERS),
}


def get_vgg(
    num_layers: int,
    pretrained: bool = False,
    ctx: Any = None,
    root: str | None = None,
    **kwargs: Any,
) -> VGG:
    """Make a VGG network.

    Parameters
    ----------
    num_layers : 11, 13, 16 or 19
    pretrained : load parameters from a file on this machine
    ctx, root : see `with_pretrained`
    kwargs : further arguments for `VGG`, such as `classes`
    """
    if num_layers not in vgg_spec:
        raise AttributeValueError(
            f"there is no VGG with {num_layers} layers; there are {', '.join(map(str, vgg_spec))}"
        )
    net = VGG(*vgg_spec[num_layers], **kwargs)
    name = f"vgg{num_layers}{'_bn' if kwargs.get('batch_norm') else ''}"
    return with_pretrained(net, name, pretrained, ctx, root)


def _named(num_layers: int, batch_norm: bool) -> Callable[..., VGG]:
    def make(**kwargs: Any) -> VGG:
        if batch_norm:
            kwargs["batch_norm"] = True
        return get_vgg(num_layers, **kwargs)

    make.__name__ = make.__qualname__ = f"vgg{num_layers}{'_bn' * batch_norm}"
    normalized = " and normalization" if batch_norm else ""
    make.__doc__ = f"Make a VGG network with {num_layers} layers{normalized}; see `get_vgg`."
    return make


vgg11, vgg11_bn = _named(11, False), _named(11, True)
vgg13, vgg13_bn = _named(13, False), _named(13, True)
vgg16, vgg16_bn = _named(16, False), _named(16, True)
vgg19, vgg19_bn = _named(19, False), _named(19, True)
