"""`CachedGraph`: a graph that is called like an operator, with one record on the tape."""

from collections.abc import Callable, Collection, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from gluonic.codegen import (
    CacheInfo,
    DifferentiableProgram,
    Explanation,
    Observer,
    Program,
    cut,
    explain,
)
from gluonic.graph import Array, Entry, Graph, Node
from gluonic.graph.errors import MXNetError
from gluonic.graph.memory import allocated
from gluonic.graph.monitoring import input_names
from gluonic.ndarray.array import NDArray, NoElementsError
from gluonic.ndarray.graph_record import GraphRecord
from gluonic.ndarray.placing import on_devices
from gluonic.ndarray.recording import put, record, wrap
from gluonic.ndarray.state import STATE, Flags, current_run
from gluonic.ndarray.tape import FunctionRecord, TapeEntry, entry_of
from gluonic.support.cached_property import cached_property
from gluonic.support.gc_pause import paused

if TYPE_CHECKING:
    from gluonic.codegen import DeviceExplanation


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
        self.with_gradients: dict[tuple[tuple[bool, ...], bool], RecordableProgram] = {}
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
                callback(name, node.operator_name, _wrapped(array))

        self._observer = None if callback is None else observer
        self.inference.observer = self._observer
        for program in self.with_gradients.values():
            program.forward_program.observer = self._observer

    def explain(self, *inputs: NDArray) -> "Explanation | DeviceExplanation":
        """Explain how the graph is compiled for such inputs, in the current modes."""
        wanted = tuple([STATE.recording and entry_of(x) is not None for x in inputs])
        if any(x.on_device for x in inputs):
            return self.on_device.explain(inputs, wanted)  # type: ignore[no-any-return]
        program, arrays = self.inference, [x.host_elements() for x in inputs]
        if any(wanted):
            program = self.differentiable(wanted, STATE.training).forward_program
        return explain(program.binding(arrays, train=STATE.training), self.graph)

    def cache_info(self) -> CacheInfo:
        """Counts of what was compiled for the graph, its gradients included, and of its uses."""
        parts = [program.cache_info() for program in self.with_gradients.values()]
        if "on_device" in self.__dict__:
            parts.append(self.on_device.cache_info())
        return CacheInfo.total([self.inference.cache_info(), *parts])

    def __call__(self, *inputs: NDArray) -> list[NDArray]:
        """Compute the outputs; recorded on the tape as one computation."""
        try:
            arrays = [x.elements for x in inputs]
        except NoElementsError:
            if not any(x.on_device for x in inputs):
                raise
            arrays = None
        if arrays is None:
            return self.on_device(inputs)  # type: ignore[no-any-return]
        if STATE.recording:
            entries = [None if x.tape_entry is None else entry_of(x) for x in inputs]
            wanted = tuple([entry is not None for entry in entries])
            if True in wanted:
                program = self.differentiable(wanted, STATE.training)
                return self.recorded(program, inputs, arrays, entries)
        return self.computed(inputs, arrays)

    @cached_property
    def on_device(self) -> Any:
        """Computes the outputs on a device."""
        return on_devices().GraphOnDevice(self)

    @property
    def observer(self) -> Observer | None:
        """What is told the result of each operator."""
        return self._observer

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

    def differentiable(self, wanted: tuple[bool, ...], train: bool) -> "RecordableProgram":
        """The forward and backward programs for gradients of the wanted inputs."""
        key = wanted, train
        if key not in self.with_gradients:
            heads = [True] * len(self.graph.outputs)
            others = [other for (_, mode), other in self.with_gradients.items() if mode == train]
            with paused():
                self.with_gradients[key] = RecordableProgram(
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
        program: "RecordableProgram",
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
        forms = [(array.shape, array.dtype) for array in results]
        made = CachedOpRecord(program, entries, arrays, forms, saved, STATE.training)
        put(made, inputs, outputs)
        return outputs

    def _wrapped(self, inputs: Sequence[NDArray], results: list[Array]) -> list[NDArray]:
        context = inputs[0].stated_context if inputs else None
        return [wrap(array, None, context, self.kind) for array in results]


class CachedOpRecord(GraphRecord[Array]):
    """A recorded call of a graph."""

    __slots__ = ()

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
            for head, (shape, dtype) in zip(heads, self.forms, strict=True)
        ]
        if STATE.recording:
            return self.recorded(given)
        flowing = [h.elements for h in given]
        for head in flowing:  # it may be the gradient of a variable, given by the user
            into = into and [None if x is head else x for x in into]
        found = self.program.backward(self.saved, flowing, current_run(), into, finished)
        return [None if array is None else wrap(array) for array in found]

    def wrapped(self, array: Array, entry: TapeEntry | None) -> NDArray:
        """An input as it was recorded."""
        return wrap(array, entry)


