"""DenseNets (Huang et al., 2017): every layer reads the outputs of all layers before it."""

from collections.abc import Callable, Sequence
from typing import Any

from gluonic.gluon import nn
from gluonic.gluon.contrib.nn import HybridConcurrent, Identity
from gluonic.gluon.model_zoo.vision.classifier import Classifier, with_pretrained
from gluonic.graph.attributes import Positive
from gluonic.graph.errors import AttributeValueError

__all__ = [
    "DenseNet",
    "densenet121",
    "densenet161",
    "densenet169",
    "densenet201",
    "get_densenet",
]


def _add_preactivated(
    out: nn.HybridSequential, channels: int, kernel: int, padding: int = 0
) -> None:
    out.add(
        nn.BatchNorm(),
        nn.Activation("relu"),
        nn.Conv2D(channels, kernel, padding=padding, use_bias=False),
    )


def _dense_layer(growth_rate: int, bn_size: int, dropout: float) -> HybridConcurrent:
    new = nn.HybridSequential(prefix="")
    _add_preactivated(new, bn_size * growth_rate, 1)
    _add_preactivated(new, growth_rate, 3, 1)
    if dropout:
        new.add(nn.Dropout(dropout))
    out = HybridConcurrent(axis=1, prefix="")
    out.add(Identity(), new)
    return out


class DenseNet(Classifier):
    """A DenseNet.

    Parameters
    ----------
    num_init_features : number of channels in the stem
    growth_rate : number of channels that each layer adds
    block_config : number of layers in each stage
    bn_size : the ratio of the 1×1 convolutions' channels to `growth_rate`
    dropout : the fraction to drop after each layer
    classes : number of classes
    kwargs : see `Block`
    """

    def __init__(
        self,
        num_init_features: int,
        growth_rate: int,
        block_config: Sequence[int],
        bn_size: int = 4,
        dropout: float = 0,
        classes: Positive = 1000,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = nn.HybridSequential(prefix="")
            self.features.add(
                nn.Conv2D(num_init_features, 7, 2, 3, use_bias=False),
                nn.BatchNorm(),
                nn.Activation("relu"),
                nn.MaxPool2D(3, 2, 1),
            )
            channels = num_init_features
            for number, count in enumerate(block_config, 1):
                stage = nn.HybridSequential(prefix=f"stage{number}_")
                with stage.name_scope():
                    stage.add(*(_dense_layer(growth_rate, bn_size, dropout) for _ in range(count)))
                self.features.add(stage)
                channels += count * growth_rate
                if number < len(block_config):
                    channels //= 2
                    transition = nn.HybridSequential(prefix="")
                    _add_preactivated(transition, channels, 1)
                    transition.add(nn.AvgPool2D(2, 2))
                    self.features.add(transition)
            self.features.add(nn.BatchNorm(), nn.Activation("relu"), nn.AvgPool2D(7), nn.Flatten())
            self.output = nn.Dense(classes)


densenet_spec = {
    121: (64, 32, [6, 12, 24, 16]),
    161: (96, 48, [6, 12, 36, 24]),
    169: (64, 32, [6, 12, 32, 32]),
    201: (64, 32, [6, 12, 48, 32]),
}


def get_densenet(
    num_layers: int,
    pretrained: bool = False,
    ctx: Any = None,
    root: str | None = None,
    **kwargs: Any,
) -> DenseNet:
    """Make a DenseNet.

    Parameters
    ----------
    num_layers : 121, 161, 169 or 201
    pretrained : load parameters from a file on this machine
    ctx, root : see `with_pretrained`
    kwargs : further arguments for `DenseNet`, such as `classes`
    """
    if num_layers not in densenet_spec:
        known = ", ".join(map(str, densenet_spec))
        raise AttributeValueError(
            f"there is no DenseNet with {num_layers} layers; there are {known}"
        )
    net = DenseNet(*densenet_spec[num_layers], **kwargs)
    return with_pretrained(net, f"densenet{num_layers}", pretrained, ctx, root)


def _named(num_layers: int) -> Callable[..., DenseNet]:
    def make(**kwargs: Any) -> DenseNet:
        return get_densenet(num_layers, **kwargs)

    make.__name__ = make.__qualname__ = f"densenet{num_layers}"
    make.__doc__ = f"Make a DenseNet with {num_layers} layers; see `get_densenet`."
    return make


densenet121, densenet161 = _named(121), _named(161)
densenet169, densenet201 = _named(169), _named(201)
