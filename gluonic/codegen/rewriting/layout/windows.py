"""Rules of the pass that brings operators into the form of kernels: what goes over images in windows."""

from gluonic.codegen.rewriting.layout import volumes
from gluonic.codegen.rewriting.layout.plain_layout import PlainRewriting
from gluonic.graph import Node

FILLS = {"kernel": 1, "stride": 1, "dilate": 1, "pad": 0, "adj": 0, "target_shape": 0}
"""The attributes with a number for each axis of places, and the number of an axis of one place."""


def convolution(rewriting: PlainRewriting, node: Node) -> bool:
    """Take a convolution."""
    return volumes.convolution(rewriting, node) or _lifted(rewriting, node)


def data_gradient(rewriting: PlainRewriting, node: Node) -> bool:
    """Take the gradient of a convolution's data."""
    return volumes.data_gradient(rewriting, node) or _lifted(rewriting, node)


def weight_gradient(rewriting: PlainRewriting, node: Node) -> bool:
    """Take the gradient of a convolution's filters."""
    return volumes.weight_gradient(rewriting, node) or _lifted(rewriting, node)


def pooling(rewriting: PlainRewriting, node: Node) -> bool:
    """Take pooling, or a gradient of that."""
    return volumes.pooling(rewriting, node) or _lifted(rewriting, node)


def _lifted(rewriting: PlainRewriting, node: Node) -> bool:
    """Put channels first, and a row around signals."""
    form, settings = rewriting.form_of(node), dict(node.applied.settings)
    if form.is_plain:
        return False
    for name, fill in FILLS.items():
        if settings.get(name):
            settings[name] = form.lifted(settings[name], fill)
    rewriting.make(node, {**settings, "layout": None}, form)
    return True
