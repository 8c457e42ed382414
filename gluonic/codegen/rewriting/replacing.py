"""The replacement of operators by the rules of their entries, and the pass for what has no code of its own."""

from collections.abc import Callable, Sequence
from dataclasses import field
from functools import partial

from gluonic.codegen.loops.site import RewriteContext
from gluonic.codegen.lowerings.entry import lowering_at, rule_at
from gluonic.codegen.rewriting.passes import Pass, PassContext
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph import Entry, Graph, Node
from gluonic.graph.builder import F
from gluonic.graph.origin import give_origin
from gluonic.support.record import record


@record
class Rewriting:
    """One run over a graph, by the rules that a field of operators' entries names."""

    graph: Graph
    facts: Facts
    train: bool
    rules: str
    replaced: list[Node] = field(default_factory=list)
    current: dict[Node, Entry] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.used = {e for n in self.graph.nodes for e in n.inputs} | set(self.graph.outputs)

    def decomposes(self, node: Node, inputs: Sequence[Entry]) -> bool:
        """Whether the rule for all machines applies to a node."""
        rule = lowering_at(node).decompose
        site = RewriteContext(node, inputs, self.train, self.facts, self.used, dict(self.current))
        return rule is not None and rule_at(rule)(F, site) is not None

    def replace(self, node: Node, inputs: Sequence[Entry]) -> Sequence[Entry] | None:
        """The entries that replace a node's outputs."""
        rule = getattr(lowering_at(node), self.rules)
        if rule is None:
            return None
        site = RewriteContext(node, inputs, self.train, self.facts, self.used, self.current)
        made: Sequence[Entry] | None = rule_at(rule)(F, site)
        if made is not None:
            give_origin(made, node)
            self.replaced.append(node)
        return made


class DecomposeForDevices(Pass):
    """Operators that have kernels for processors alone become others that devices compute, too.

    Parameters
    ----------
    has_code : whether there is code for an operator alone, so that it is left; by default there is none
    stays : whether an operator is left in any case

    Examples
    --------
    >>> from gluonic.graph.builder import F
    >>> x = Node(None, "x").entry()
    >>> print(DecomposeForDevices().shown(F.SequenceMask(x), x=(2, 3)))
    sequencemask = SequenceMask(x)
    return sequencemask
    --------------------
    return x
    """

    name = "decompose for devices"
    contract = "an operator with a rule for devices is left only where the rule does not apply"

    def __init__(
        self,
        has_code: Callable[[Node, Facts], bool] | None = None,
        stays: Callable[[Node, Facts], bool] = lambda *_: False,
    ) -> None:
        self._has_code, self._stays = has_code, stays

    def apply(self, graph: Graph, context: PassContext) -> Graph:
        """Replace operators as long as there are some to replace."""
        while True:
            rewriting = Rewriting(graph, context.facts(graph), context.train, "on_devices")
            made = graph.rewrite(partial(self._replaced, rewriting, context.unguarded(graph)))
            if not rewriting.replaced:
                return graph
            graph = made

    def _replaced(
        self, rewriting: "Rewriting", facts: Facts, node: Node, inputs: Sequence[Entry]
    ) -> Sequence[Entry] | None:
        if lowering_at(node).on_devices is None or self._stays(node, rewriting.facts):
            return None
        has_code = self._has_code is not None and (
            self._has_code(node, facts) or rewriting.decomposes(node, inputs)
        )
        return None if has_code else rewriting.replace(node, inputs)
