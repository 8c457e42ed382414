"""Mixed precision of operators that are applied to symbols."""

import logging
from collections.abc import Sequence

from gluonic.graph import REGISTRY, Application, Entry, Node, casting
from gluonic.graph.casting import FULL
from gluonic.symbol.naming import current_names


def cast_entries(application: Application, entries: Sequence[Entry]) -> Sequence[Entry]:
    """Cast an operator's inputs as `casting.current` requires, with nodes `amp_cast` and `amp_multicast`."""
    rules = casting.current
    if rules is None:
        return entries
    name = application.op.name
    if name in rules.scaled_losses:
        logging.warning("%s: the gradient of a symbol's loss is not scaled dynamically", name)
    kind = rules.kind(application)
    if kind is None:
        return entries
    if kind == "widest":
        count = str(len(entries))
        both = _node("amp_multicast", entries, {"num_outputs": count})
        return [both.entry(index) for index in range(len(entries))]
    dtype = (rules.low if kind == "low" else FULL).name
    return [
        entry
        if rules.stays(application, input_name)
        else _node("amp_cast", [entry], {"dtype": dtype}).entry()
        for input_name, entry in zip(application.inputs, entries, strict=True)
    ]


def _node(operator: str, inputs: Sequence[Entry], texts: dict[str, str]) -> Node:
    application = REGISTRY[operator].apply(texts)
    return Node(application, current_names().get(None, operator), inputs, texts)
