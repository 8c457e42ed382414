"""A graph ready to run: compiled, or interpreted where the environment requests it."""

from collections.abc import Callable, Collection, Sequence
from operator import is_
from typing import TYPE_CHECKING

from gluonic.codegen.compile_budget import BUDGET
from gluonic.codegen.eager import may_repay_for, outputs_in_graph
from gluonic.codegen.executors import executor
from gluonic.codegen.inspection.cache_info import CacheInfo
from gluonic.codegen.machine.bail_out import BailOut
from gluonic.codegen.shapes.facts import NotCompiledError
from gluonic.codegen.shapes.inferred_signatures import InferredSignatures
from gluonic.codegen.warm_up import SEVERAL, CallCost, ObservedCost, WarmUp
from gluonic.graph import Array, Entry, Graph, Node, Run
from gluonic.graph.attributes import Shape
from gluonic.graph.common_expressions import without_common_expressions
from gluonic.graph.inferred_call import InferredCall
from gluonic.graph.interpret import FasterOperators, Interpretation, Observer
from gluonic.graph.memory import copied
from gluonic.graph.versions import mark_all_modified
from gluonic.support.cached_property import cached_property
from gluonic.support.caches import Cache
from gluonic.support.gc_pause import paused
from gluonic.support.pieces import UnfinishedError

if TYPE_CHECKING:
    from gluonic.codegen.compiled import CompiledGraph
    from gluonic.codegen.runtime.binding import Binding
    from gluonic.codegen.shapes.abstract_arrays import AbstractArray
    from gluonic.codegen.shapes.origins import Origins

_MACHINE_CODE = FasterOperators(may_repay_for, outputs_in_graph)


