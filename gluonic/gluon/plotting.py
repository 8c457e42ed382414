"""`net.plot(x)`: the graph of a block as a picture, with the values of its parameters."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gluonic.codegen import Explanation
from gluonic.drawing.page.times import Times
from gluonic.gluon.parameter import Parameter
from gluonic.graph import Graph, Node
from gluonic.graph.events import EVENTS, TraceEvent
from gluonic.ndarray import NDArray
from gluonic.symbol.plotting import drawing_of

if TYPE_CHECKING:
    from gluonic.drawing.drawing import Drawing


def drawing_of_block(
    graph: Graph,
    title: str,
    inputs: Mapping[str, NDArray],
    parameters: Mapping[str, Parameter],
    save_format: str,
    explanation: Explanation | None = None,
    times: Times | None = None,
) -> "Drawing":
    """Draw the graph of a block.

    Parameters
    ----------
    graph : the block's
    title : the heading
    inputs : the block's inputs, by the names of variables
    parameters : by name
    save_format : see `Drawing`
    explanation, times : the explanation of the compiled graph, and its measured times
    """
    own = [parameters[node.name] for node in graph.variables if node.name in parameters]
    shapes = {name: array.shape for name, array in inputs.items()}
    dtypes = {name: np.dtype(array.dtype) for name, array in inputs.items()}
    return drawing_of(
        graph,
        title,
        shape={**known_shapes(own), **shapes},
        dtype=dtypes,
        save_format=save_format,
        values=values_of(own),
        parameters=frozenset(parameter.name for parameter in own),
        explanation=explanation,
        times=times,
    )


def known_shapes(parameters: Sequence[Parameter]) -> dict[str, tuple[int, ...]]:
    """The shapes of parameters, as far as they are known."""
    return {p.name: tuple(p.shape) for p in parameters if p.shape is not None and 0 not in p.shape}


def values_of(parameters: Sequence[Parameter]) -> dict[str, "np.ndarray[Any, Any]"]:
    """The values of parameters that have been initialized."""
    return {p.name: p.data().asnumpy() for p in parameters if p.is_initialized}


def measured(
    explanation: Explanation,
    graph: Graph,
    compiled: Callable[[], Any],
    eager: Callable[[], Any],
    runs: int,
) -> Times:
    """Run a net several times, compiled and eagerly, and time its parts.

    Parameters
    ----------
    explanation : the explanation of the compiled net
    graph : the net's
    compiled, eager : run the net
    runs : how often, beside once for what only the first run does
    """
    steps: dict[int, float] = {}
    operators: dict[Node, float] = {}
    for run, shortest in ((compiled, steps), (eager, operators)):
        for number in range(runs + 1):
            with EVENTS.collected() as events:
                run()
            if number:
                found = (
                    _times_of_steps(explanation, events)
                    if run is compiled
                    else _times_of_operators(graph, events)
                )
                _keep_shortest(shortest, found)
    return Times(runs, steps, operators)


def _keep_shortest(shortest: dict[Any, float], found: Mapping[Any, float]) -> None:
    for key, time in found.items():
        shortest[key] = min(time, shortest.get(key, time))


def _of_operators(events: Iterable[TraceEvent]) -> list[TraceEvent]:
    return [event for event in events if event.category == "operator" and event.arguments]


def _times_of_steps(explanation: Explanation, events: Iterable[TraceEvent]) -> dict[int, float]:
    """Match the profiler's events with the steps, both in order, by the nodes that run in them."""
    waiting: dict[tuple[str, ...], list[int]] = {}
    for step in explanation.steps:
        pairs = (operator.split(" ", 1) for operator in step.operators)
        waiting.setdefault(tuple(f"{op} {name!r}" for op, name in pairs), []).append(step.number)
    found: dict[int, float] = {}
    for event in _of_operators(events):
        numbers = waiting.get(tuple((event.arguments or {}).get("nodes", ())))
        if numbers:
            found[numbers.pop(0)] = event.duration / 1000
    return found


def _times_of_operators(graph: Graph, events: Iterable[TraceEvent]) -> dict[Node, float]:
    """Match operators that were called eagerly with nodes, both in order, by block and operator."""
    waiting: dict[tuple[str, str], list[Node]] = {}
    for node in sorted(graph.nodes, key=lambda node: node.call):
        if not node.is_variable:
            waiting.setdefault((str(node.block), node.operator_name), []).append(node)
    found: dict[Node, float] = {}
    for event in _of_operators(events):
        nodes = waiting.get(((event.arguments or {}).get("block", ""), event.name))
        if nodes:
            found[nodes.pop(0)] = event.duration / 1000
    return found
