"""Matrix products on attention heads in place: the transposes around them are not computed.

Attention divides a projection ``(batch, length, heads · size)`` into one matrix per head. For that, models swap
two axes: ``(batch, length, heads, size)`` becomes ``(batch, heads, length, size)``, then
``(batch · heads, length, size)``. Products can read and write rows with any stride, so neither is needed.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from gluonic.codegen.loops.loop import Read
from gluonic.codegen.loops.semantics import is_view, loop_of
from gluonic.codegen.lowerings.entry import lowering_at
from gluonic.codegen.maths.values import FLOAT32, FLOAT64
from gluonic.codegen.matmul.attention_heads import BY_HEAD, WHOLE, heads_dot
from gluonic.codegen.rewriting.passes import Pass, PassContext
from gluonic.codegen.shapes.guards import Question
from gluonic.graph import Entry, Graph, Node
from gluonic.graph.attributes import Shape


class ReadHeadsInPlace(Pass):
    """Matrix products read and write attention heads in place, so transposes are removed.

    Examples
    --------
    >>> from gluonic.graph.builder import F
    >>> q, k = Node(None, "q").entry(), Node(None, "k").entry()
    >>> heads = [F.reshape(F.transpose(e, axes=(0, 2, 1, 3)), shape=(-3, -2)) for e in (q, k)]
    >>> scores = F.batch_dot(*heads, transpose_b=True)
    >>> print(ReadHeadsInPlace().shown(scores, q=(2, 7, 4, 5), k=(2, 7, 4, 5)))
    transpose = transpose(q, axes=(0, 2, 1, 3))
    reshape = Reshape(transpose, shape=(-3, -2))
    transpose.1 = transpose(k, axes=(0, 2, 1, 3))
    reshape.1 = Reshape(transpose.1, shape=(-3, -2))
    batch_dot = batch_dot(reshape, reshape.1, transpose_b=True)
    return batch_dot
    --------------------
    batch_dot = _heads_dot(q, k, transpose_b=True, left=(1, 0), right=(1, 0))
    return batch_dot
    """

    name = "read heads in place"
    contract = "no product of float32 or float64 reads transposed attention heads"

    def apply(self, graph: Graph, context: PassContext) -> Graph:
        """Let products read and write heads in place."""
        if not any(lowering_at(node).holds_heads for node in graph.nodes):
            return graph
        return graph.rewrite(_Rewriting(graph, context).replace)


def _are_joined(by_head: Shape, matrices: Shape) -> bool:
    """Whether (batch, heads, …) became (batch · heads, …)."""
    batch, heads, *matrix = by_head
    return matrices == (batch * heads, *matrix)


def _have_same_heads(source: Shape, by_head: Shape) -> bool:
    """Whether (batch, length, heads, size) and (batch, heads, ...) have the same batch and heads."""
    return source[0] == by_head[0] and source[2] == by_head[1]


class _Rewriting:
    """One run over a graph.

    Attributes
    ----------
    made : for entries that are replaced, the new ones
    """

    def __init__(self, graph: Graph, context: PassContext) -> None:
        self.facts, self.unguarded = context.facts(graph), context.unguarded(graph)
        self.made: dict[Entry, Entry] = {}
        self._uses = Counter([*graph.outputs, *(e for node in graph.nodes for e in node.inputs)])
        self._by_head: dict[Node, Entry] = {}
        """The first factor that a product reads by head."""

    def replace(self, node: Node, inputs: Sequence[Entry]) -> Node | None:
        """The replacement of a node; None to keep it."""
        made = self._product(node, inputs) or self._turned_back(node) or node.with_inputs(inputs)
        if made is node:
            return None
        self.made |= {node.entry(i): made.entry(i) for i in range(node.output_count)}
        return made

    def ask(self, question: Question, first: Entry, second: Entry) -> bool:
        """Ask a question about two entries' shapes."""
        shapes = self.facts.shapes
        return bool(shapes[first].asked(question, shapes[second]))  # type: ignore[attr-defined]

    def _now(self, entry: Entry) -> Entry:
        return self.made.get(entry, entry)

    def _product(self, node: Node, inputs: Sequence[Entry]) -> Node | None:
        """A product that reads factors by head; None for other nodes."""
        dtypes = {self.facts.dtypes[entry] for entry in (*node.inputs, node.entry())}
        if not lowering_at(node).holds_heads or dtypes not in ({FLOAT32}, {FLOAT64}):
            return None
        sources = [self._source(entry) for entry in node.inputs]
        found = [source for source in sources if source is not None]
        if not found:
            return None
        settings = {name: node.applied.settings[name] for name in _TURNS}
        layouts = [WHOLE if source is None else BY_HEAD for source in sources]
        factors = [
            entry if source is None else self._now(source)
            for entry, source in zip(inputs, sources, strict=True)
        ]
        made = _like(node, factors, {**settings, "left": layouts[0], "right": layouts[1]})
        self._by_head[node] = found[0]
        return made

    def _source(self, matrices: Entry) -> Entry | None:
        """The array by head from which an entry was computed by swapping and merging axes."""
        exchanged = self._reshaped(matrices)
        if exchanged is None or not self._exchanges(exchanged.node):
            return None
        return exchanged.node.inputs[0] if self.ask(_are_joined, exchanged, matrices) else None

    def _turned_back(self, node: Node) -> Node | None:
        """A product that writes its result by head, replacing a swap of axes that is its only reader."""
        if not self._exchanges(node):
            return None
        by_head = node.inputs[0]
        matrices = self._reshaped(by_head)
        if matrices is None or self._uses[by_head] > 1 or self._uses[matrices] > 1:
            return None
        source = self._by_head.get(matrices.node)
        if source is None or not self.ask(_have_same_heads, source, by_head):
            return None
        if not self.ask(_are_joined, by_head, matrices):
            return None
        product = self._now(matrices).node
        return _like(product, product.inputs, {**product.applied.settings, "by_head": True})

    def _reshaped(self, entry: Entry) -> Entry | None:
        """The entry that this one is a reshape of."""
        node = entry.node
        is_it = node.application is not None and is_view(node.application)
        return node.inputs[0] if is_it else None

    def _exchanges(self, node: Node) -> bool:
        """Whether a node swaps the second and the third of four axes."""
        if not lowering_at(node).permutes:
            return False
        known = self.unguarded.shapes  # the swapped axes follow from ranks and attributes
        shapes = known[node.inputs[0]], known[node.entry()]
        loop = loop_of(node.applied, shapes[:1], shapes[1:])
        return loop is not None and loop.reads == (Read((0, 2, 1, 3)),)


_TURNS = ("transpose_a", "transpose_b")


def _like(node: Node, inputs: Sequence[Entry], settings: Mapping[str, Any]) -> Node:
    """A product that replaces a node."""
    application = heads_dot.apply(dict(settings))
    return node.with_application(application, inputs)
