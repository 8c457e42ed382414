"""Rules of the pass that converts operators to the layout of kernels: transposed convolutions.

A transposed convolution is the data gradient of a convolution; its gradients are a convolution and a filter
gradient.
"""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

from gluonic.codegen.convolution.spatial_extents import spatial_extents
from gluonic.codegen.loops.inner_operators import apply
from gluonic.codegen.rewriting.layout.image_layout import ImageLayout, images_like
from gluonic.codegen.rewriting.layout.plain_layout import PlainRewriting
from gluonic.codegen.rewriting.layout.windows import FILLS
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph import Entry, Node, Operator
from gluonic.graph.attributes import Shape
from gluonic.graph.builder import F
from gluonic.graph.ops.convolution import convolution, towards_data, towards_weight
from gluonic.graph.ops.deconvolution import transposed_convolution
from gluonic.graph.view import complete


def forward(rewriting: PlainRewriting, node: Node) -> bool:
    """Rewrite a transposed convolution."""
    data, weight, *bias = node.inputs
    layer = _Layer(rewriting, node, data)
    images, filters = layer.plain(data), layer.plain(weight)
    if layer.is_product:
        made = layer.product(images, filters)
    else:
        made = layer.made(towards_data, images, layer.like_output(images), filters)
    for entry in bias:
        shape = (1, -1, *(1 for _ in layer.windows.kernel))
        made = F.broadcast_add(made, F.reshape(rewriting.own(entry), shape=shape))
    return layer.leave(made)


def data_gradient(rewriting: PlainRewriting, node: Node) -> bool:
    """Rewrite the gradient with respect to its data."""
    grad, data, weight = node.inputs
    layer = _Layer(rewriting, node, data)
    return layer.leave(layer.made(convolution, layer.plain(grad), layer.plain(weight)))


def weight_gradient(rewriting: PlainRewriting, node: Node) -> bool:
    """Rewrite the gradient with respect to its filters."""
    grad, data, weight = node.inputs
    layer = _Layer(rewriting, node, data)
    return layer.leave(layer.made(towards_weight, *map(layer.plain, (data, grad, weight))))


class _Layer:
    """The transposed convolution of a node, which is its result or one of its gradients.

    Attributes
    ----------
    shape : the shape of its data in the layout of kernels, without the batch size; rows and columns are unknown
        where they do not matter
    windows, spatial : the windows, and the spatial extents of its output
    """

    def __init__(self, rewriting: PlainRewriting, node: Node, data: Entry) -> None:
        self.rewriting, self.node, self.settings = rewriting, node, node.applied.settings
        self.form = rewriting.form_of(node)
        own = {name: self.form.lifted(self.settings[name], fill) for name, fill in FILLS.items()}
        self._is_one_pixel = rewriting.facts.decide(partial(_is_one_pixel, data, self.form))
        shape, matters = rewriting.shape(data), self._is_one_pixel or any(own["target_shape"])
        self.shape = _plain_shape(shape, self.form) if matters else _of_any_size(shape, self.form)
        made = transposed_convolution(self.shape, node.title, layout=None, **own)
        self.windows, self.spatial = made
        self._adj = own["adj"] or (0,) * len(made.spatial)

    def plain(self, entry: Entry) -> Entry:
        """An entry in the layout of kernels."""
        return self.rewriting.as_plain(entry, self.form)

    def leave(self, made: Entry) -> bool:
        """Record the node's result."""
        self.rewriting.plain[self.node.entry()] = made, self.form
        return True

    def made(self, op: Operator, *inputs: Entry) -> Entry:
        """The convolution, or convolution gradient, that computes the result."""
        windows = self.windows
        settings = {
            "kernel": windows.kernel,
            "stride": windows.stride,
            "dilate": windows.dilate,
            "pad": windows.pad,
            "num_filter": self.shape[1],
            "num_group": self.settings["num_group"],
            "no_bias": True,
        }
        return self.rewriting.applied(self.node, op, settings, inputs).entry()

    def like_output(self, images: Entry) -> Entry:
        """An entry with the shape of the output."""
        channels, name = self.settings["num_filter"], self.node.name
        spatial = apply(spatial_extents, images, name=name, **self._growth())
        return apply(images_like, images, spatial, name=name, channels=channels)

    def _growth(self) -> dict[str, Shape]:
        """The attributes by which the output's spatial extents follow from those of the data."""
        if None not in self.spatial:
            return {"steps": (0,) * len(self.spatial), "more": complete(self.spatial)}
        windows = self.windows
        each = zip(windows.extents(), windows.stride, windows.pad, self._adj, strict=True)
        more = tuple([extent - step - 2 * pad + adj for extent, step, pad, adj in each])
        return {"steps": windows.stride, "more": more}

    @property
    def is_product(self) -> bool:
        """Whether images have one pixel, and filters cover the output, so that it is a matrix product."""
        if self.settings["num_group"] > 1 or not self._is_one_pixel or any(self.windows.pad):
            return False
        return tuple(self.spatial) == tuple(self.windows.kernel)

    def product(self, images: Entry, weight: Entry) -> Entry:
        """The output for images of one pixel."""
        channels, made = self.shape[1], (self.settings["num_filter"], *self.windows.kernel)
        rows = F.reshape(images, shape=(0, channels))
        columns = F.reshape(weight, shape=(channels, math.prod(made)))
        result: Entry = F.reshape(F.dot(rows, columns), shape=(0, *made))
        return result


def _of_any_size(shape: Shape, form: ImageLayout) -> tuple[Any, ...]:
    spatial: tuple[Any, ...] = (None,) * (len(shape) - 2)
    return (None, shape[-1 if form.last else 1], *form.lifted(spatial, 1))


def _is_one_pixel(data: Entry, form: ImageLayout, facts: Facts) -> bool:
    """Whether images have one pixel."""
    return all(extent == 1 for extent in _plain_shape(facts.shapes[data], form)[2:])


def _plain_shape(shape: Shape, form: ImageLayout) -> tuple[Any, ...]:
    others: Sequence[Any] = shape[1:]
    channels = others[-1 if form.last else 0]
    spatial = others[:-1] if form.last else others[1:]
    return (None, channels, *form.lifted(tuple(spatial), 1))
