"""Aliases: results that are reshapes of others need neither computation nor memory."""

from dataclasses import field

from gluonic.codegen.loops.inner_operators import overwrite
from gluonic.codegen.loops.semantics import is_view
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph import Entry, Graph
from gluonic.support.record import record


@record
class Aliases:
    """The results that share memory.

    Attributes
    ----------
    root : for a reshaped result, the result that is computed
    host : for a computed result, the output of the graph whose memory it uses
    """

    root: dict[Entry, Entry] = field(default_factory=dict)
    host: dict[Entry, Entry] = field(default_factory=dict)


def find_aliases(graph: Graph, facts: Facts) -> Aliases:
    """Find the results that share memory; an output shares memory with no input and no other output."""
    outputs, found = set(graph.outputs), Aliases()
    for node in graph.nodes:
        if node.application is None or not is_view(node.application):
            continue
        entry, source = node.entry(), node.inputs[0]
        if facts.dtypes[entry] != facts.dtypes[source]:
            continue
        root = found.root.get(source, source)
        if entry not in outputs:
            found.root[entry] = root
        elif not root.node.is_variable and root not in outputs and root not in found.host:
            found.root[entry] = root
            found.host[root] = entry
    return found


def find_targets(graph: Graph) -> dict[Entry, Entry]:
    """For each new value of a state, the variable that it overwrites."""
    found: dict[Entry, Entry] = {}
    for node in graph.nodes:
        if node.application is not None and node.application.op is overwrite:
            state = node.inputs[0]
            found[node.entry()] = found.get(state, state)
    return found
