"""From the graph that was traced to the one that is compiled: what each pass assumes is remembered."""

import operator
from collections.abc import Collection, Iterator, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from gluonic.codegen.matmul.epilogues import fold_activations, share_packing
from gluonic.codegen.matmul.packing import is_packed_in_panels, packed_bytes
from gluonic.codegen.rewriting import layout as image_layout
from gluonic.codegen.rewriting.attention_heads import ShapeQuestion, read_heads_in_place
from gluonic.codegen.rewriting.decompose import decompose
from gluonic.codegen.rewriting.sharing import share_products, take_parts_early
from gluonic.codegen.rewriting.widening import widened, widening_key
from gluonic.codegen.shapes.facts import Facts, find_facts
from gluonic.graph.node import Entry, Graph, Node
from gluonic.graph.simplify import simplify
from gluonic.support.record import record

if TYPE_CHECKING:
    from gluonic.codegen.rewriting.layout.blocked_layout import BlockedGraph


@record
class Assumptions:
    """What passes asked about shapes; a graph serves other shapes that give the same answers.

    Of dtypes passes ask as they like: a graph serves one set of them.

    Attributes
    ----------
    facts : about the original graph
    answers : to questions about two of its entries' shapes
    """

    facts: Facts
    answers: dict[tuple[ShapeQuestion, Entry, Entry], bool] = field(default_factory=dict)

    def ask(self, question: ShapeQuestion, first: Entry, second: Entry) -> bool:
        """Ask something of two entries' shapes."""
        answer = question(self.facts.shapes[first], self.facts.shapes[second])
        self.answers[question, first, second] = answer
        return answer

    def same_shape(self, first: Entry, second: Entry) -> bool:
        """Whether two entries have one shape."""
        return self.ask(operator.eq, first, second)

    def hold(self, facts: Facts, *, exactly: bool = True) -> bool:
        """Whether other shapes, of arrays of the same ranks, give the same answers.

        If not `exactly`, shapes that differed may be one now: the graph is right, if not as simple as could be.
        """
        return _kinds(facts) == _kinds(self.facts) and all(
            question(facts.shapes[a], facts.shapes[b]) == answer
            for (question, a, b), answer in self.answers.items()
            if answer or exactly
        )


def _kinds(facts: Facts) -> list[tuple[int, Any]]:
    """The rank and the dtype of each result."""
    dtypes = facts.dtypes.values()
    return [(len(shape), dtype) for shape, dtype in zip(facts.shapes.values(), dtypes, strict=True)]


@record
class Prepared:
    """A graph ready to be divided into groups.

    Attributes
    ----------
    graph : its outputs are those of the original, then the new values of `states`
    output_count : how many outputs the original has
    states : the variables that the graph overwrites
    assumptions : about the original graph's shapes
    """

    graph: Graph
    output_count: int
    states: tuple[Node, ...]
    assumptions: Assumptions


class Preparation:
    """The passes of one graph: its rewritten forms for the shapes that it is called with.

    Parameters
    ----------
    graph : the original
    inputs : its variables, in the order of the arrays
    parameters : those of them that seldom change
    """

    def __init__(
        self, graph: Graph, inputs: Sequence[Node], parameters: Collection[Node] = ()
    ) -> None:
        self.graph, self.inputs, self.parameters = graph, tuple(inputs), parameters
        self._has_images = image_layout.are_in(graph)
        self._plain: dict[Any, Graph] = {}
        self._layouts: dict[Any, list[tuple[BlockedGraph, list[Prepared]]]] = {}
        self._prepared: dict[bool, list[Prepared]] = {}
        self._widened: dict[Any, Preparation] = {}

    def of(self, arrays: Sequence[Any], train: bool) -> tuple[Prepared, Facts]:
        """The graph to compile for such arrays, and its facts for them.

        Raises
        ------
        InferenceError
            where the arrays do not fit the graph, or each other
        DynamicShapeError
            where a shape depends on the data
        """
        graph, facts, made = self._known(arrays, train)
        fitting = next((p for p in made if p.assumptions.hold(facts)), None)
        if fitting is None:
            fitting = self._prepare(graph, facts, arrays, train)
            made.append(fitting)
        return fitting, find_facts(fitting.graph, self.inputs, arrays)

    def fitting(self, arrays: Sequence[Any], train: bool) -> Iterator[tuple[Prepared, Facts]]:
        """The graphs made before that are right for such arrays, the simplest first, and their facts."""
        _, facts, made = self._known(arrays, train)
        right = [p for p in made if p.assumptions.hold(facts, exactly=False)]
        if len(right) > 1:
            right.sort(key=lambda p: not p.assumptions.hold(facts))
        for prepared in right:
            yield prepared, find_facts(prepared.graph, self.inputs, arrays)

    def facts_of(self, prepared: Prepared, arrays: Sequence[Any], train: bool) -> Facts | None:
        """The facts of a graph made before for such arrays; None if it is not right for them."""
        return next((facts for p, facts in self.fitting(arrays, train) if p is prepared), None)

    def _known(self, arrays: Sequence[Any], train: bool) -> tuple[Graph, Facts, list[Prepared]]:
        """The graph with its layouts, its facts, and what has been made of it."""
        facts = find_facts(self.graph, self.inputs, arrays)
        if halves := widening_key(self.graph, facts.dtypes):
            if halves not in self._widened:
                wide = widened(self.graph, facts.dtypes)
                self._widened[halves] = Preparation(wide, self.inputs, self.parameters)
            return self._widened[halves]._known(arrays, train)
        if not self._has_images:
            return self.graph, facts, self._prepared.setdefault(train, [])
        key = (
            train,
            image_layout.forms_key(self.graph, facts),
            image_layout.layout_key(self.graph, facts),
        )
        if key not in self._plain:
            self._plain[key] = image_layout.with_plain_images(self.graph, facts)
        plain = self._plain[key]
        if plain is not self.graph:
            facts = find_facts(plain, self.inputs, arrays)
        layouts = self._layouts.setdefault(key, [])
        found = next((pair for pair in layouts if pair[0].holds(facts)), None)
        if found is None:
            found = image_layout.with_blocks(plain, facts, train), []
            layouts.append(found)
        layout, made = found
        if layout.graph is not plain:
            facts = find_facts(layout.graph, self.inputs, arrays)
        return layout.graph, facts, made

    def _prepare(self, graph: Graph, facts: Facts, arrays: Sequence[Any], train: bool) -> Prepared:
        assumptions = Assumptions(facts)
        direct, origin = read_heads_in_place(graph, facts, assumptions.ask)
        if direct is not graph:
            facts = find_facts(direct, self.inputs, arrays)

        def same_shape(a: Entry, b: Entry) -> bool:
            return assumptions.same_shape(origin.get(a, a), origin.get(b, b))

        first = simplify(direct, same_shape, facts.dtypes)
        made = decompose(first, find_facts(first, self.inputs, arrays), train=train)
        dtypes = find_facts(made.graph, self.inputs, arrays).dtypes
        simple = simplify(made.graph, _never, dtypes)
        plain = share_products(simple, lambda: find_facts(simple, self.inputs, arrays).shapes)
        plain = take_parts_early(plain)
        plain = fold_activations(plain, find_facts(plain, self.inputs, arrays))
        facts = find_facts(plain, self.inputs, arrays)
        plain = share_packing(plain, facts, packed_bytes, is_packed_in_panels, self.parameters)
        return Prepared(plain, len(graph.outputs), made.states, assumptions)


def _never(first: Entry, second: Entry) -> bool:
    """The answer that assumes nothing."""
    return False
