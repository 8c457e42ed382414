"""A graph with its gradient, as two programs: forward, which also returns the values that backward needs."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Any

from gluonic.codegen.inspection.cache_info import CacheInfo
from gluonic.codegen.loops.semantics import is_permutation, is_view
from gluonic.codegen.lowerings.entry import lowering_at
from gluonic.codegen.program import Program, cut
from gluonic.codegen.rewriting.draws_apart import with_draws_apart
from gluonic.codegen.runtime.reuse import ReusedMemory
from gluonic.codegen.shapes.origins import Origins
from gluonic.codegen.warm_up import WarmUp
from gluonic.graph import Array, Entry, Graph, Node, Run
from gluonic.graph.builder import F
from gluonic.graph.draws import draws
from gluonic.graph.gradient import gradients, has_losses
from gluonic.graph.running_again import runs_once
from gluonic.graph.subgraphs import held_graphs
from gluonic.graph.versions import mark_all_modified, mark_modified


@dataclass
class Saved:
    """The data that one forward run stores for the backward run.

    Attributes
    ----------
    arrays : the values that the backward run reads
    unrepeated : the values of the program's `unrepeated`
    """

    arrays: list[Array]
    unrepeated: list[Array]


def _source(entry: Entry) -> Entry:
    """The entry of which this one is a rearrangement: that is saved, and rearranged again where it is read.

    Products can write their results in another order at no cost (`rewriting/heads.py`): such a result is saved
    in its original order.
    """
    arranged, node = None, entry.node
    while (
        node.application is not None and len(node.inputs) == 1 and is_permutation(node.application)
    ):
        if not is_view(node.application):
            arranged = entry
        entry = node.inputs[0]
        node = entry.node
    is_product = lowering_at(node).holds_heads
    return arranged if is_product and arranged is not None else entry


def _passed_on(program: Program) -> list[int] | None:
    """The indices of the inputs that a program returns, if it computes nothing."""
    indices = {variable.entry(): i for i, variable in enumerate(program.inputs)}
    outputs = program.graph.outputs
    return [indices[e] for e in outputs] if indices.keys() >= set(outputs) else None


class DifferentiableProgram:
    """A graph that runs forward and backward.

    Parameters
    ----------
    graph : the graph to compute
    inputs : the variables, in the order of the arrays passed
    wanted : for each input, whether its gradient is requested
    heads : for each output, whether a gradient flows into it
    train : whether the graph runs in training mode
    data : the inputs whose first axis may be the batch; None if unknown
    at_once : whether the first calls compile both programs, not later ones
    recurs : whether calls are known to recur, see `WarmUp`
    with_parts : whether the backward run returns, after the gradients of the inputs, the contribution of each
        operator to the gradients of its own inputs; zeros where it has none

    Attributes
    ----------
    parts : these operators, with the indices of their inputs
    traced : the graph as it was given
    at_once : as given
    drawn : the nodes that draw the random numbers that gradients depend on
    unrepeated : their entries, and those of `once`: what computes the forward graph again takes their values
    once : the other nodes that must not run again, in their order: they call the user's code, or what they
        return depends on a state that they change
    head_variables : the variables that stand for the gradients of the outputs
    has_losses : whether inputs have gradients even though none flows into the outputs
    gradient_outputs : for each input, its gradient over `inputs` and `head_variables`; None if it has none
    """

    def __init__(
        self,
        graph: Graph,
        inputs: Sequence[Node],
        *,
        wanted: Sequence[bool],
        heads: Sequence[bool],
        train: bool,
        data: Collection[Node] | None = None,
        at_once: bool = False,
        recurs: bool = False,
        with_parts: bool = False,
    ) -> None:
        self.traced, self.inputs, self.at_once = graph, tuple(inputs), at_once
        self.graph = with_draws_apart(graph, train)
        self.head_variables = tuple(
            Node(None, f"head_grad{i}") for i, flows in enumerate(heads) if flows
        )
        self.has_losses = has_losses(self.graph)
        self.parts: list[tuple[Node, int]] = []
        self.gradient_outputs = self._differentiate(wanted, heads, train, with_parts)
        both = Graph(entry for entry in self.gradient_outputs if entry is not None)
        self._saved, self.drawn = self._entries_to_save(both), self._drawing_nodes(both, train)
        self.once = [n for n in self._forward_nodes(both) if runs_once(n, train)]
        self.unrepeated = [
            n.entry(i) for n in (*self.drawn, *self.once) for i in range(n.output_count)
        ]
        made, saved = self.graph.outputs, [*self._saved, *self.unrepeated]
        kept = [e for e in saved if not e.node.is_variable and e not in made]
        results = [*made, *dict.fromkeys(kept)]
        indices = {x: i for i, x in reversed([*enumerate([*self.inputs, *results])])}
        self._saved_at = [indices[e.node if e.node.is_variable else e] for e in self._saved]
        self._unrepeated_at = [indices[e] for e in self.unrepeated]
        # Parameters are mostly in the order of the layers. A graph runs in the order of its outputs, so in
        # reverse the gradients of the last layers are computed as soon as their inputs are.
        last_first = reversed([*enumerate(self.gradient_outputs)])
        self._computed = [i for i, entry in last_first if entry is not None]
        forward, (backward, given) = Graph(results), self._backward_graph()
        warm_up = WarmUp(forward, backward, recurs=recurs)
        self.forward_program = Program(
            forward, self.inputs, data=data, at_once=at_once, warm_up=warm_up
        )
        flowing = [e for e, flows in zip(made, heads, strict=True) if flows]
        program = self.forward_program
        origins = Origins(
            forward, self.inputs, [*self._saved, *flowing], lambda: program.sized_arrays
        )
        self.backward_program = Program(
            backward,
            given,
            data=self._batches_among(given, data),
            at_once=at_once,
            warm_up=warm_up,
            origins=origins,
        )
        self._passed = _passed_on(self.backward_program)
        self._memory = ReusedMemory()
        self._batches = [i for i, n in enumerate(self.inputs) if data is None or n in data]

    def _differentiate(
        self, wanted: Sequence[bool], heads: Sequence[bool], train: bool, with_parts: bool
    ) -> list[Entry | None]:
        variables = iter(self.head_variables)
        parts: dict[Node, list[Entry | None]] = {}
        found = iter(
            gradients(
                self.graph.outputs,
                [next(variables).entry() if flows else None for flows in heads],
                [n.entry() for n, want in zip(self.inputs, wanted, strict=False) if want],
                train=train,
                parts=parts if with_parts else None,
            )
        )
        gradients_of_inputs = [next(found) if want else None for want in wanted]
        return [*gradients_of_inputs, *self._listed(parts)]

    def _listed(self, parts: Mapping[Node, Sequence[Entry | None]]) -> list[Entry | None]:
        """The contributions of operators to gradients, without those to states."""
        found: list[Entry | None] = []
        for node, contributed in parts.items():
            names, states = node.applied.inputs, node.applied.states
            for position, (entry, part) in enumerate(zip(node.inputs, contributed, strict=True)):
                if names[position] not in states:
                    self.parts.append((node, position))
                    found.append(F.zeros_like(entry) if part is None else part)
        return found

    def _entries_to_save(self, both: Graph) -> list[Entry]:
        """The entries of the forward graph that the gradients need, including its inputs.

        `both` is the graph of the gradients, in which the forward graph is.
        """
        forward = {*self.graph.nodes, *self.inputs}
        backward = [node for node in both.nodes if node not in forward]
        read = chain(both.outputs, *[node.inputs for node in backward])
        needed = dict.fromkeys(entry for entry in read if entry.node in forward)
        return list(dict.fromkeys(map(_source, needed)))

    def _forward_nodes(self, both: Graph) -> list[Node]:
        """The nodes of the forward graph that the gradients depend on."""
        forward = set(self.graph.nodes)
        return [n for n in both.nodes if n in forward and not n.is_variable]

    def _drawing_nodes(self, both: Graph, train: bool) -> list[Node]:
        """The nodes whose random numbers the gradients depend on; loops draw inside."""
        return [n for n in self._forward_nodes(both) if draws(n, train) and not held_graphs(n)]

    def _backward_graph(self) -> tuple[Graph, tuple[Node, ...]]:
        """The graph of the gradients, and its variables; those of saved entries come first."""
        at = {e: Node(None, f"saved_{e.name}") for e in self._saved}
        outputs = [self.gradient_outputs[index] for index in self._computed]
        graph = cut([entry for entry in outputs if entry is not None], at)
        return graph, (*at.values(), *self.head_variables)

    def _batches_among(
        self, given: Sequence[Node], data: Collection[Node] | None
    ) -> list[Node] | None:
        """The variables of the gradients' graph whose first axis may be the batch; None if unknown."""
        if data is None:
            return None
        constant = set(self.inputs).difference(data)
        is_constant = [e.node in constant for e in self._saved]
        return [v for v, fixed in zip_longest(given, is_constant) if not fixed]

    def cache_info(self) -> CacheInfo:
        """Statistics of compilation, forward and backward."""
        programs = self.forward_program, self.backward_program
        return CacheInfo.total(program.cache_info() for program in programs)

    def forward(self, arrays: Sequence[Array], run: Run) -> tuple[list[Array], Saved]:
        """Compute the outputs, and the data that `backward` needs."""
        shapes = [arrays[at].shape for at in self._batches]
        visible = len(self.graph.outputs)
        left = self._memory.take(shapes)
        into = None if left is None else [*[None] * visible, *left]
        results = self.forward_program(arrays, run, into)
        self._memory.leave(shapes, results[visible:])
        return results[:visible], self.saved_of(arrays, results)

    def saved_of(self, arrays: Sequence[Any], results: Sequence[Any]) -> Saved:
        """What a forward run stores for the backward run, among its inputs and its results."""
        known = [*arrays, *results]
        saved = [known[at] for at in self._saved_at]
        return Saved(saved, [known[at] for at in self._unrepeated_at])

    def backward(
        self,
        saved: Saved,
        heads: Sequence[Array],
        run: Run,
        into: Sequence[Array | None] | None = None,
        finished: Callable[[int], None] | None = None,
    ) -> list[Array | None]:
        """Compute the gradients of the inputs from those of the outputs.

        Parameters
        ----------
        into : for each input, memory where its gradient may be written, or None; if given, the returned arrays
            are neither kept nor written to later
        finished : may be called, during the run, with the index of an input whose gradient is finished in that
            memory
        """
        given = [*saved.arrays, *heads]
        if into is None:
            found = self.backward_program(given, run)
        elif self._passed is not None:
            found = [given[index] for index in self._passed]
        else:
            found = self._written(given, run, self.computed_of(into), finished)
        return self.by_input(found)

    def computed_of(self, by_input: Sequence[Any]) -> list[Any]:
        """What is given for each input, for each result of the backward program."""
        return [by_input[i] for i in self._computed]

    def by_input(self, found: Sequence[Any]) -> list[Any]:
        """The results of the backward program, for each input; None where there is no gradient."""
        results: list[Any] = [None] * len(self.gradient_outputs)
        for index, array in zip(self._computed, found, strict=True):
            results[index] = array
        return results

    def _written(
        self,
        given: Sequence[Array],
        run: Run,
        into: list[Array | None],
        finished: Callable[[int], None] | None,
    ) -> list[Array]:
        """The gradients, written to the given memory, where there is any; writes are recorded."""
        if finished is None:
            found = self.backward_program(given, run, into)
            mark_all_modified(into)
            return found
        unfinished = dict(enumerate(into))

        def note(number: int) -> None:
            mark_modified(unfinished.pop(number))
            finished(self._computed[number])

        found = self.backward_program(given, run, into, note)
        mark_all_modified(unfinished.values())
        return found
