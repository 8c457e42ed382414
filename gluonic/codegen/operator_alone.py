"""A compiled operator that is called eagerly."""

from collections.abc import Sequence
from typing import Any, NamedTuple
from weakref import ref

from gluonic.codegen.compiled import CompiledGraph
from gluonic.codegen.machine.declining import Declined
from gluonic.codegen.native.specialization import Specialization
from gluonic.codegen.runtime.binding import Binding
from gluonic.codegen.runtime.frame import Arena, ExecutionFrame, FramePool
from gluonic.codegen.shapes.facts import NotCompiledError
from gluonic.graph import Application, Array, Graph, Node
from gluonic.graph.operator import Run

_WEIGHTS = frozenset({"weight", "parameters"})
"""Inputs that are the same array in many calls: what is made of them is kept until it is written into."""

_arenas: list[Arena] = []
"""Memory for what operators compute on the way, one for each thread that is in a call now."""


class _Held(NamedTuple):
    """A frame, and references to the weights that it keeps packed, which tell when these are gone."""

    frame: ExecutionFrame
    weights: "list[ref[Array]]"


class OperatorAlone:
    """An operator with its attributes, compiled for what it is called with.

    All operators work in one arena, for an eager program has hundreds of them; each array of weights has a
    frame, which keeps them packed.

    Attributes
    ----------
    application : the operator with its attributes
    runs_in_python : whether there is no machine code for it after all
    """

    def __init__(self, application: Application) -> None:
        self.application = application
        variables = [Node(None, name) for name in application.inputs]
        node = Node(application, application.op.name, [v.entry() for v in variables])
        weights = [i for i, name in enumerate(application.inputs) if name in _WEIGHTS]
        self._compiled = CompiledGraph(
            Graph(node.entry(i) for i in range(node.output_count)),
            variables,
            [variables[i] for i in weights],
        )
        self._modal, self._weights = application.op.run_name is not None, weights
        self._held: dict[Any, _Held] = {}
        self._idle: dict[Specialization, ExecutionFrame] = {}
        self.runs_in_python = False

    def __call__(self, arrays: Sequence[Array], run: Run) -> list[Array] | None:
        """Compute the outputs, in memory of their own; None if NumPy has to."""
        try:
            binding = self._compiled.binding(arrays, self._modal and run.train)
        except NotCompiledError:
            self.runs_in_python = True
            return None
        if not binding.specialization.runs:
            self.runs_in_python = True
            return None
        arena = _arenas.pop() if _arenas else Arena()
        try:
            return self._run(binding, arrays, run, arena)
        except Declined:  # NumPy says what is wrong
            return None
        finally:
            _arenas.append(arena)

    def _run(
        self, binding: Binding, arrays: Sequence[Array], run: Run, arena: Arena
    ) -> list[Array]:
        weights = [arrays[i] for i in self._weights]
        key = binding.specialization, *map(id, weights)
        held = self._held.pop(key, None)  # no other thread finds it now
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
        """A frame for other weights: if possible that of weights that are gone."""

        def let_go(_: object) -> None:
            held = self._held.pop(key, None)
            if held is not None:
                self._idle[key[0]] = held.frame

        frame = self._idle.pop(key[0], None) or ExecutionFrame(binding, FramePool(), arena)
        return _Held(frame, [ref(array, let_go) for array in weights])
