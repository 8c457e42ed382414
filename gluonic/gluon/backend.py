"""The work of `HybridBlock.optimize_for` and ``hybridize(backend=…)`` on the traces of a block."""

from collections.abc import Sequence
from typing import Any

from gluonic.gluon.parameter import Parameter
from gluonic.gluon.structure import Structure
from gluonic.gluon.trace import Trace
from gluonic.graph import Graph
from gluonic.graph.json.writer import write_json
from gluonic.graph.states import with_own_states
from gluonic.ndarray import NDArray
from gluonic.ndarray.optimizing import optimize

_Step = tuple[str, dict[str, Any]]


class BackendSteps:
    """The backends that rewrite a block's graphs, one after the other.

    A graph is rewritten once for all traces (for training, for inference) that share it. Traces with different
    graphs, because `hybrid_forward` depends on the mode, have separate ones.
    """

    def __init__(self) -> None:
        self._steps: list[_Step] = []
        self._done: dict[tuple[Structure, str], tuple[Graph, int]] = {}
        self._made: dict[str, Parameter] = {}

    def __getstate__(self) -> dict[str, Any]:
        """The state of a copy: the backends, without the graphs that they have created."""
        return {**self.__dict__, "_done": {}, "_made": {}}

    @property
    def are_asked(self) -> bool:
        """Whether there is a backend that rewrites graphs."""
        return bool(self._steps)

    def ask(self, backend: str | None, options: dict[str, Any], *, clear: bool) -> None:
        """Let a backend rewrite the graphs, starting from those of earlier backends unless `clear` is set."""
        if clear:
            self._steps.clear()
            self.forget()
        if backend:
            self._steps.append((backend, options))

    def forget(self) -> None:
        """Drop the rewritten graphs: the block has changed."""
        self._done.clear()
        self._made.clear()

    def applied(
        self,
        trace: Trace,
        structure: Structure,
        parameters: dict[str, Parameter],
        arrays: Sequence[NDArray],
        *,
        keep_states: bool,
    ) -> Trace:
        """Return the trace as rewritten by the backends, bound to its parameters.

        Parameters
        ----------
        parameters : all of the block, initialized
        arrays : the inputs of the call for which the trace is made
        keep_states : whether operators keep their states from call to call
        """
        graph = trace.graph
        if self._steps:
            key = structure, write_json(graph)
            graph, count = self._done.get(key, (graph, 0))
            for backend, options in self._steps[count:]:
                graph = self._optimized(graph, trace, parameters, arrays, backend, options)
            self._done[key] = graph, len(self._steps)
        if keep_states:
            graph = with_own_states(graph)
        if graph is trace.graph:
            return trace
        made = trace.with_graph(graph)
        made.bind({**parameters, **self._made})
        return made

    def _optimized(
        self,
        graph: Graph,
        trace: Trace,
        parameters: dict[str, Parameter],
        arrays: Sequence[NDArray],
        backend: str,
        options: dict[str, Any],
    ) -> Graph:
        context = arrays[0].stated_context
        values = {p.name: p.data(context) for p in (*parameters.values(), *self._made.values())}
        for symbol, array in zip(trace.inputs, arrays, strict=True):
            values[str(symbol.name)] = array
        states = {node.name for node in graph.states}
        args = {n.name: values[n.name] for n in graph.variables if n.name not in states}
        aux = {n.name: values[n.name] for n in graph.variables if n.name in states}
        known = {*args, *aux}
        made = optimize(graph, backend, args, aux, options)
        for name, array in {**args, **aux}.items():
            if name not in known:
                self._made[name] = _parameter(name, array)
        return made


def _parameter(name: str, array: NDArray) -> Parameter:
    """A parameter that a graph pass has created; it is not listed by the block, but exported."""
    parameter = Parameter(name, grad_req="null", shape=array.shape, dtype=array.dtype)
    parameter.initialize(ctx=array.context)
    parameter.set_data(array)
    return parameter


def backend_options(
    given: dict[str, Any], flag_names: Sequence[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Separate flags from options for a backend; without a backend there are no options."""
    if not given.get("backend"):
        return given, {}
    flags = {name: value for name, value in given.items() if name in flag_names}
    others = {name: value for name, value in given.items() if name not in flag_names}
    return flags, {**(given.get("backend_opts") or {}), **others}
