"""The data of a rule that rewrites one operator."""

from collections.abc import Sequence
from typing import Any

from gluonic.codegen.loops.inner_operators import apply, filled, overwrite
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph import Entry, Node
from gluonic.support.record import record


@record
class RewriteContext:
    """One application of a rule.

    Attributes
    ----------
    node : the operator's use
    inputs : its rewritten inputs
    train : whether the graph runs in training mode
    facts : about the original graph
    used : the entries of the original graph that are read
    current : for a state that has been overwritten, its current value
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
        """The dtype of the first input."""
        return self.facts.dtypes[self.node.inputs[0]]

    @property
    def rank(self) -> int:
        """The rank of the first input."""
        return len(self.facts.shapes[self.node.inputs[0]])

    @property
    def is_empty(self) -> bool:
        """Whether an input has no elements."""
        inputs = self.node.inputs
        return self.facts.decide(lambda facts: any(0 in facts.shapes[entry] for entry in inputs))

    def constant(self, value: float, index: int = 0) -> Entry:
        """An array of one number, like an output."""
        entry = self.node.entry(index)
        shape, dtype = self.facts.shapes[entry], self.facts.dtypes[entry]
        sources, axes = (-1,) * len(shape), tuple(shape)
        return apply(filled, num_args=0, value=value, sources=sources, axes=axes, dtype=dtype.name)

    def state(self, name: str) -> Entry:
        """The current value of a state."""
        entry: Entry = getattr(self.n, name)
        return self.current.get(entry.node, entry)

    def update(self, name: str, value: Entry) -> None:
        """Overwrite a state."""
        variable = getattr(self.n, name).node
        self.current[variable] = apply(overwrite, self.state(name), value)