class Program:
    """A graph that can be called with arrays.

    Parameters
    ----------
    graph : the graph to compute
    inputs : the variables, in the order of the arrays passed
    parameters : those whose values rarely change: results that depend on them alone are kept until a write is
        recorded (:mod:`gluonic.graph.versions`)
    data : those whose first axis may be the batch; None if unknown
    at_once : whether the first call compiles the graph, not a later one
    warm_up : the calls before the graph is compiled; by default, those of this graph alone are counted
    origins : the inputs as results of another graph

    Attributes
    ----------
    observer : called for each operator with its node, inputs and outputs; while there is one, the graph is
        interpreted
    """

    def __init__(
        self,
        graph: Graph,
        inputs: Sequence[Node],
        parameters: Collection[Node] = (),
        data: Collection[Node] | None = None,
        *,
        at_once: bool = False,
        warm_up: WarmUp | None = None,
        origins: "Origins | None" = None,
    ) -> None:
        self.graph, self.inputs = graph, tuple(inputs)
        self.parameters, self._data = frozenset(parameters), data
        self.observer: Observer | None = None
        chosen = executor()
        self._interpreted = chosen == "interpret"
        self._is_mixed = chosen == "mixed" and not at_once
        self._warm_up = (warm_up or WarmUp(graph)) if self._is_mixed else None
        self._warm_calls, self._origins = 0, origins
        self._number = BUDGET.number()
        # The estimated costs of calls, in nanoseconds.
        self._costs: Cache[InferredCall | tuple[Shape, ...], int] = Cache()

    @cached_property
    def compiled(self) -> "CompiledGraph":
        """The compiled graph; the first access in a process imports the compiler."""
        with paused():
            from gluonic.codegen.compiled import CompiledGraph

        given = self.graph, self.inputs, self.parameters, self._data, self._origins
        return CompiledGraph(*given, allows=BUDGET.allows_graph if self._is_mixed else None)

    def binding(self, arrays: Sequence[Array], *, train: bool) -> "Binding":
        """The binding for such arrays, compiled now; calls run it from now on."""
        found = self.compiled.binding(arrays, train)
        self._end_warm_up()
        return found

    def _end_warm_up(self) -> None:
        """Run machine code from now on; the interpreter is prepared again if new shapes wait for theirs."""
        self._warm_up = None
        self.__dict__.pop("_interpretation", None)

    @property
    def sized_arrays(self) -> "Sequence[Sequence[AbstractArray]]":
        """See `CompiledGraph.sized_arrays`."""
        return self.compiled.sized_arrays if "compiled" in self.__dict__ else ()

    @property
    def is_compiled(self) -> bool:
        """Whether calls run `compiled`, and one already has."""
        plain = self.observer is None and not self._interpreted
        return plain and self._warm_up is None and "compiled" in self.__dict__

    @property
    def recurs(self) -> bool:
        """Whether there have been several calls."""
        return self.is_compiled or self._warm_calls >= SEVERAL

    @property
    def warms_up(self) -> bool:
        """Whether all calls so far were interpreted, and a later one will run machine code."""
        return self._warm_up is not None and not self._interpreted

    @property
    def runs_in_python(self) -> bool:
        """Whether no call so far has run any machine code."""
        is_compiled = "compiled" in self.__dict__ and not self._interpreted
        return not is_compiled or self.compiled.runs_in_python

    def cache_info(self) -> CacheInfo:
        """Statistics of compilation, and of the use of compiled code."""
        own = [self.compiled.cache_info()] if "compiled" in self.__dict__ else []
        return CacheInfo.total([*own, CacheInfo(interpreted=self._warm_calls)])

    def __call__(
        self,
        arrays: Sequence[Array],
        run: Run,
        into: Sequence[Array | None] | None = None,
        finished: Callable[[int], None] | None = None,
    ) -> list[Array]:
        """Compute the outputs, in new memory; auxiliary states among the arrays are updated in place.

        Parameters
        ----------
        into : for each output, contiguous memory, not shared with the arrays, where the output may be written
            (but need not be), or None
        finished : may be called, during the run, with the index of an output that is finished in that memory
        """
        if not self._interpreted and self.observer is None:
            if self._warm_up is not None:
                BUDGET.begin_call(self._number)
                if self._waits(self._warm_up, arrays):
                    return self._warmed_up(arrays, run)
            try:
                results = self.compiled(arrays, run, into, finished)
            except UnfinishedError:
                if self._warm_up is None:
                    BUDGET.begin_call(self._number)
                return self._warmed_up(arrays, run)
            except NotCompiledError:
                self._interpreted = True
            except BailOut:  # the interpreter raises the error
                pass
            else:
                if self._warm_up is not None:
                    self._end_warm_up()
                return results
        return self._interpret(arrays, run, self.observer)

    def _waits(self, warm_up: WarmUp, arrays: Sequence[Array]) -> bool:
        """Whether nothing is compiled in this call."""
        if warm_up.lasts and not self._compiles_now(warm_up, arrays):
            return True
        return not BUDGET.allows_start(BUDGET.allows_graph)

    def _compiles_now(self, warm_up: WarmUp, arrays: Sequence[Array]) -> bool:
        """Whether the first call is not interpreted, since more are expected and cost too much."""
        if not warm_up.recurs or self._warm_calls:
            return False
        inferred = self._interpretation.inferred(arrays)
        if inferred is None:
            return False
        warm_up.expect(self.graph, self._cost_of(inferred))
        return not warm_up.lasts

    def _warmed_up(self, arrays: Sequence[Array], run: Run) -> list[Array]:
        """Interpret a call before there is machine code for it, and record its cost."""
        self._warm_calls += 1
        inferred = self._interpretation.inferred(arrays)
        with BUDGET.interpreting():
            if inferred is None:
                found, cost = self._observed(arrays, run)
            else:
                found, cost = self._interpret(arrays, run, None, inferred), self._cost_of(inferred)
        if self._warm_up is not None:
            self._warm_up.note(self.graph, cost)
        BUDGET.note_call(cost)
        return found

    def _cost_of(self, inferred: InferredCall) -> int:
        """The estimated cost of calls with such inputs."""
        cost = self._costs.get(inferred)
        if cost is None:
            cost = self._costs.remember(inferred, self._call_cost(inferred.elements()))
        return cost

    def _observed(self, arrays: Sequence[Array], run: Run) -> tuple[list[Array], int]:
        """Interpret a call whose cost is only known from its results, or from an earlier call."""
        shapes = tuple([array.shape for array in arrays])
        cost = self._costs.get(shapes)
        if cost is not None:
            return self._interpret(arrays, run), cost
        observed = ObservedCost()
        found = self._interpret(arrays, run, observed)
        return found, self._costs.remember(shapes, observed.nanoseconds)

    @cached_property
    def _interpretation(self) -> Interpretation:
        """Runs the graph, and what it computes several times only once, as compiled graphs do."""
        with paused():
            return self._interpretation_of(without_common_expressions(self.graph))

    @cached_property
    def _observed_interpretation(self) -> Interpretation:
        """Runs all operators of the graph."""
        return self._interpretation_of(self.graph)

    def _interpretation_of(self, graph: Graph) -> Interpretation:
        predict = InferredSignatures(graph, self.inputs)
        faster = _MACHINE_CODE if self._is_mixed else None
        return Interpretation(graph, self.inputs, predict, faster)

    @cached_property
    def _call_cost(self) -> CallCost:
        return CallCost(self._interpretation.operators, len(self.inputs))

    def _interpret(
        self,
        arrays: Sequence[Array],
        run: Run,
        observer: Observer | None = None,
        inferred: InferredCall | None = None,
    ) -> list[Array]:
        is_plain = self.observer is None
        interpretation = self._interpretation if is_plain else self._observed_interpretation
        results = interpretation(arrays, run, observer, inferred)
        if self.graph.states:
            states = set(self.graph.states)
            mark_all_modified(a for n, a in zip(self.inputs, arrays, strict=True) if n in states)
        taken = set(map(id, arrays))
        own = []
        for array in results:
            is_own = array.base is None and array.flags.carray and id(array) not in taken
            own.append(array if is_own else copied(array, "an output"))
            taken.add(id(array))
        return own


def cut(outputs: Sequence[Entry], at: dict[Entry, Node]) -> Graph:
    """The graph of `outputs` in which the entries `at` are replaced by variables."""
    given: dict[Node, dict[int, Entry]] = {}
    for entry, variable in at.items():
        given.setdefault(entry.node, {})[entry.index] = variable.entry()
    copies: dict[Node, Node] = {}

    def is_given(entry: Entry) -> bool:
        return entry.node in given and entry.index in given[entry.node]

    def moved(entry: Entry) -> Entry:
        if is_given(entry):
            return given[entry.node][entry.index]
        copy = copies[entry.node]
        return entry if copy is entry.node else copy.entry(entry.index)

    stack = [entry.node for entry in outputs if not is_given(entry)]
    while stack:
        node = stack.pop()
        if node in copies:
            continue
        first = [e.node for e in node.inputs if not is_given(e) and e.node not in copies]
        if first:
            stack += [node, *first]
            continue
        inputs = [*map(moved, node.inputs)]
        is_same = all(map(is_, inputs, node.inputs))
        copies[node] = node if is_same else node.with_application(node.application, inputs)
    return Graph(map(moved, outputs))
