"""A pass that converts windowed operators to the only layout that kernels support.

Channels come first, signals are images of one row, a transposed convolution is the gradient of a convolution:

    Convolution(x, w, layout=NHWC)  →  transpose(Convolution(transpose(x), transpose(w)))
    Convolution(x, w, kernel=(3,))  →  squeeze(Convolution(expand_dims(x), expand_dims(w), kernel=(1, 3)))
    Deconvolution(x, w)             →  _backward_Convolution_data(x, …, w), or dot(x, w) if `x` has one pixel

and volumes are images; their filters read adjacent images as further channels (`volumes`).

Operators that only pass images on (element-wise, normalization, concatenation) stay in that layout, so that
images are transposed only at the ends of chains of layers. The rules of operators are in the files of this
folder; their entries name them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from gluonic.codegen.lowerings.entry import LayoutRules, Rule, lowering_at
from gluonic.codegen.maths.values import FLOAT32, FLOAT64
from gluonic.codegen.rewriting.layout.image_layout import ImageLayout
from gluonic.codegen.rewriting.layout.layout_rewriting import LayoutRewriting
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph import Entry, Graph, Node, Operator
from gluonic.graph.ops.windows import is_channels_last

_FLOATS = (FLOAT32, FLOAT64)


def with_plain_images(graph: Graph, facts: Facts) -> Graph:
    """The graph with windowed operators in the layout of kernels; the same graph if there is nothing to do."""
    known = (lowering_at(node).layout for node in graph.nodes)
    if not any(rules.decides and rules.plain is not None for rules in known):
        return graph
    return PlainRewriting(graph, facts).run()


class PlainRewriting(LayoutRewriting):
    """One run of the pass.

    Attributes
    ----------
    plain : entries in the layout of kernels, with their own layout
    """

    def __init__(self, graph: Graph, facts: Facts) -> None:
        super().__init__(graph, facts, PlainRewriting.elementwise)
        self.plain: dict[Entry, tuple[Entry, ImageLayout]] = {}

    def may_take(self, node: Node) -> bool:
        """Whether it computes floats from floats."""
        entries = [*node.inputs, node.entry()]
        if any(self.facts.dtypes[e] not in _FLOATS for e in entries):
            return False
        return not any(0 in self.facts.shapes[e] for e in entries)

    def rule_in(self, rules: LayoutRules) -> Rule | None:
        """The rule of an operator for the layout of kernels."""
        return rules.plain

    def restored(self, entry: Entry) -> Entry:
        """Convert an entry from the layout of kernels to its own."""
        made, form = self.plain[entry]
        return form.restored(made)

    def in_other_layouts(self, entry: Entry) -> list[Entry]:
        """An entry in the layout of kernels, if it exists."""
        return [self.plain[entry][0]] if entry in self.plain else []

    def as_plain(self, entry: Entry, form: ImageLayout) -> Entry:
        """An entry in the layout of kernels."""
        found = self.plain.get(entry)
        if found is None or found[1] != form:
            found = form.made_plain(self.own(entry)), form
            self.plain[entry] = found
        return found[0]

    def form_of(self, node: Node) -> ImageLayout:
        """The layout of the images that an operator reads."""
        rank = len(self.facts.shapes[node.inputs[0]])
        return ImageLayout(rank, is_channels_last(node.applied.settings["layout"]))

    def make(self, node: Node, settings: Mapping[str, Any], form: ImageLayout) -> None:
        """Apply a node's operator to arrays in the layout of kernels."""
        inputs = [
            self.as_plain(e, form) if len(self.facts.shapes[e]) == form.rank else self.own(e)
            for e in node.inputs
        ]
        copy = self.applied(node, node.applied.op, settings, inputs)
        self.plain[node.entry()] = copy.entry(), form

    @staticmethod
    def applied(
        node: Node, op: Operator, settings: Mapping[str, Any], inputs: Sequence[Entry]
    ) -> Node:
        """An operator that replaces a node."""
        return node.with_application(op.apply(dict(settings)), inputs)

    # -- what passes images on ----------------------------------------------------------------

    def normalization(self, node: Node) -> bool:
        """Compute a batch normalization over channels in the layout of its data."""
        found = self.plain.get(node.inputs[0])
        if found is None:
            return False
        made, form = found
        settings = node.applied.settings
        if settings["axis"] % form.rank != (form.rank - 1 if form.last else 1):
            return False
        inputs = [made, *(self.own(entry) for entry in node.inputs[1:])]
        copy = self.applied(node, node.applied.op, {**settings, "axis": 1}, inputs)
        self.plain[node.entry()] = copy.entry(), form
        for index in range(1, node.output_count):
            self.kept[node.entry(index)] = copy.entry(index)
        return True

    def join(self, node: Node) -> bool:
        """Concatenate images along their channels in the layout that all of them have."""
        form = self._common_form(node)
        if form is None:
            return False
        settings = node.applied.settings
        if settings["dim"] % form.rank != (form.rank - 1 if form.last else 1):
            return False
        self.make(node, {**settings, "dim": 1}, form)
        return True

    def elementwise(self, node: Node) -> bool:
        """Compute an element-wise operator in the layout of its inputs."""
        if node.applied.op.scalar is None or node.output_count != 1 or not node.inputs:
            return False
        shape, form = self.facts.shapes[node.entry()], self._common_form(node)
        if form is None or any(self.facts.shapes[entry] != shape for entry in node.inputs):
            return False
        inputs = [self.as_plain(entry, form) for entry in node.inputs]
        self.plain[node.entry()] = node.with_inputs(inputs).entry(), form
        return True

    def _common_form(self, node: Node) -> ImageLayout | None:
        """The layout of the inputs; others become images of one row at no cost."""
        forms = {self.plain[e][1] if e in self.plain else None for e in node.inputs}
        known = {form for form in forms if form is not None}
        if len(known) != 1:
            return None
        (form,) = known
        return form if None not in forms or not form.last else None
