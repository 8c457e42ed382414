"""Operators and their gradients as graphs that are called eagerly."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple
from weakref import ref

from gluonic.codegen.compiled import CompiledGraph
from gluonic.codegen.executors import executor
from gluonic.codegen.gradient_use import GradientUse, rule_as_graph
from gluonic.codegen.machine.bail_out import BailOut
from gluonic.codegen.native.executable import Executable
from gluonic.codegen.runtime.arena import Arena
from gluonic.codegen.runtime.binding import Binding
from gluonic.codegen.runtime.frame import ExecutionFrame, FramePool
from gluonic.codegen.shapes.facts import NotCompiledError
from gluonic.graph import Application, Array, Entry, Graph, Node, Run, Signatures
from gluonic.support.pieces import UnfinishedError

_MOST_BINDINGS = 64
_UNKNOWN: Any = object()

_arenas: list[Arena] = []
"""Memory for intermediate results, one arena per thread that is in a call."""


def _alone(application: Application) -> tuple[list[Node], Node]:
    """The variables that an operator reads, and its node."""
    inputs = [Node(None, name) for name in application.inputs]
    return inputs, Node(application, application.op.name, [node.entry() for node in inputs])


class _Held(NamedTuple):
    """A frame, and weak references to the weights that it has packed."""

    frame: ExecutionFrame
    weights: "list[ref[Array]]"


class EagerGraph:
    """A small graph, of one operator or its gradient, that is compiled for the arrays it is called with.

    All such graphs share one arena, for an eager program has hundreds of them. Each array of weights has a
    frame, which keeps the packed weights until they are written to.

    Parameters
    ----------
    name : its name in reports
    application : the operator
    outputs : the entries to compute; the result of None is None
    inputs : the variables, named like the operator's inputs, in the order of the arrays passed

    Attributes
    ----------
    name : the same
    """

    def __init__(
        self,
        name: str,
        application: Application,
        outputs: Sequence[Entry | None],
        inputs: Sequence[Node],
    ) -> None:
        self.name = name
        self._is_there = [entry is not None for entry in outputs]
        self._is_complete = all(self._is_there)
        graph = Graph(entry for entry in outputs if entry is not None)
        weights = [i for i, node in enumerate(inputs) if node.name in application.weights]
        self._compiled = CompiledGraph(graph, inputs, [inputs[i] for i in weights])
        self._weights = weights
        self._held: dict[Any, _Held] = {}
        self._idle: dict[Executable, ExecutionFrame] = {}
        self._bindings: dict[Any, Binding | None] = {}

    @classmethod
    def of_operator(cls, application: Application) -> "EagerGraph":
        """The graph of one operator; its arrays are the inputs."""
        inputs, node = _alone(application)
        outputs = [node.entry(i) for i in range(node.output_count)]
        return cls(application.op.name, application, outputs, inputs)

    @classmethod
    def of_gradient(cls, application: Application, use: GradientUse) -> "EagerGraph":
        """The graph of a gradient rule; its arrays are the inputs, the outputs, and the outputs' gradients."""
        gradients, given = rule_as_graph(application, use)
        return cls(f"gradient of {application.op.name}", application, gradients, given)

    def __call__(
        self,
        arrays: Sequence[Array],
        run: Run,
        signature: Signatures,
        allows: Callable[[int], bool],
    ) -> list[Any] | None:
        """Compute the outputs, in new memory; None if the interpreter must.

        Parameters
        ----------
        signature : the shapes and dtypes of the arrays
        allows : whether a piece of machine code with such a cost, in nanoseconds, may be made in this call

        Notes
        -----
        Machine code for new shapes is made in pieces by several calls, which the interpreter answers.
        """
        call = self.call_for(arrays, run, signature, allows)
        return None if call is None else call(arrays, run)

    def call_for(
        self,
        arrays: Sequence[Array],
        run: Run,
        signature: Signatures,
        allows: Callable[[int], bool],
    ) -> "EagerCall | None":
        """The call for such arrays, and for the weights among them; None if it has no machine code."""
        key = signature, run.train
        binding = self._bindings.get(key, _UNKNOWN)
        if binding is _UNKNOWN:
            if len(self._bindings) >= _MOST_BINDINGS:
                self._bindings.clear()
            try:
                binding = self._bindings[key] = self._binding(arrays, run, signature, allows)
            except UnfinishedError:
                return None
        if binding is None:
            return None
        return EagerCall(self, binding, [(i, id(arrays[i])) for i in self._weights], run.train)

    def _binding(
        self,
        arrays: Sequence[Array],
        run: Run,
        signature: Signatures,
        allows: Callable[[int], bool],
    ) -> Binding | None:
        """The binding for such arrays; None if it has no machine code."""
        try:
            if executor() == "compile":
                binding = self._compiled.binding(arrays, run.train, signature)
            else:
                binding = self._compiled.binding_in_pieces(arrays, run.train, allows, signature)
        except NotCompiledError:
            return None
        return binding if binding.executable.functions else None

    def run(self, call: "EagerCall", arrays: Sequence[Array], run: Run) -> list[Any] | None:
        """Run a call of this graph; None if it does not take the arrays, or only NumPy can answer it."""
        arena = _arenas.pop() if _arenas else Arena()
        try:
            held = self._held.pop(call.key, None)  # so no other thread finds it
            if held is None:
                held = self._new(call, arrays, arena)
            frame, binding = held.frame, call.binding
            frame.work_in(arena)
            if frame.binding is not binding:
                frame.serve(binding)
            results = frame.run(arrays, run) if frame.take(arrays) else None
            self._held[call.key] = held
        except BailOut:  # NumPy raises the error
            return None
        finally:
            _arenas.append(arena)
        if results is None or self._is_complete:
            return results
        found = iter(results)
        return [next(found) if is_there else None for is_there in self._is_there]

    def _new(self, call: "EagerCall", arrays: Sequence[Array], arena: Arena) -> "_Held":
        """A frame for other weights: if possible, that of weights that no longer exist."""
        key, executable = call.key, call.binding.executable

        def let_go(_: object) -> None:
            held = self._held.pop(key, None)
            if held is not None:
                self._idle[executable] = held.frame

        frame = self._idle.pop(executable, None)
        if frame is None:
            frame = ExecutionFrame(call.binding, FramePool(), arena)
        return _Held(frame, [ref(arrays[i], let_go) for i in self._weights])


class EagerCall:
    """A call of an eager graph with arrays of certain shapes and dtypes, and with certain weights.

    Parameters
    ----------
    graph : the graph
    binding : its binding for these shapes
    weights : for each input of weights, its position and the array's identity
    train : whether operators behave as in training

    Attributes
    ----------
    binding : the same
    key : of its frame
    """

    __slots__ = ("_graph", "_train", "_weights", "binding", "key")

    def __init__(
        self, graph: EagerGraph, binding: Binding, weights: list[tuple[int, int]], train: bool
    ) -> None:
        self._graph, self._weights, self._train = graph, weights, train
        self.binding = binding
        self.key = binding.executable, *[identity for _, identity in weights]

    def __call__(self, arrays: Sequence[Array], run: Run) -> list[Any] | None:
        """Compute the outputs, in new memory; None if NumPy must."""
        return self._graph.run(self, arrays, run)

    def repeat(self, arrays: Sequence[Array], run: Run) -> list[Any] | None:
        """Compute the outputs if only data have changed; None if more has, or if NumPy must."""
        if run.train is not self._train:
            return None
        for position, identity in self._weights:
            if id(arrays[position]) != identity:
                return None
        return self._graph.run(self, arrays, run)
