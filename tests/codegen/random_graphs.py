"""Random graphs for hypothesis: operators over random shapes, broadcasts and dtypes, in float ranges where
rounding is not magnified."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st

from gluonic.graph import ops  # noqa: F401 - fills the registry
from gluonic.graph.infer import infer
from gluonic.graph.node import Entry, Graph, Node, make_node

Shape = tuple[int, ...]
Draw = Callable[[st.SearchStrategy[Any]], Any]

UNARY = ("tanh", "sigmoid", "relu", "sin", "abs", "square", "negative", "softsign", "erf", "cos")
PAIRS = (
    "broadcast_add",
    "broadcast_sub",
    "broadcast_mul",
    "broadcast_maximum",
    "broadcast_minimum",
)
SCALARS = ("_plus_scalar", "_mul_scalar", "_rminus_scalar", "_maximum_scalar", "_div_scalar")
REDUCTIONS = ("sum", "mean", "max", "min")
_MOST_ELEMENTS = 4096


@dataclass
class Growing:
    """A graph that grows operator by operator."""

    dtype: str
    seed: int
    values: list[tuple[Entry, Shape]] = field(default_factory=list)
    variables: list[Node] = field(default_factory=list)
    arrays: list[np.ndarray[Any, Any]] = field(default_factory=list)

    def variable(self, shape: Shape) -> tuple[Entry, Shape]:
        node = Node(None, f"x{len(self.variables)}")
        random = np.random.default_rng(self.seed + len(self.variables))
        self.variables.append(node)
        self.arrays.append(np.asarray(random.uniform(-1, 1, shape), self.dtype))
        self.values.append((node.entry(), shape))
        return self.values[-1]

    def add(self, op: str, *inputs: Entry, **attributes: Any) -> None:
        """Apply an operator, then squash what may have grown."""
        node = make_node(op, list(inputs), attributes)
        entry = node.entry()
        if op not in ("tanh", "sigmoid", "transpose", "Reshape"):
            entry = make_node("tanh", [entry]).entry()
        known = {v: a.shape for v, a in zip(self.variables, self.arrays, strict=True)}
        graph = Graph([entry])
        facts = infer(graph, "shape", {v: s for v, s in known.items() if v in graph.consumers})
        shape = facts[entry.node][0]
        if np.prod(shape) <= _MOST_ELEMENTS:
            self.values.append((entry, shape))


def _unary(draw: Draw, g: Growing, x: Entry, shape: Shape) -> None:
    g.add(draw(st.sampled_from(UNARY)), x)


def _scalar(draw: Draw, g: Growing, x: Entry, shape: Shape) -> None:
    g.add(draw(st.sampled_from(SCALARS)), x, scalar=draw(st.sampled_from([0.5, 1.25, -0.75])))


def _pair(draw: Draw, g: Growing, x: Entry, shape: Shape) -> None:
    """Two results that broadcast together: one that is there, or a variable made to fit."""
    fitting = [e for e, other in g.values if _broadcasts(shape, other)]
    if draw(st.booleans()):
        kept = draw(st.integers(0, len(shape)))
        ones = tuple(n if draw(st.booleans()) else 1 for n in shape[kept:])
        fitting = [g.variable(ones)[0]]
    g.add(draw(st.sampled_from(PAIRS)), x, draw(st.sampled_from(fitting)))


def _broadcasts(a: Shape, b: Shape) -> bool:
    return all(m in (n, 1) or n == 1 for m, n in zip(reversed(a), reversed(b), strict=False))


def _reduction(draw: Draw, g: Growing, x: Entry, shape: Shape) -> None:
    axes = draw(st.lists(st.integers(0, len(shape) - 1), min_size=1, unique=True)) if shape else []
    name = draw(st.sampled_from(REDUCTIONS))
    g.add(name, x, axis=tuple(sorted(axes)) or None, keepdims=draw(st.booleans()))


def _transpose(draw: Draw, g: Growing, x: Entry, shape: Shape) -> None:
    g.add("transpose", x, axes=tuple(draw(st.permutations(range(len(shape))))))


def _flat(draw: Draw, g: Growing, x: Entry, shape: Shape) -> None:
    g.add("Reshape", x, shape=(0, -1) if len(shape) > 1 else (-1, 1))


def _softmax(draw: Draw, g: Growing, x: Entry, shape: Shape) -> None:
    axis = draw(st.integers(-1, len(shape) - 1))
    g.add(draw(st.sampled_from(["softmax", "log_softmax"])), x, axis=axis)


def _layer_norm(draw: Draw, g: Growing, x: Entry, shape: Shape) -> None:
    gamma, beta = (g.variable(shape[-1:])[0] for _ in range(2))
    g.add("LayerNorm", x, gamma, beta, eps=0.1)


def _dense(draw: Draw, g: Growing, x: Entry, shape: Shape) -> None:
    width = draw(st.integers(1, 20))
    flatten = draw(st.booleans())
    inner = int(np.prod(shape[1:])) if flatten else shape[-1]
    parts = [g.variable((width, inner))[0]]
    if bias := draw(st.booleans()):
        parts.append(g.variable((width,))[0])
    g.add("FullyConnected", x, *parts, num_hidden=width, no_bias=not bias, flatten=flatten)


def _dot(draw: Draw, g: Growing, x: Entry, shape: Shape) -> None:
    first, second = draw(st.booleans()), draw(st.booleans())
    inner = shape[0] if first else shape[-1]
    width = draw(st.integers(1, 9))
    other = g.variable((width, inner) if second else (inner, width))[0]
    g.add("dot", x, other, transpose_a=first, transpose_b=second)


def _batch_dot(draw: Draw, g: Growing, x: Entry, shape: Shape) -> None:
    if len(shape) != 3:
        return
    first, second = draw(st.booleans()), draw(st.booleans())
    inner, width = shape[1] if first else shape[2], draw(st.integers(1, 9))
    own = (shape[0], width, inner) if second else (shape[0], inner, width)
    g.add("batch_dot", x, g.variable(own)[0], transpose_a=first, transpose_b=second)


_RULES = (_unary, _unary, _scalar, _pair, _pair, _pair, _reduction, _transpose, _flat)
_WHOLE_RULES = (_softmax, _layer_norm, _dense, _dot, _batch_dot)


@dataclass(frozen=True)
class RandomGraph:
    """A graph with arrays for its variables."""

    graph: Graph
    variables: tuple[Node, ...]
    arrays: tuple[np.ndarray[Any, Any], ...]


@st.composite
def random_graphs(
    draw: Draw, dtypes: tuple[str, ...] = ("float32", "float64"), most: int = 20
) -> RandomGraph:
    """A graph of `most` steps at most (a step is one or two operators), with one to three outputs."""
    growing = Growing(draw(st.sampled_from(dtypes)), draw(st.integers(0, 1000)))
    for _ in range(draw(st.integers(1, 2))):
        growing.variable(draw(st.lists(st.integers(1, 7), min_size=1, max_size=4).map(tuple)))
    for _ in range(draw(st.integers(3, most))):
        x, shape = draw(st.sampled_from(growing.values))
        rules = _RULES + (_WHOLE_RULES if len(shape) > 1 else ())
        draw(st.sampled_from(rules))(draw, growing, x, shape)
    results = [entry for entry, _ in growing.values if not entry.node.is_variable]
    picked = draw(st.lists(st.sampled_from(results), min_size=1, max_size=3)) if results else []
    outputs = [*picked, growing.values[-1][0]]
    return RandomGraph(Graph(outputs), tuple(growing.variables), tuple(growing.arrays))
