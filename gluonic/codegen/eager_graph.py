"""Operators and their gradients as graphs that are called eagerly."""

from collections.abc import Sequence
from typing import Any, NamedTuple
from weakref import ref

from gluonic.codegen.compiled import CompiledGraph
from gluonic.codegen.gradient_use import GradientUse
from gluonic.codegen.machine.bail_out import BailOut
from gluonic.codegen.native.specialization import Specialization
from gluonic.codegen.runtime.binding import Binding
from gluonic.codegen.runtime.frame import Arena, ExecutionFrame, FramePool
from gluonic.codegen.shapes.facts import NotCompiledError
from gluonic.graph import Application, Array, Entry, Graph, Node, Run, Signatures, shapes_and_dtypes
from gluonic.graph.builder import F
from gluonic.graph.gradient import input_gradients

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
    frame,
    which keeps the packed weights until they are written to.

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
        graph = Graph(entry for entry in outputs if entry is not None)
        weights = [i for i, node in enumerate(inputs) if node.name in application.weights]
        self._compiled = CompiledGraph(graph, inputs, [inputs[i] for i in weights])
        self._weights = weights
        self._held: dict[Any, _Held] = {}
        self._idle: dict[Specialization, ExecutionFrame] = {}
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
        inputs, _ = _alone(application)
        outputs = [Node(None, f"{name}_value") for name in application.outputs]
        names = zip(application.outputs, use.flowing, strict=True)
        heads = [Node(None, f"{name}_gradient") if flows else None for name, flows in names]
        found = input_gradients(
            F,
            application,
            [node.entry() for node in (*inputs, *outputs)],
            [None if head is None else head.entry() for head in heads],
            train=use.train,
            wanted=use.wanted,
        )
        given = [*inputs, *outputs, *(head for head in heads if head is not None)]
        return cls(f"gradient of {application.op.name}", application, found, given)

    def __call__(
        self, arrays: Sequence[Array], run: Run, signature: Signatures | None = None
    ) -> list[Any] | None:
        """Compute the outputs, in new memory; None if the interpreter must.

        Parameters
        ----------
        signature : the shapes and dtypes of the arrays, where they are known
        """
        if signature is None:
            signature = shapes_and_dtypes(arrays)
        key = signature, run.train
        binding = self._bindings.get(key, _UNKNOWN)
        if binding is _UNKNOWN:
            if len(self._bindings) >= _MOST_BINDINGS:
                self._bindings.clear()
            binding = self._bindings[key] = self._binding(arrays, run, signature)
        if binding is None:
            return None
        arena = _arenas.pop() if _arenas else Arena()
        try:
            results = iter(self._run(binding, arrays, run, arena))
            return [next(results) if is_there else None for is_there in self._is_there]
        except BailOut:  # NumPy raises the error
            return None
        finally:
            _arenas.append(arena)

    def _binding(self, arrays: Sequence[Array], run: Run, signature: Signatures) -> Binding | None:
        """The binding for such arrays; None if it has no machine code."""
        try:
            binding = self._compiled.binding(arrays, run.train, signature)
        except NotCompiledError:
            return None
        return binding if binding.specialization.runs else None

    def _run(
        self, binding: Binding, arrays: Sequence[Array], run: Run, arena: Arena
    ) -> list[Array]:
        weights = [arrays[i] for i in self._weights]
        key = binding.specialization, *map(id, weights)
        held = self._held.pop(key, None)  # so no other thread finds it
        if held is None:
            held = self._new(key, weights, binding, arena)
        frame = held.frame
        frame.work_in(arena)
        if frame.binding is not binding:
            frame.serve(binding)
        if not frame.take(arrays):
            raise AssertionError("a binding of these very shapes does not take the arrays")
        results = frame.run(arrays, run)
        self._held[key] = held
        return results

    def _new(self, key: Any, weights: Sequence[Array], binding: Binding, arena: Arena) -> "_Held":
        """A frame for other weights: if possible, that of weights that no longer exist."""

        def let_go(_: object) -> None:
            held = self._held.pop(key, None)
            if held is not None:
                self._idle[key[0]] = held.frame

        frame = self._idle.pop(key[0], None) or ExecutionFrame(binding, FramePool(), arena)
        return _Held(frame, [ref(array, let_go) for array in weights])
