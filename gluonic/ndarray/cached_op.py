"""`CachedGraph`: a graph that is called like an operator, with one record on the tape."""

from collections.abc import Callable, Collection, Sequence

import numpy as np

from gluonic.codegen import (
    CacheInfo,
    DifferentiableProgram,
    Explanation,
    Observer,
    Program,
    Saved,
    cut,
    explain,
)
from gluonic.graph import Array, Entry, Graph, Node
from gluonic.graph.errors import MXNetError
from gluonic.graph.memory import allocated, copied
from gluonic.graph.monitoring import input_names
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.recording import put, record, wrap
from gluonic.ndarray.state import STATE, Flags, current_run
from gluonic.ndarray.tape import FunctionRecord, Record, TapeEntry, entry_of
from gluonic.support.gc_pause import paused


class CachedGraph:
    """A graph that is called with NDArrays.

    Parameters
    ----------
    graph : the graph to compute
    inputs : the variables, in the order of the arrays passed
    parameters : the variables that rarely change; only NDArrays write to their memory
    data : the variables that hold the batch, if any; None if unknown
    kind : the class of the outputs
    at_once : whether the first call compiles the graph, not a later one
    """

    def __init__(
        self,
        graph: Graph,
        inputs: Sequence[Node],
        parameters: Collection[Node] = (),
        data: Collection[Node] | None = None,
        kind: type[NDArray] = NDArray,
        *,
        at_once: bool = False,
    ) -> None:
        self.graph, self.inputs, self.kind = graph, tuple(inputs), kind
        self._data, self._at_once = data, at_once
        self._latest = self.inference = Program(graph, inputs, parameters, data, at_once=at_once)
        self.with_gradients: dict[tuple[tuple[bool, ...], bool], DifferentiableProgram] = {}
        self._observer: Observer | None = None

    def observe(self, callback: Callable[[str, str, NDArray], None] | None, inputs: bool) -> None:
        """Call ``callback(name, operator, array)`` for every operator's result from now on.

        Parameters
        ----------
        callback : the function; None stops the calls
        inputs : call it for every operator's inputs, too
        """

        def observer(node: Node, arrays: list[Array], results: list[Array]) -> None:
            assert callback is not None
            called = input_names(node.applied) if inputs else ()
            names = [f"{node.name}_{name}" for name in called]
            names += [node.entry(i).name for i in range(node.visible_count)]
            for name, array in zip(names, [*(arrays if inputs else ()), *results], strict=False):
                callback(name, node.operator_name, wrap(array))

        self._observer = None if callback is None else observer
        self.inference.observer = self._observer
        for program in self.with_gradients.values():
            program.forward_program.observer = self._observer

    def explain(self, *inputs: NDArray) -> Explanation:
        """Explain how the graph is compiled for such inputs, in the current modes."""
        wanted = tuple(STATE.recording and entry_of(x) is not None for x in inputs)
        program, arrays = self.inference, [x.elements for x in inputs]
        if any(wanted):
            program = self.differentiable(wanted, STATE.training).forward_program
        return explain(program.binding(arrays, train=STATE.training), self.graph)

    def cache_info(self) -> CacheInfo:
        """Counts of what was compiled for the graph, its gradients included, and of its uses."""
        both = [program.cache_info() for program in self.with_gradients.values()]
        return CacheInfo.total([self.inference.cache_info(), *both])

    def __call__(self, *inputs: NDArray) -> list[NDArray]:
        """Compute the outputs; recorded on the tape as one computation."""
        arrays = [x.elements for x in inputs]
        if STATE.recording:
            entries = [None if x.tape_entry is None else entry_of(x) for x in inputs]
            wanted = tuple([entry is not None for entry in entries])
            if True in wanted:
                program = self.differentiable(wanted, STATE.training)
                return self.recorded(program, inputs, arrays, entries)
        return self.computed(inputs, arrays)

    def computed(self, inputs: Sequence[NDArray], arrays: list[Array]) -> list[NDArray]:
        """Compute the outputs, unrecorded; `arrays` are those of the inputs."""
        self._latest = self.inference
        return self._wrapped(inputs, self.inference(arrays, current_run()))

    @property
    def warms_up(self) -> bool:
        """Whether a call like the latest is interpreted, and a later one compiles the graph."""
        return self._latest.warms_up

    @property
    def runs_in_python(self) -> bool:
        """Whether no call so far has run any machine code."""
        programs = [self.inference, *(p.forward_program for p in self.with_gradients.values())]
        return all(program.runs_in_python for program in programs)

    def differentiable(self, wanted: tuple[bool, ...], train: bool) -> DifferentiableProgram:
        """The forward and backward programs for gradients of the wanted inputs."""
        key = wanted, train
        if key not in self.with_gradients:
            heads = [True] * len(self.graph.outputs)
            others = [other for (_, mode), other in self.with_gradients.items() if mode == train]
            with paused():
                self.with_gradients[key] = DifferentiableProgram(
                    self.graph,
                    self.inputs,
                    wanted=wanted,
                    heads=heads,
                    train=train,
                    data=self._data,
                    at_once=self._at_once,
                    recurs=any(other.forward_program.recurs for other in others),
                )
            self.with_gradients[key].forward_program.observer = self._observer
        return self.with_gradients[key]

    def recorded(
        self,
        program: DifferentiableProgram,
        inputs: Sequence[NDArray],
        arrays: list[Array],
        entries: list[TapeEntry | None],
    ) -> list[NDArray]:
        """Compute the outputs with a program for the gradients wanted; recorded.

        Parameters
        ----------
        program : what `differentiable` returned
        arrays, entries : of the inputs
        """
        self._latest = program.forward_program
        results, saved = program.forward(arrays, current_run())
        outputs = self._wrapped(inputs, results)
        made = CachedOpRecord(program, entries, arrays, outputs, saved, STATE.training)
        put(made, inputs, outputs)
        return outputs

    def _wrapped(self, inputs: Sequence[NDArray], results: list[Array]) -> list[NDArray]:
        context = inputs[0].stated_context if inputs else None
        return [wrap(array, None, context, self.kind) for array in results]


