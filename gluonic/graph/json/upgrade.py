"""Conversion of graphs that older versions of MXNet wrote."""

import re
from collections.abc import Mapping

from gluonic.graph.node import Graph, Node
from gluonic.graph.node_attributes import BARE, input_attribute, own, set_initializers
from gluonic.graph.shape_semantics import is_np_shape

CURRENT = 905


def hidden_names(attributes: Mapping[str, str]) -> dict[str, str]:
    """Rename attributes that are not the operator's own to ``__name__``."""
    return {f"__{name}__" if name in BARE else name: text for name, text in attributes.items()}


def upgrade(graph: Graph, version: int) -> None:
    """Update a graph that a version of MXNet wrote, in place.

    From version `CURRENT` on, only attributes of operators that belong to their inputs are moved.
    """
    for node in graph.nodes:
        if node.application is not None:
            _move_input_attributes(node)
            if version < 904:
                set_initializers(node.application, node.inputs)
            if version < CURRENT:
                _free_argmax_axis(node)


def translate_shapes(graph: Graph, *, np_shapes: bool) -> None:
    """Convert the variables' unknown axes to the current notation: 0, or -1 with NumPy's shapes.

    Parameters
    ----------
    np_shapes : whether the file was written with NumPy's shapes
    """
    if np_shapes == is_np_shape():
        return
    old, new = (r"(?<![\d-])-1(?!\d)", "0") if np_shapes else (r"(?<![\d-])0(?!\d)", "-1")
    for node in graph.variables:
        if "__shape__" in node.attributes:
            written = re.sub(old, new, node.attributes["__shape__"])
            node.attributes = {**node.attributes, "__shape__": written}


def _move_input_attributes(node: Node) -> None:
    """Move ``weight_lr_mult`` of an operator to ``__lr_mult__`` of its weight."""
    for name in list(node.attributes):
        found = input_attribute(name)
        if found is None or found[0] not in node.applied.inputs:
            continue
        variable = node.inputs[node.applied.inputs.index(found[0])].node
        if variable.is_variable:
            kept = dict(node.attributes)
            moved = {f"__{found[1]}__": kept.pop(name)}
            variable.attributes, node.attributes = {**variable.attributes, **moved}, kept


def _free_argmax_axis(node: Node) -> None:
    """Drop ``axis=-1``, which used to mean "over all elements"; now a missing axis does."""
    if node.operator_name in ("argmax", "argmin") and node.attributes.get("axis") == "-1":
        node.attributes = {name: text for name, text in node.attributes.items() if name != "axis"}
        node.application = node.applied.op.apply(own(node.attributes, node.applied.op))
