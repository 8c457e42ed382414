"""Runs of the pipeline: the rewritten forms of a graph, each with guards."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import field
from functools import partial
from time import perf_counter
from typing import Any

from gluonic.codegen.rewriting.passes import GraphGuard, Pass, PassContext
from gluonic.codegen.rewriting.pipeline import PIPELINE
from gluonic.codegen.shapes.abstract_arrays import AbstractArray
from gluonic.codegen.shapes.facts import Facts, NotCompiledError
from gluonic.graph import Graph, Node
from gluonic.graph.dtypes import is_bfloat16
from gluonic.graph.text import graph_text
from gluonic.support.pieces import Pieces
from gluonic.support.record import record

_A_NODE = 20_000
"""The time that a pass takes for a node, in nanoseconds, roughly, on any processor."""


@record
class PassReport:
    """The result of a pass.

    Attributes
    ----------
    name, contract : those of the pass
    graph : the graph that it returned; `gluonic.symbol.plotting.drawing_of` draws it
    has_changed : whether it changed the graph
    seconds : the time it took, without those before it and without inferring the shapes of its graph
    """

    name: str
    contract: str
    graph: Graph
    has_changed: bool
    seconds: float

    @property
    def text(self) -> str:
        """The graph as text."""
        return graph_text(self.graph)

    def __str__(self) -> str:
        operators = len(self.graph.nodes) - len(self.graph.variables)
        found = f"{operators} operators" if self.has_changed else "nothing to do"
        return f"{self.name:20} {self.seconds * 1e3:8.2f} ms  {found}"


@record
class Prepared:
    """A graph ready to be divided into groups.

    Attributes
    ----------
    graph : its outputs are those of the original, then the new values of `states`
    output_count : number of outputs of the original
    states : the variables that the graph overwrites
    ranks : the ranks of all entries of the traced graph
    guards : the decisions on shapes
    passes : runs the pipeline again, checks it and reports the result of each pass
    sizes_vary : whether it is meant for code for any size
    """

    graph: Graph
    output_count: int
    states: tuple[Node, ...]
    ranks: Sequence[int]
    guards: tuple[GraphGuard, ...]
    passes: Callable[[], list[PassReport]] = field(compare=False, repr=False)
    sizes_vary: bool = False

    def holds(
        self, traced: Graph, facts: Callable[[Graph], Facts], *, exactly: bool = True
    ) -> bool:
        """Whether the graph is valid for other shapes, of arrays of the same dtypes.

        Parameters
        ----------
        traced : the original
        facts : infers the facts of a graph
        exactly : if False, whether it is valid, if perhaps not as simple as possible
        """
        return _ranks(facts(traced)) == self.ranks and all(
            guard.shapes.hold(facts(guard.graph), exactly=exactly) for guard in self.guards
        )


class Preparation:
    """The rewritten forms of one graph for the shapes that it is called with.

    Parameters
    ----------
    graph : the original
    inputs : its variables, in the order of the arrays
    parameters : those that rarely change
    pipeline : the passes
    with_bfloat16 : whether there is machine code for bfloat16
    """

    def __init__(
        self,
        graph: Graph,
        inputs: Sequence[Node],
        parameters: Collection[Node] = (),
        pipeline: Sequence[Pass] = PIPELINE,
        *,
        with_bfloat16: bool = False,
    ) -> None:
        self.graph, self.inputs, self.parameters = graph, tuple(inputs), parameters
        self._pipeline, self._with_bfloat16 = pipeline, with_bfloat16
        self._made: dict[Any, list[Prepared]] = {}

    def of(
        self, arrays: Sequence[Any], train: bool, *, sizes_vary: bool = False
    ) -> Pieces[tuple[Prepared, Facts]]:
        """The graph to compile for such arrays, and its facts for them.

        Parameters
        ----------
        sizes_vary : whether code should be for any size, not the best for one

        Raises
        ------
        InferenceError
            where the arrays do not fit the graph, or each other
        DynamicShapeError
            where a shape depends on the data
        NotCompiledError
            where there is no code for a dtype
        """
        context = self._context(arrays, train, sizes_vary)
        made = self._made_for(arrays, train, sizes_vary)
        facts = context.unguarded(self.graph)  # so errors refer to the user's graph
        for dtype in facts.interpreted:
            if not (self._with_bfloat16 and is_bfloat16(dtype)):
                raise NotCompiledError(f"there is no machine code for {dtype.name}")
        fitting = next((p for p in made if p.holds(self.graph, context.unguarded)), None)
        if fitting is None:
            fitting = yield from self._prepared(context)
            made.append(fitting)
        return fitting, context.unguarded(fitting.graph)

    def fitting(self, arrays: Sequence[Any], train: bool) -> Iterator[tuple[Prepared, Facts]]:
        """The cached graphs that are valid for such arrays, with their facts; the simplest first."""
        for sizes_vary in (False, True):
            made = self._made_for(arrays, train, sizes_vary)
            facts = self._context(arrays, train, sizes_vary).unguarded
            facts(self.graph)
            right = [p for p in made if p.holds(self.graph, facts, exactly=False)]
            if len(right) > 1:
                right.sort(key=lambda p: not p.holds(self.graph, facts))
            for prepared in right:
                yield prepared, facts(prepared.graph)
            if not self._made_for(arrays, train, True):
                return

    def facts_of(self, prepared: Prepared, arrays: Sequence[Any], train: bool) -> Facts | None:
        """The facts of a cached graph for such arrays; None if it is not valid for them."""
        facts = self._context(arrays, train, prepared.sizes_vary).unguarded
        facts(self.graph)
        is_right = prepared.holds(self.graph, facts, exactly=False)
        return facts(prepared.graph) if is_right else None

    def keep(self, used: Sequence[Prepared]) -> None:
        """Drop all graphs except these."""
        for key, made in [*self._made.items()]:
            left = [prepared for prepared in made if any(prepared is one for one in used)]
            if left:
                self._made[key] = left
            else:
                del self._made[key]

    def _context(self, arrays: Sequence[Any], train: bool, sizes_vary: bool) -> PassContext:
        return PassContext(
            self.inputs, arrays, train=train, parameters=self.parameters, sizes_vary=sizes_vary
        )

    def _made_for(self, arrays: Sequence[Any], train: bool, sizes_vary: bool) -> list[Prepared]:
        """The graphs for arrays of these dtypes, on which passes may depend."""
        key = train, sizes_vary, *[array.dtype for array in arrays]
        return self._made.setdefault(key, [])

    def _prepared(self, context: PassContext) -> Pieces[Prepared]:
        """The graph after all passes."""
        graph, ranks = self.graph, _ranks(context.unguarded(self.graph))
        for each in self._pipeline:
            yield _A_NODE * len(graph.nodes)
            graph = each.apply(graph, context)
        arrays = [AbstractArray(array.shape, array.dtype) for array in context.arrays]
        passes = partial(self._reports, arrays, context.train, context.sizes_vary)
        guards = tuple(context.guards)
        for guard in guards:
            guard.shapes.release()
        count, vary = len(self.graph.outputs), context.sizes_vary
        return Prepared(graph, count, context.states, ranks, guards, passes, vary)

    def _reports(
        self, arrays: Sequence[AbstractArray], train: bool, sizes_vary: bool
    ) -> list[PassReport]:
        """Report the result of each pass.

        Raises
        ------
        AssertionError
            where a pass loses the user's line that a node comes from
        """
        context, graph = self._context(arrays, train, sizes_vary), self.graph
        reports = []
        for each in self._pipeline:
            context.unguarded(graph)  # its shapes; inferring them is not the time of the pass
            begin = perf_counter()
            made = each.apply(graph, context)
            seconds = perf_counter() - begin
            lost = nodes_without_origin(graph, made)
            assert not lost, f"{each.name} loses the origin of {lost[0].title}"
            reports.append(PassReport(each.name, each.contract, made, made is not graph, seconds))
            graph = made
        return reports


def nodes_without_origin(before: Graph, after: Graph) -> list[Node]:
    """The nodes created by a pass without the user's line, if all nodes before it had one."""
    if any(node.location is None for node in before.nodes if not node.is_variable):
        return []
    known = {*before.nodes}
    return [n for n in after.nodes if n.location is None and not n.is_variable and n not in known]


def _ranks(facts: Facts) -> list[int]:
    return [len(shape) for shape in facts.shapes.values()]
