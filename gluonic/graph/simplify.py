"""Rewrites that preserve values: removal of common subexpressions and of operators without effect."""

from collections.abc import Callable, Mapping, Sequence
from operator import eq
from typing import Any

import numpy as np

from gluonic.graph.application import Application
from gluonic.graph.dtypes import is_floating
from gluonic.graph.node import Entry, Graph, Node

SameShape = Callable[[Entry, Entry], bool]

_UNCHANGED_IN_SHAPE = {
    "Cast",
    "_cast_as",
    "_cast_like",
    "_copy",
    "_reduce_like",
    "amp_cast",
    "broadcast_axis",
    "broadcast_like",
    "broadcast_to",
    "slice_like",
}
_UNCHANGED_BY = {"_mul_scalar": 1.0, "_div_scalar": 1.0}


def simplify(graph: Graph, same_shape: SameShape, dtypes: Mapping[Entry, np.dtype[Any]]) -> Graph:
    """Compute common subexpressions once, and remove operators without effect.

    Parameters
    ----------
    graph : the graph
    same_shape : whether two of its entries have equal shapes
    dtypes : those of all its entries

    Returns
    -------
    Graph
        its outputs have the same values; some may now be inputs, or the same entry
    """
    known: dict[Any, Node] = {}

    def replace(node: Node, inputs: Sequence[Entry]) -> Node | Sequence[Entry] | None:
        if node.application is None:
            return None
        if _changes_nothing(node, same_shape, dtypes):
            return [inputs[0]]
        return first_alike(node, inputs, known)

    return graph.rewrite(replace)


def _changes_nothing(
    node: Node, same_shape: SameShape, dtypes: Mapping[Entry, np.dtype[Any]]
) -> bool:
    application = node.applied
    op = application.op
    if op.name in _UNCHANGED_BY:
        may_change = application.settings["scalar"] != _UNCHANGED_BY[op.name]
    else:
        may_change = op.name not in _UNCHANGED_IN_SHAPE and not op.is_view
    if may_change or not node.inputs:
        return False
    given, made = node.inputs[0], node.entry()
    if dtypes[given] != dtypes[made]:
        return False
    return is_floating(dtypes[made]) if op.name in _UNCHANGED_BY else same_shape(given, made)


def first_alike(node: Node, inputs: Sequence[Entry], known: dict[Any, Node]) -> Node | None:
    """The `known` node equivalent to `node` with `inputs`; if there is none, `node` is added to `known`.

    None if the node must run each time.
    """
    application = node.applied
    if _must_run(application):
        return None
    key = application.op, tuple(application.settings.items()), tuple(inputs)
    try:
        found = known.get(key)
    except TypeError:  # a list or an array among the attributes
        return None
    if found is None:
        same = len(inputs) == len(node.inputs) and all(map(eq, inputs, node.inputs))
        found = known[key] = node if same else node.with_inputs(inputs)
    return found


def _must_run(application: Application) -> bool:
    """Whether results are not the operator's, attributes' and inputs' alone."""
    op = application.op
    stands_alone = op.run_name is None and not op.calls_back and op.keeps_state is None
    return not stands_alone or bool(application.states)
