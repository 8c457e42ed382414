"""Draws are separated from the arithmetic on the drawn numbers, so that machine code can do the latter.

A draw keeps its position in the order of draws. The gradient reads the drawn numbers.
"""

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from gluonic.codegen.loops.draws import drop, kept_elements, masks, slopes
from gluonic.codegen.loops.inner_operators import apply
from gluonic.codegen.lowerings.entry import lowering_at, rule_at
from gluonic.codegen.rewriting.passes import Pass, PassContext
from gluonic.graph import Entry, Graph, Node, Operator
from gluonic.graph.builder import F
from gluonic.graph.draws import draws
from gluonic.graph.ops.dropout import kept_scale
from gluonic.graph.ops.recurrent import masked_rnn
from gluonic.graph.ops.recurrent_rules import network_of
from gluonic.graph.origin import give_origin


class SeparateDraws(Pass):
    """Dropout, random slopes and dropout between recurrent layers become two operators each.

    Examples
    --------
    >>> x = Node(None, "x").entry()
    >>> y, _ = F.Dropout(x, p=0.5)
    >>> print(SeparateDraws().shown(y, train=True, x=(2, 3)))
    dropout = Dropout(x)
    return dropout[0]
    --------------------
    dropout = _draw_kept(x, p=0.5)
    drop = _drop(x, dropout, p=0.5)
    return drop
    """

    name = "separate draws"
    contract = "an operator that draws random numbers does nothing else"

    def apply(self, graph: Graph, context: PassContext) -> Graph:
        """Separate draws."""
        return with_draws_apart(graph, context.train)


def with_draws_apart(graph: Graph, train: bool) -> Graph:
    """The graph in which dropout, random slopes and dropout between recurrent layers are two operators each.

    Parameters
    ----------
    graph : the graph
    train : whether the graph runs in training mode
    """

    def replace(node: Node, inputs: Sequence[Entry]) -> Sequence[Entry] | None:
        rule = lowering_at(node).draws_apart
        if rule is None or not draws(node, train):
            return None
        made: Sequence[Entry] = rule_at(rule)(node, inputs, node.applied.settings)
        give_origin(made, node)
        return made

    return graph.rewrite(replace)


def _drawn(node: Node, op: Operator, data: Entry, **settings: Any) -> Entry:
    """The draw of a node, with its position in the order."""
    return node.with_application(op.apply(settings), [data]).entry()


def dropout(node: Node, inputs: Sequence[Entry], settings: Mapping[str, Any]) -> Sequence[Entry]:
    """Dropout with a drawn mask."""
    (data,), p = inputs, settings["p"]
    kept = _drawn(node, kept_elements, data, p=p, axes=settings["axes"])
    return [apply(drop, data, kept, p=p), F._cast_like(kept, data) * float(kept_scale(p))]


def rectifier(node: Node, inputs: Sequence[Entry], settings: Mapping[str, Any]) -> Sequence[Entry]:
    """A rectifier with drawn slopes."""
    (data,), bounds = inputs, ("lower_bound", "upper_bound")
    drawn = _drawn(node, slopes, data, **{name: settings[name] for name in bounds})
    return [F.where(data > 0, data, data * drawn), drawn]


def network(node: Node, inputs: Sequence[Entry], settings: Mapping[str, Any]) -> Sequence[Entry]:
    """A recurrent network with drawn dropout masks between layers."""
    given = dict(zip(node.applied.inputs, inputs, strict=True))
    sizes = network_of(SimpleNamespace(**settings))
    width, layers = sizes.directions * sizes.shown, sizes.num_layers - 1
    given["masks"] = _drawn(node, masks, given["data"], layers=layers, width=width, p=settings["p"])
    known = {k: v for k, v in settings.items() if k in masked_rnn.attributes and v is not None}
    application = masked_rnn.apply(known)
    made = Node(application, node.name, [given[name] for name in application.inputs])
    return [made.entry(i) for i in range(made.output_count)]
