"""Growth of a random graph: each result is computed at once, so that rules know their operands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st

from gluonic.graph import ops  # noqa: F401 - fills the registry
from gluonic.graph.kernel_runs import run_node
from gluonic.graph.node import Entry, Graph, Node, make_node
from gluonic.graph.operator import Array, Run
from gluonic.graph.random_source import RandomSource

Shape = tuple[int, ...]
Draw = Callable[[st.SearchStrategy[Any]], Any]

MOST_ELEMENTS, _LARGEST = 8192, 6.0
_UNUSUAL = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40, -1e-310, 1.0)


@dataclass(frozen=True)
class Value:
    """A result with the numbers it has.

    Attributes
    ----------
    exact : whether no rounding went into it, so that operators that jump (comparisons, sorting) give the same
        however it was computed
    """

    entry: Entry
    array: Array
    exact: bool

    @property
    def shape(self) -> Shape:
        """The shape."""
        return self.array.shape

    @property
    def dtype(self) -> str:
        """The dtype's name."""
        return self.array.dtype.name

    @property
    def is_floating(self) -> bool:
        """Whether it is a floating number."""
        return self.array.dtype.kind == "f"


@dataclass(frozen=True)
class RandomGraph:
    """A graph with arrays for its variables.

    Attributes
    ----------
    states : the variables that the graph updates
    train : whether it runs in training mode
    """

    graph: Graph
    variables: tuple[Node, ...]
    arrays: tuple[Array, ...]
    states: frozenset[Node]
    train: bool

    def text(self) -> str:
        """The graph as text, a line a node, for debugging."""
        lines = []
        for node in self.graph.nodes:
            if node.application is None:
                position = self.variables.index(node)
                array = self.arrays[position]
                lines.append(f"{node.name} = {array.dtype}{list(array.shape)}")
                continue
            settings = {k: v for k, v in node.application.settings.items() if k != "num_args"}
            inputs = ", ".join(_name(e) for e in node.inputs)
            lines.append(f"{_name(node.entry())} = {node.operator_name}({inputs}) {settings}")
        lines.append("outputs: " + ", ".join(_name(e) for e in self.graph.outputs))
        return "\n".join(lines)


def _name(entry: Entry) -> str:
    node = entry.node
    return node.name if node.is_variable else f"%{node.serial}.{entry.index}"


@dataclass
class Growing:
    """A graph that grows operator by operator.

    Attributes
    ----------
    unusual : whether variables hold NaN, infinities, zeros and denormals too
    """

    seed: int
    train: bool = False
    unusual: bool = False
    values: list[Value] = field(default_factory=list)
    variables: list[Node] = field(default_factory=list)
    arrays: list[Array] = field(default_factory=list)
    states: set[Node] = field(default_factory=set)

    def given(self, array: Array, *, exact: bool = True, listed: bool = True) -> Value:
        """A variable with these numbers."""
        node = Node(None, f"x{len(self.variables)}")
        self.variables.append(node)
        self.arrays.append(array)
        value = Value(node.entry(), array, exact)
        if listed:
            self.values.append(value)
        return value

    def random(self) -> np.random.Generator:
        """Numbers that depend on the seed and on how many variables there are."""
        return np.random.default_rng((self.seed, len(self.variables)))

    def variable(self, shape: Shape, dtype: str, *, listed: bool = True) -> Value:
        """A variable of random numbers between -1 and 1, or of small integers."""
        random = self.random()
        if np.dtype(dtype).kind == "f":
            numbers = np.asarray(random.uniform(-1, 1, shape))
            if self.unusual:
                few = random.random(shape) < random.choice([0.0, 0.02, 0.2])
                numbers = np.where(few, random.choice(_UNUSUAL, shape), numbers)
            return self.given(numbers.astype(dtype), listed=listed)
        low = 0 if np.dtype(dtype).kind in "ub" else -5
        return self.given(np.asarray(random.integers(low, 6, shape), dtype), listed=listed)

    def positive(self, shape: Shape, dtype: str) -> Value:
        """A variable of numbers between 0.5 and 1.5, which nothing else reads."""
        return self.given(np.asarray(self.random().uniform(0.5, 1.5, shape), dtype), listed=False)

    def state(self, value: float, shape: Shape, dtype: str) -> Value:
        """A variable that operators update."""
        made = self.given(np.full(shape, value, dtype), listed=False)
        self.states.add(made.entry.node)
        return made

    def integers(self, shape: Shape, below: int, dtype: str) -> Value:
        """A variable of indices."""
        return self.given(np.asarray(self.random().integers(0, below, shape), dtype), listed=False)

    def node(self, op: str, *inputs: Value, exact: bool = False, **attributes: Any) -> list[Value]:
        """The visible results of an operator, listed nowhere yet."""
        node = make_node(op, [v.entry for v in inputs], attributes)
        assert node.application is not None
        run = Run(self.train, RandomSource(7))
        results = run_node(node.application, [v.array.copy() for v in inputs], run)
        exact = exact and all(v.exact for v in inputs)
        return [
            Value(node.entry(i), np.asarray(a), exact)
            for i, a in enumerate(results[: node.application.visible])
        ]

    def add(self, op: str, *inputs: Value, exact: bool = False, **attributes: Any) -> list[Value]:
        """Apply an operator, squash what has grown, and keep what is neither too large nor no number."""
        kept = []
        for value in self.node(op, *inputs, exact=exact, **attributes):
            if value.array.size > MOST_ELEMENTS:
                continue
            if value.is_floating and value.array.size:
                finite = value.array[np.isfinite(value.array)]
                if finite.size < value.array.size and not self.unusual:
                    continue
                if np.abs(finite).max(initial=0) > _LARGEST:
                    (value,) = self.node("tanh", value)
            kept.append(value)
        self.values += kept
        return kept

    def like(self, value: Value, fits: Callable[[Shape], bool]) -> list[Value]:
        """The results of the same dtype whose shapes fit."""
        return [v for v in self.values if v.dtype == value.dtype and fits(v.shape)]
