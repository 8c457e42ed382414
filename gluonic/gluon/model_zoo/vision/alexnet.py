"""AlexNet (Krizhevsky, 2014: one tower)."""

from typing import Any

from gluonic.gluon import nn
from gluonic.gluon.model_zoo.vision.classifier import Classifier, with_pretrained
from gluonic.graph.attributes import Positive

__all__ = ["AlexNet", "alexnet"]


class AlexNet(Classifier):
    """AlexNet.

    Parameters
    ----------
    classes : number of classes
    kwargs : see `Block`
    """

    def __init__(self, classes: Positive = 1000, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = nn.HybridSequential(prefix="")
            self.features.add(
                nn.Conv2D(64, 11, 4, 2, activation="relu"),
                nn.MaxPool2D(3, 2),
                nn.Conv2D(192, 5, padding=2, activation="relu"),
                nn.MaxPool2D(3, 2),
                nn.Conv2D(384, 3, padding=1, activation="relu"),
                nn.Conv2D(256, 3, padding=1, activation="relu"),
                nn.Conv2D(256, 3, padding=1, activation="relu"),
                nn.MaxPool2D(3, 2),
                nn.Flatten(),
            )
            for _ in range(2):
                self.features.add(nn.Dense(4096, activation="relu"), nn.Dropout(0.5))
            self.output = nn.Dense(classes)


def alexnet(
    pretrained: bool = False, ctx: Any = None, root: str | None = None, **kwargs: Any
) -> AlexNet:
    """Make an AlexNet.

    Parameters
    ----------
    pretrained : load parameters from a file on this machine
    ctx, root : see `with_pretrained`
    kwargs : further arguments for `AlexNet`, such as `classes`
    """
    return with_pretrained(AlexNet(**kwargs), "alexnet", pretrained, ctx, root)
