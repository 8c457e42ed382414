"""Results that are reshapes of others, and so need neither work nor memory of their own."""

from dataclasses import field

from gluonic.codegen.loops.semantics import relabels
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph import Entry, Graph
from gluonic.support.record import record


@record
class Aliases:
    """Which results share memory.

    Attributes
    ----------
    root : for a relabelled result the one that is computed
    host : for a result that is computed, the output of the graph in whose memory it lives
    """

    root: dict[Entry, Entry] = field(default_factory=dict)
    host: dict[Entry, Entry] = field(default_factory=dict)


def find_aliases(graph: Graph, facts: Facts) -> Aliases:
    """Find the results that share memory; outputs have memory that they share with no input or output."""
    outputs, found = set(graph.outputs), Aliases()
    for node in graph.nodes:
        if node.application is None or not relabels(node.application):
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
