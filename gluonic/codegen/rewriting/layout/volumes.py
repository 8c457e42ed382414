"""Convolutions of volumes as convolutions of images.

    Convolution(x, w, kernel=(3, 5, 5))  →  Convolution(_depth_windows(x'), w', kernel=(5, 5))

where x' are the images of all volumes along the batch axis, and w' has the planes of each filter as further
channels. Gradients are rewritten likewise, and volumes stay images in the operators that follow.
"""

from collections.abc import Sequence
from math import prod

from gluonic.codegen.convolution.depth_windows import depth_windows, sum_depth_windows
from gluonic.codegen.convolution.filter_planes import join_planes, split_planes
from gluonic.codegen.convolution.spatial_extents import spatial_extents
from gluonic.codegen.loops.inner_operators import apply
from gluonic.codegen.maths.values import FLOAT32
from gluonic.codegen.rewriting.layout.image_layout import ImageLayout, images_like
from gluonic.codegen.rewriting.layout.plain_layout import PlainRewriting
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph import Entry, Node
from gluonic.graph.builder import F
from gluonic.graph.ops.windows import Windows, windows_of

_RANK = 5
MOST_BYTES = 1 << 27
"""The most bytes of one volume's windows; larger ones are multiplied as columns, some lines at a time."""


def convolution(rewriting: PlainRewriting, node: Node) -> bool:
    """Rewrite a convolution of volumes as one of images, if possible."""
    if not _has_volumes(rewriting, node):
        return False
    data, weight, *bias = node.inputs
    found = _Convolution(rewriting, node, data, weight, node.entry())
    if not found.is_small:
        return False
    found.forward(bias)
    return True


def data_gradient(rewriting: PlainRewriting, node: Node) -> bool:
    """Rewrite the gradient with respect to a convolution's data likewise."""
    found = _gradient(rewriting, node)
    if found is None:
        return False
    found.data_gradient()
    return True


def weight_gradient(rewriting: PlainRewriting, node: Node) -> bool:
    """Rewrite the gradient with respect to a convolution's filters likewise."""
    found = _gradient(rewriting, node)
    if found is None:
        return False
    found.weight_gradient()
    return True


def _has_volumes(rewriting: PlainRewriting, node: Node) -> bool:
    facts = rewriting.facts
    if len(facts.shapes[node.inputs[0]]) != _RANK:
        return False
    return all(facts.dtypes[entry] == FLOAT32 for entry in node.inputs)


def _gradient(rewriting: PlainRewriting, node: Node) -> "_Convolution | None":
    """The convolution of a gradient, if it can be one of images."""
    if not _has_volumes(rewriting, node):
        return None
    grad, data, weight = node.inputs
    found = _Convolution(rewriting, node, data, weight, grad)
    return found if found.is_small else None


