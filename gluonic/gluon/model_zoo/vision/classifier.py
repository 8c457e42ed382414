"""The base of image classifiers: features, an output layer, and pretrained parameters."""

from typing import Any, TypeVar

from gluonic.gluon.hybrid import HybridBlock
from gluonic.gluon.model_zoo.model_store import get_model_file

_Net = TypeVar("_Net", bound="Classifier")


class Classifier(HybridBlock):
    """A net that turns images into features and features into scores of classes.

    Attributes
    ----------
    features : from images ``(batch, 3, height, width)`` to features
    output : from features to scores ``(batch, classes)``
    """

    features: Any
    output: Any

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Compute the scores of all classes."""
        return self.output(self.features(x))


def with_pretrained(
    net: _Net, name: str, pretrained: bool, ctx: Any = None, root: str | None = None
) -> _Net:
    """Load a net's pretrained parameters, if requested, and return the net.

    Parameters
    ----------
    name : the name of the model's file
    pretrained : whether to load them
    ctx : the context or contexts
    root : the folder of the file; see `get_model_file`
    """
    if pretrained:
        net.load_parameters(get_model_file(name, root), ctx=ctx)
    return net
