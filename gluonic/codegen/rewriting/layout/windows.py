"""Rules of the pass that converts operators to the layout of kernels: operators on windows of images."""

from gluonic.codegen.rewriting.layout import volumes
from gluonic.codegen.rewriting.layout.plain_layout import PlainRewriting
from gluonic.graph import Node

FILLS = {"kernel": 1, "stride": 1, "dilate": 1, "pad": 0, "adj": 0, "target_shape": 0}
"""The attributes with a number per spatial axis, and the number for an axis of extent 1."""


def convolution(rewriting: PlainRewriting, node: Node) -> bool:
    """Rewrite a convolution."""
    return volumes.convolution(rewriting, node) or _lifted(rewriting, node)


def data_gradient(rewriting: PlainRewriting, node: Node) -> bool:
    """Rewrite the gradient with respect to a convolution's data."""
    return volumes.data_gradient(rewriting, node) or _lifted(rewriting, node)


def weight_gradient(rewriting: PlainRewriting, node: Node) -> bool:
    """Rewrite the gradient with respect to a convolution's filters."""
    return volumes.weight_gradient(rewriting, node) or _lifted(rewriting, node)


def pooling(rewriting: PlainRewriting, node: Node) -> bool:
    """Rewrite pooling, or a gradient of it."""
    return volumes.pooling(rewriting, node) or _lifted(rewriting, node)


def _lifted(rewriting: PlainRewriting, node: Node) -> bool:
    """Put channels first, and make signals images of one row."""
    form, settings = rewriting.form_of(node), dict(node.applied.settings)
    if form.is_plain:
        return False
    for name, fill in FILLS.items():
        if settings.get(name):
            settings[name] = form.lifted(settings[name], fill)
    rewriting.make(node, {**settings, "layout": None}, form)
    return True