class CachedOpRecord(Record):
    """A recorded call of a graph."""

    takes_memory = True

    __slots__ = ("arrays", "program", "saved", "shapes", "train")

    def __init__(
        self,
        program: DifferentiableProgram,
        inputs: Sequence[TapeEntry | None],
        arrays: list[Array],
        outputs: Sequence[NDArray],
        saved: Saved,
        train: bool,
    ) -> None:
        super().__init__(inputs)
        self.program, self.train = program, train
        self.arrays: list[Array] | None = arrays
        self.saved: Saved | None = saved
        self.shapes = [(o.elements.shape, o.elements.dtype) for o in outputs]

    @property
    def output_count(self) -> int:
        """The number of outputs."""
        return len(self.shapes)

    @property
    def is_loss(self) -> bool:
        """Whether the graph has losses."""
        return self.program.has_losses

    def free(self) -> None:
        """Release the values."""
        super().free()
        self.arrays = self.saved = None

    def gradients(self, heads: list[NDArray | None], *, train: bool) -> Sequence[NDArray | None]:
        """Run the graph's backward program, or record it."""
        return self.gradients_into(heads, None, train=train)

    def gradients_into(
        self,
        heads: list[NDArray | None],
        into: Sequence[Array | None] | None,
        *,
        train: bool,
        finished: Callable[[int], None] | None = None,
    ) -> Sequence[NDArray | None]:
        """Like `gradients`, written to the memory given for some of the inputs."""
        assert self.saved is not None
        given = [
            wrap(allocated(np.zeros, shape, dtype, "the gradient of an output"))
            if head is None
            else head
            for head, (shape, dtype) in zip(heads, self.shapes, strict=True)
        ]
        if STATE.recording:
            return self._recorded(given)
        flowing = [h.elements for h in given]
        for head in flowing:  # it may be the gradient of a variable, given by the user
            into = into and [None if x is head else x for x in into]
        found = self.program.backward(self.saved, flowing, current_run(), into, finished)
        return [None if array is None else wrap(array) for array in found]

    def _recorded(self, heads: list[NDArray]) -> Sequence[NDArray | None]:
        """The gradients as a recorded computation over the inputs and the heads, for higher orders."""
        assert self.arrays is not None
        assert self.saved is not None
        outputs = self.program.gradient_outputs
        with Flags(None, self.train):
            again = _Repeated(self.program, self.arrays, self.inputs, self.saved.unrepeated)
            wanted = [entry for entry in outputs if entry is not None]
            found = iter(again(wanted, self.program.head_variables, heads))
        return [None if entry is None else next(found) for entry in outputs]


class _Repeated:
    """A forward run that is computed once more, as a recorded computation: it changes nothing.

    Random numbers, and the results of what must not run again, are those of the first run. States are written
    to copies.
    """

    def __init__(
        self,
        program: DifferentiableProgram,
        arrays: Sequence[Array],
        inputs: Sequence[TapeEntry | None],
        unrepeated: Sequence[Array],
    ) -> None:
        self._variables: list[Node] = [*program.inputs]
        self._values = [wrap(a, entry) for a, entry in zip(arrays, inputs, strict=True)]
        self._known: dict[Entry, Node] = {}
        results = iter(unrepeated)
        for node in program.drawn:
            self._know(node, [wrap(next(results)) for _ in range(node.output_count)])
        for node in program.once:
            outputs = [wrap(next(results)) for _ in range(node.output_count)]
            given = self(node.inputs)
            record(node.applied, given, [x.elements for x in given], outputs)
            self._know(node, outputs)

    def __call__(
        self, wanted: Sequence[Entry], heads: Sequence[Node] = (), flowing: Sequence[NDArray] = ()
    ) -> list[NDArray]:
        """The values of entries of the graph, or of its gradients over variables that have these values."""
        graph = cut(wanted, self._known)
        states = set(graph.states)
        values = [
            wrap(copied(x.elements), x.tape_entry) if variable in states else x
            for variable, x in zip(self._variables, self._values, strict=True)
        ]
        again, inputs = CachedGraph(graph, [*self._variables, *heads]), [*values, *flowing]
        if STATE.recording:
            entries = [entry_of(x) for x in inputs]
            try:
                again.differentiable(tuple([e is not None for e in entries]), STATE.training)
            except (MXNetError, NotImplementedError) as error:
                return _undifferentiable(again, inputs, entries, error)
        return again(*inputs)

    def _know(self, node: Node, outputs: Sequence[NDArray]) -> None:
        """From now on, the outputs of a node are variables."""
        for i, output in enumerate(outputs):
            entry = node.entry(i)
            variable = self._known[entry] = Node(None, f"known_{entry.name}")
            self._variables.append(variable)
            self._values.append(output)


def _undifferentiable(
    graph: CachedGraph,
    inputs: Sequence[NDArray],
    entries: list[TapeEntry | None],
    error: Exception,
) -> list[NDArray]:
    """The outputs of a graph that has no gradient: the error is raised where that is asked for."""

    def refuse(heads: list[NDArray | None]) -> Sequence[NDArray | None]:
        raise error

    outputs = graph.computed(inputs, [x.elements for x in inputs])
    put(FunctionRecord(entries, len(outputs), refuse), inputs, outputs)
    return outputs
