"""What a rule that rewrites one operator sees."""

from collections.abc import Sequence
from typing import Any

from gluonic.codegen.loops.inner_operators import apply, overwrite
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph import Entry, Node
from gluonic.support.record import record


@record
class RewriteContext:
    """Where a rule is applied.

    Attributes
    ----------
    node : the operator's use
    inputs : what it reads, rewritten
    train : whether the graph runs in training mode
    facts : about the original graph
    used : the entries of the original graph that something reads
    current : for a state that has been overwritten what it holds now
    """

    node: Node
    inputs: Sequence[Entry]
    train: bool
    facts: Facts
    used: set[Entry]
    current: dict[Node, Entry]

    def __post_init__(self) -> None:
        self.n = self.node.applied.view([*self.inputs, *self.node.applied.outputs])

    @property
    def dtype(self) -> Any:
        """Of the first input."""
        return self.facts.dtypes[self.node.inputs[0]]

    @property
    def rank(self) -> int:
        """How many axes the first input has."""
        return len(self.facts.shapes[self.node.inputs[0]])

    def state(self, name: str) -> Entry:
        """What a state holds now."""
        entry: Entry = getattr(self.n, name)
        return self.current.get(entry.node, entry)

    def update(self, name: str, value: Entry) -> None:
        """Overwrite a state."""
        variable = getattr(self.n, name).node
        self.current[variable] = apply(overwrite, self.state(name), value)
