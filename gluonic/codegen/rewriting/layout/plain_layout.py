"""A pass that brings windowed operators into the one form that kernels are written for.

Channels come first, signals are images of one row, a transposed convolution is the gradient of a convolution:

    Convolution(x, w, layout=NHWC)  →  transpose(Convolution(transpose(x), transpose(w)))
    Convolution(x, w, kernel=(3,))  →  squeeze(Convolution(expand_dims(x), expand_dims(w), kernel=(1, 3)))
    Deconvolution(x, w)             →  _backward_Convolution_data(x, …, w), or dot(x, w) if `x` has one place

and volumes are images, whose filters read their neighbours as further channels (`volume_forms`).

What only passes images on (element by element, normalized, joined) stays in that form, so that chains of layers
are rearranged at their ends.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gluonic.codegen.loops.inner_operators import apply
from gluonic.codegen.maths.values import FLOAT32, FLOAT64
from gluonic.codegen.rewriting.layout import TRANSPOSED, WINDOWED
from gluonic.codegen.rewriting.layout.image_layout import ImageLayout, images_like
from gluonic.codegen.rewriting.layout.layout_rewriting import LayoutRewriting
from gluonic.codegen.rewriting.layout.volumes import volumes_as_images
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph.attributes import Shape
from gluonic.graph.builder import F
from gluonic.graph.node import Entry, Graph, Node
from gluonic.graph.operator import REGISTRY
from gluonic.graph.ops.deconvolution import transposed_convolution
from gluonic.graph.ops.windows import Windows, is_channels_last
from gluonic.support.record import record

_FLOATS = (FLOAT32, FLOAT64)


def with_plain_images(graph: Graph, facts: Facts) -> Graph:
    """The graph with windowed operators in the form of kernels; the same graph if there is nothing to do."""
    if not any(node.operator_name in _WINDOWED for node in graph.nodes):
        return graph
    return PlainRewriting(graph, facts).run()


class PlainRewriting(LayoutRewriting):
    """One run of the pass.

    Attributes
    ----------
    plain : entries in the form of kernels, with their own form
    """

    def __init__(self, graph: Graph, facts: Facts) -> None:
        super().__init__(graph, facts, _RULES, PlainRewriting.elementwise)
        self.plain: dict[Entry, tuple[Entry, ImageLayout]] = {}

    def may_take(self, node: Node) -> bool:
        """Whether it computes elements of arrays of floats."""
        entries = [*node.inputs, node.entry()]
        if any(self.facts.dtypes[e] not in _FLOATS for e in entries):
            return False
        return not any(0 in self.facts.shapes[e] for e in entries)

    def restored(self, entry: Entry) -> Entry:
        """An entry that is in the form of kernels, in its own."""
        made, form = self.plain[entry]
        return form.restored(made)

    def in_other_layouts(self, entry: Entry) -> list[Entry]:
        """An entry in the form of kernels, if it is there."""
        return [self.plain[entry][0]] if entry in self.plain else []

    def as_plain(self, entry: Entry, form: ImageLayout) -> Entry:
        """An entry in the form of kernels."""
        found = self.plain.get(entry)
        if found is None or found[1] != form:
            found = form.made_plain(self.own(entry)), form
            self.plain[entry] = found
        return found[0]

    def _settings(self, node: Node) -> dict[str, Any]:
        return dict(node.applied.settings)

    def _form(self, node: Node) -> ImageLayout:
        rank = len(self.facts.shapes[node.inputs[0]])
        return ImageLayout(rank, is_channels_last(self._settings(node)["layout"]))

    # -- windows ------------------------------------------------------------------------------

    def windowed(self, node: Node) -> bool:
        """Take a convolution, pooling or one of their gradients."""
        if volumes_as_images(self, node):
            return True
        form, settings = self._form(node), self._settings(node)
        if form.is_plain:
            return False
        for name, fill in _PLACES.items():
            if settings.get(name):
                settings[name] = form.lifted(settings[name], fill)
        self._make(node, {**settings, "layout": None}, form)
        return True

    def transposed(self, node: Node) -> bool:
        """Take a transposed convolution or one of its gradients."""
        form, settings = self._form(node), self._settings(node)
        target = _TRANSPOSED[node.operator_name]
        data, weight, *bias = [node.inputs[i] for i in target.order if i < len(node.inputs)]
        shape = self._plain_shape(node.inputs[target.data], form)
        own = {name: form.lifted(settings[name], fill) for name, fill in _PLACES.items()}
        windows, places = transposed_convolution(shape, node.title, layout=None, **own)
        if target.needs_shape and _is_product(shape, windows, places, settings["num_group"]):
            filters = (shape[1], settings["num_filter"], *windows.kernel)
            result = _product(self.as_plain(data, form), self.as_plain(weight, form), filters)
            self.plain[node.entry()] = self._with_bias(result, bias, len(windows.kernel)), form
            return True
        made = {
            "kernel": windows.kernel,
            "stride": windows.stride,
            "dilate": windows.dilate,
            "pad": windows.pad,
            "num_filter": shape[1],
            "num_group": settings["num_group"],
            "no_bias": True,
        }
        inputs = [self.as_plain(data, form), self.as_plain(weight, form)]
        if target.needs_shape:
            like = apply(
                images_like,
                inputs[0],
                name=node.name,
                channels=settings["num_filter"],
                places=places,
            )
            inputs.insert(1, like)
        if target.name.endswith("weight"):
            inputs.append(self.as_plain(node.inputs[2], form))
        result = self.applied(node, target.name, made, inputs).entry()
        self.plain[node.entry()] = self._with_bias(result, bias, len(windows.kernel)), form
        return True

    def _with_bias(self, images: Entry, bias: Sequence[Entry], rank: int) -> Entry:
        for entry in bias:
            shape = (1, -1, *(1 for _ in range(rank)))
            images = F.broadcast_add(images, F.reshape(self.own(entry), shape=shape))
        return images

    def _plain_shape(self, entry: Entry, form: ImageLayout) -> tuple[Any, ...]:
        """The shape of an entry in the form of kernels, without the size of the batch."""
        others = self.shape(entry)[1:]
        channels = others[-1 if form.last else 0]
        places = others[:-1] if form.last else others[1:]
        return (None, channels, *form.lifted(tuple(places), 1))

    def _make(self, node: Node, settings: Mapping[str, Any], form: ImageLayout) -> None:
        inputs = [
            self.as_plain(e, form) if len(self.facts.shapes[e]) == form.rank else self.own(e)
            for e in node.inputs
        ]
        copy = self.applied(node, node.operator_name, settings, inputs)
        self.plain[node.entry()] = copy.entry(), form

    @staticmethod
    def applied(
        node: Node, name: str, settings: Mapping[str, Any], inputs: Sequence[Entry]
    ) -> Node:
        """An operator in the place of a node."""
        made = REGISTRY[name].apply(dict(settings))
        return node.with_application(made, inputs)

    # -- what passes images on ----------------------------------------------------------------

    def normalization(self, node: Node) -> bool:
        """Keep a batch normalization over channels in the form of its data."""
        found = self.plain.get(node.inputs[0])
        if found is None:
            return False
        made, form = found
        settings = self._settings(node)
        if settings["axis"] % form.rank != (form.rank - 1 if form.last else 1):
            return False
        inputs = [made, *(self.own(entry) for entry in node.inputs[1:])]
        copy = self.applied(node, node.operator_name, {**settings, "axis": 1}, inputs)
        self.plain[node.entry()] = copy.entry(), form
        for index in range(1, node.output_count):
            self.kept[node.entry(index)] = copy.entry(index)
        return True

    def join(self, node: Node) -> bool:
        """Keep images that are joined along their channels in the form that all of them have."""
        form = self._common_form(node)
        if form is None:
            return False
        settings = self._settings(node)
        if settings["dim"] % form.rank != (form.rank - 1 if form.last else 1):
            return False
        self._make(node, {**settings, "dim": 1}, form)
        return True

    def elementwise(self, node: Node) -> bool:
        """Keep an operator that computes every element by itself in the form of its inputs."""
        if node.applied.op.scalar is None or node.output_count != 1 or not node.inputs:
            return False
        shape, form = self.facts.shapes[node.entry()], self._common_form(node)
        if form is None or any(self.facts.shapes[entry] != shape for entry in node.inputs):
            return False
        inputs = [self.as_plain(entry, form) for entry in node.inputs]
        self.plain[node.entry()] = node.with_inputs(inputs).entry(), form
        return True

    def _common_form(self, node: Node) -> ImageLayout | None:
        """The form of the inputs; to be an image of one row costs the others nothing."""
        forms = {self.plain[e][1] if e in self.plain else None for e in node.inputs}
        known = {form for form in forms if form is not None}
        if len(known) != 1:
            return None
        (form,) = known
        return form if None not in forms or not form.last else None


def _is_product(shape: Shape, windows: Windows, places: Sequence[int | None], groups: int) -> bool:
    """Whether a transposed convolution is one of images of one place, which its filters cover: a product."""
    is_one_place = groups == 1 and all(extent == 1 for extent in shape[2:])
    return is_one_place and not any(windows.pad) and tuple(places) == tuple(windows.kernel)


def _product(images: Entry, weight: Entry, filters: Shape) -> Entry:
    """The images that filters of such a shape make of images of one place."""
    channels, *made = filters
    rows = F.reshape(images, shape=(0, channels))
    columns = F.reshape(weight, shape=(channels, math.prod(made)))
    result: Entry = F.reshape(F.dot(rows, columns), shape=(0, *made))
    return result


@record
class _Transposed:
    """The gradient that a transposed convolution, or one of its own gradients, is.

    Attributes
    ----------
    name : of the operator
    order : which inputs it reads, by their positions
    data : the input whose shape is that of the layer's data
    needs_shape : whether images come with it of which only the shape counts
    """

    name: str
    order: tuple[int, ...]
    data: int
    needs_shape: bool = False


_PLACES = {"kernel": 1, "stride": 1, "dilate": 1, "pad": 0, "adj": 0, "target_shape": 0}
_TRANSPOSED: dict[str, _Transposed] = {
    "Deconvolution": _Transposed("_backward_Convolution_data", (0, 1, 2), 0, needs_shape=True),
    "_backward_Deconvolution_data": _Transposed("Convolution", (0, 2), 1),
    "_backward_Deconvolution_weight": _Transposed("_backward_Convolution_weight", (1, 0), 1),
}
_WINDOWED: dict[str, Callable[[PlainRewriting, Node], bool]] = {
    **dict.fromkeys(WINDOWED, PlainRewriting.windowed),
    **dict.fromkeys(TRANSPOSED, PlainRewriting.transposed),
}
_RULES = {**_WINDOWED, "BatchNorm": PlainRewriting.normalization, "Concat": PlainRewriting.join}