class RecordableProgram(DifferentiableProgram):
    """A graph that runs forward and backward, and whose gradients can be recorded."""

    @cached_property
    def recorded_gradients(self) -> "_RecordedGradients":
        """Computes the gradients as a recorded computation."""
        return _RecordedGradients(self)

    def cache_info(self) -> CacheInfo:
        """Statistics of compilation: forward, backward, and of the recorded gradients."""
        recorded = self.__dict__.get("recorded_gradients")
        more = [] if recorded is None else [graph.cache_info() for graph in recorded.graphs]
        return CacheInfo.total([super().cache_info(), *more])


class _RecordedGradients:
    """The gradients of a program, computed from a forward run that is repeated: that changes nothing.

    Random numbers, and the results of what must not run again, are those of the first run. States are written
    to copies.

    Attributes
    ----------
    graphs : what it computes, one after another
    """

    def __init__(self, program: DifferentiableProgram) -> None:
        self._at_once = program.at_once
        self._known: dict[Entry, Node] = {}
        self._variables: list[Node] = [*program.inputs]
        self._drawn = sum(node.output_count for node in program.drawn)
        for node in program.drawn:
            self._know(node)
        self._once: list[tuple[Node, _Repeated]] = []
        for node in program.once:
            self._once.append((node, self._repeated(node.inputs)))
            self._know(node)
        wanted = [entry for entry in program.gradient_outputs if entry is not None]
        self._gradients = self._repeated(wanted, program.head_variables)
        repeated = [*(each for _, each in self._once), self._gradients]
        self.graphs = [each.graph for each in repeated]

    def __call__(
        self, inputs: Sequence[NDArray], unrepeated: Sequence[Array], heads: Sequence[NDArray]
    ) -> list[NDArray]:
        """The gradients of the inputs that have one.

        Parameters
        ----------
        inputs : of the program
        unrepeated : the values that one of its runs has saved
        heads : the gradients of its outputs
        """
        results = iter(unrepeated)
        values = [*inputs, *map(_wrapped, islice(results, self._drawn))]
        for node, repeated in self._once:
            outputs = [_wrapped(next(results)) for _ in range(node.output_count)]
            given = repeated(values)
            if outputs[0].on_device:
                on_devices().record(node.applied, given, outputs)
            else:
                record(node.applied, given, [x.elements for x in given], outputs)
            values += outputs
        return self._gradients([*values, *heads])

    def _know(self, node: Node) -> None:
        """From now on, the outputs of a node are variables."""
        for i in range(node.output_count):
            entry = node.entry(i)
            variable = self._known[entry] = Node(None, f"known_{entry.name}")
            self._variables.append(variable)

    def _repeated(self, wanted: Sequence[Entry], heads: Sequence[Node] = ()) -> "_Repeated":
        graph = cut(wanted, self._known)
        return _Repeated(graph, [*self._variables, *heads], at_once=self._at_once)


class _Repeated:
    """A graph that is computed, or recorded, without changing the values of its states.

    Parameters
    ----------
    graph : the graph
    variables : its variables, in the order of the values passed
    at_once : whether the first call compiles the graph, not a later one
    """

    def __init__(self, graph: Graph, variables: Sequence[Node], *, at_once: bool) -> None:
        states = set(graph.states)
        self._states = [i for i, node in enumerate(variables) if node in states]
        self.graph = CachedGraph(graph, variables, at_once=at_once)

    def __call__(self, values: Sequence[NDArray]) -> list[NDArray]:
        """The outputs for values of the variables."""
        inputs = [*values]
        for i in self._states:
            inputs[i] = values[i].detach().copy()
            inputs[i].tape_entry = values[i].tape_entry
        if STATE.recording:
            entries = [entry_of(x) for x in inputs]
            try:
                self.graph.differentiable(tuple([e is not None for e in entries]), STATE.training)
            except (MXNetError, NotImplementedError) as error:
                return _undifferentiable(self.graph, inputs, entries, error)
        return self.graph(*inputs)


def _wrapped(array: Any) -> NDArray:
    """An NDArray around an array of the host or of a device, without a copy."""
    return wrap(array) if isinstance(array, np.ndarray) else on_devices().made(array)


def _undifferentiable(
    graph: CachedGraph,
    inputs: Sequence[NDArray],
    entries: list[TapeEntry | None],
    error: Exception,
) -> list[NDArray]:
    """The outputs of a graph that has no gradient: the error is raised where that is asked for."""

    def refuse(heads: list[NDArray | None]) -> Sequence[NDArray | None]:
        raise error

    with Flags(False, None):
        outputs = graph(*inputs)
    put(FunctionRecord(entries, len(outputs), refuse), inputs, outputs)
    return outputs