class _Convolution:
    """A convolution of volumes, or one of its gradients, as one of images.

    Parameters
    ----------
    rewriting, node : the pass, and the node that is rewritten
    data, weight, output : the inputs and the output of the convolution, or entries of their shapes
    """

    def __init__(
        self, rewriting: PlainRewriting, node: Node, data: Entry, weight: Entry, output: Entry
    ) -> None:
        self.rewriting, self.node, self.settings = rewriting, node, node.applied.settings
        self.data, self.weight, self.output = data, weight, output
        self.windows = windows_of(
            *(self.settings[n] for n in ("kernel", "stride", "pad", "dilate", "layout"))
        )
        names = ("kernel", "stride", "dilate", "pad")
        self.depth = {name: getattr(self.windows, name)[0] for name in names}
        self.depth["depth"] = self._form(self.data).depth

    @property
    def is_small(self) -> bool:
        """Whether there is one group of channels, and the windows of one volume take little memory."""
        if self.settings["num_group"] != 1:
            return False
        return self._is_flat or self.rewriting.facts.decide(self._has_small_windows)

    def _has_small_windows(self, facts: Facts) -> bool:
        size = 4 * prod(facts.shapes[self.data][1:])
        taken: int = size * self.depth["kernel"] // self.depth["stride"]
        return taken <= MOST_BYTES

    # -- rules --------------------------------------------------------------------------------

    def forward(self, bias: Sequence[Entry]) -> None:
        """Compute the output as images."""
        own = [self.rewriting.own(entry) for entry in bias]
        self._leave(self._made(self._windows_of_data(), self._filters(), *own), self.output)

    def data_gradient(self) -> None:
        """Compute the data's gradient: the sum of the gradients of its windows."""
        shape, images = self.rewriting.shape(self.data), self._images(self.output)
        channels = shape[-1 if self.windows.channels_last else 1]
        joined, spatial = channels * self.depth["kernel"], self._extents_of_data()
        like = apply(images_like, images, spatial, name=self.node.name, channels=joined)
        gradient = self._made(images, like, self._filters())
        if not self._is_flat:
            gradient = apply(sum_depth_windows, gradient, name=self.node.name, **self.depth)
        self._leave(gradient, self.data)

    def weight_gradient(self) -> None:
        """Compute the gradient of the filters."""
        images, windows = self._images(self.output), self._windows_of_data()
        gradient = self._made(images, windows, self._like_filters())
        self.rewriting.kept[self.node.entry()] = self._own_filters(gradient)

    def _extents_of_data(self) -> Entry:
        """The numbers of rows and columns of the data's images."""
        name, plain = self.node.name, self.rewriting.plain.get(self.data)
        if plain is not None:
            return apply(spatial_extents, plain[0], name=name)
        volumes, last = self.rewriting.own(self.data), self.windows.channels_last
        return apply(spatial_extents, volumes, name=name, axis=2 if last else 3)

    # -- parts --------------------------------------------------------------------------------

    def _leave(self, images: Entry, like: Entry) -> None:
        """Record the result: images of volumes with the shape of an entry."""
        self.rewriting.plain[self.node.entry()] = images, self._form(like)

    def _form(self, volumes: Entry) -> ImageLayout:
        """The layout of volumes."""
        shape, last = self.rewriting.facts.shapes[volumes], self.windows.channels_last
        return ImageLayout(_RANK, last, depth=shape[1 if last else 2])

    @property
    def _is_flat(self) -> bool:
        """Whether each image is convolved separately."""
        return (self.depth["kernel"], self.depth["stride"], self.depth["pad"]) == (1, 1, 0)

    def _images(self, volumes: Entry) -> Entry:
        """The images of volumes."""
        return self.rewriting.as_plain(volumes, self._form(volumes))

    def _windows_of_data(self) -> Entry:
        """The images of the data with the channels of adjacent images."""
        images = self._images(self.data)
        if self._is_flat:
            return images
        return apply(depth_windows, images, name=self.node.name, **self.depth)

    def _filters(self) -> Entry:
        """The filters with the planes of each as further channels."""
        weight = self._weight_form().made_plain(self.rewriting.own(self.weight))
        if self.depth["kernel"] > 1:
            return apply(join_planes, weight, name=self.node.name)
        flat: Entry = F.squeeze(weight, axis=2)
        return flat

    def _like_filters(self) -> Entry:
        """An entry of which only the shape is read, that of `_filters`."""
        shape = self.rewriting.facts.shapes[self.weight]
        joined = shape[0], -1, *self.windows.kernel[1:]
        like: Entry = F.reshape(self.rewriting.own(self.weight), shape=joined)
        return like

    def _own_filters(self, filters: Entry) -> Entry:
        """Undo `filters`."""
        planes, form = self.depth["kernel"], self._weight_form()
        if planes == 1:
            return form.restored(F.expand_dims(filters, axis=2))
        return form.restored(apply(split_planes, filters, name=self.node.name, planes=planes))

    def _weight_form(self) -> ImageLayout:
        return ImageLayout(_RANK, self.windows.channels_last)

    def _made(self, *inputs: Entry) -> Entry:
        """The operator on images."""
        settings = {**self.settings, **_behind_depth(self.windows), "layout": None}
        settings["dilate"] = self.windows.dilate[1:]
        return self.rewriting.applied(self.node, self.node.applied.op, settings, inputs).entry()


def _behind_depth(windows: Windows) -> dict[str, tuple[int, ...]]:
    """The attributes of windows along the axes after the depth."""
    return {name: getattr(windows, name)[1:] for name in ("kernel", "stride", "pad")}


def pooling(rewriting: PlainRewriting, node: Node) -> bool:
    """Rewrite pooling that treats each image separately, if volumes are images already."""
    if not _has_volumes(rewriting, node):
        return False
    settings = node.applied.settings
    forms = {rewriting.plain[entry][1] for entry in node.inputs if entry in rewriting.plain}
    if settings["global_pool"] or len(forms) != 1 or not any(form.depth for form in forms):
        return False
    along = settings["kernel"], settings["stride"], settings["pad"]
    windows = windows_of(*along, layout=settings["layout"])
    (form,) = forms
    if windows.channels_last != form.last:
        return False
    if (windows.kernel[0], windows.stride[0], windows.pad[0]) != (1, 1, 0):
        return False
    images = [rewriting.as_plain(entry, form) for entry in node.inputs]
    flat = {**settings, **_behind_depth(windows), "layout": None}
    made = rewriting.applied(node, node.applied.op, flat, images)
    rewriting.plain[node.entry()] = made.entry(), form
    return True
