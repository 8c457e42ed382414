"""A graph called like an operator: ``sym._internal._CachedOp`` inserts its nodes one by one."""

from collections.abc import Mapping
from typing import Any

from gluonic.graph import Node
from gluonic.graph.errors import AttributeValueError, CallError, describe
from gluonic.graph.json.reader import read_json
from gluonic.symbol.compose import only_entry
from gluonic.symbol.naming import current_names
from gluonic.symbol.symbol import Symbol

_TITLE = "_CachedOp"
_FLAGS = {
    *("static_alloc", "static_shape", "inline_limit", "forward_bulk_size", "backward_bulk_size"),
    *("data_indices", "param_indices"),
}


def call_subgraph(
    *inputs: Symbol, subgraph: str = "", name: str | None = None, **flags: Any
) -> Symbol:
    """Apply a graph to symbols.

    Parameters
    ----------
    inputs : for each input of the graph, in the order of `list_inputs`; those at the end may be left out, and
        become variables
    subgraph : the graph, as JSON text
    name : the prefix of the names of the graph's nodes
    flags : as of `nd.CachedOp`; accepted, without effect on values

    Examples
    --------
    >>> import gluonic as mx
    >>> product = mx.sym.Variable("a") * mx.sym.Variable("b")
    >>> x, y = mx.sym.Variable("x"), mx.sym.Variable("y")
    >>> call_subgraph(x, y, subgraph=product.tojson(), name="sub").list_arguments()
    ['x', 'y']
    """
    for flag in flags.keys() - _FLAGS:
        raise AttributeValueError(describe(f"has no attribute {flag!r}", where=_TITLE))
    graph = read_json(subgraph)
    if len(inputs) > len(graph.variables):
        raise CallError(
            describe(
                f"the graph has {len(graph.variables)} inputs, not {len(inputs)}",
                where=_TITLE,
                facts=[f"they are {', '.join(node.name for node in graph.variables) or 'none'}"],
            )
        )
    given = dict(zip(graph.variables, inputs, strict=False))
    title = current_names().get(name, _TITLE.lower())
    for node in graph.nodes:
        node.name = f"{title}_{node.name}"
    return Symbol(graph.called_anew(_entries(given)))


def _entries(given: Mapping[Node, Symbol]) -> dict[Node, Any]:
    return {node: only_entry(symbol, _TITLE, node.name) for node, symbol in given.items()}
