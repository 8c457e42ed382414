"""Shape and dtype inference: the operators' rules, run until nothing new is learnt.

Rules work both ways and from partial knowledge: a weight's shape follows from the data, the data's batch
from the output. Facts only ever become more specific, so the order of work does not change the result.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gluonic.graph.errors import InferenceError, MXNetError, describe
from gluonic.graph.node import Graph, Node
from gluonic.graph.operator import Application, Signature
from gluonic.graph.rules import same
from gluonic.graph.view import Unknown, unify, written

Facts = dict[Node, list[Any]]


def _rule_of(application: Application, kind: str) -> Any:
    rule = getattr(application.op, kind)
    return same if rule is None else rule


def infer(graph: Graph, kind: str, known: Mapping[Node, Any]) -> Facts:
    """Infer all shapes or all dtypes of a graph from some.

    Parameters
    ----------
    graph : the graph
    kind : ``"shape"`` or ``"dtype"``
    known : facts about variables; a shape may hold None for an unknown axis

    Returns
    -------
    dict
        for each node a fact for each of its outputs; None is unknown, also inside a shape

    Raises
    ------
    InferenceError
        where two facts contradict each other, naming the node, the user's line and the producers
    """
    facts: Facts = {node: [None] * node.output_count for node in graph.nodes}
    for node, fact in known.items():
        facts[node][0] = fact
    waiting = deque(node for node in graph.nodes if not node.is_variable)
    queued = set(waiting)
    while waiting:
        node = waiting.popleft()
        queued.discard(node)
        for changed in _apply_rule(node, kind, facts):
            for neighbour in (changed, *graph.consumers[changed]):
                if neighbour is not node and not neighbour.is_variable and neighbour not in queued:
                    queued.add(neighbour)
                    waiting.append(neighbour)
    return facts


def _differs(new: Any, old: Any) -> bool:
    """Whether two facts differ; to NumPy, None and float64 are equal."""
    return (new is None) != (old is None) or new != old


def _apply_rule(node: Node, kind: str, facts: Facts) -> list[Node]:
    """Run a node's rule; the nodes about whose outputs something new was learnt."""
    application = node.application
    assert application is not None
    before = [facts[entry.node][entry.index] for entry in node.inputs] + facts[node]
    view = application.view(before, title=node.title)
    try:
        _rule_of(application, kind)(view)
    except Unknown:
        pass
    except InferenceError as error:
        raise InferenceError(_conflict(node, kind, before, str(error))) from None
    changed: dict[Node, None] = {}
    after = list(view._slots.values())
    for entry, new in zip(node.inputs, after, strict=False):
        old = facts[entry.node][entry.index]
        if _differs(new, old):
            try:  # one variable may feed two inputs, each of which learnt something
                facts[entry.node][entry.index] = unify(old, new, f"{node.title}: {entry.name}")
            except InferenceError as error:
                raise InferenceError(_conflict(node, kind, before, str(error))) from None
            changed[entry.node] = None
    new_outputs = after[len(node.inputs) :]
    if any(map(_differs, new_outputs, facts[node])):
        facts[node] = new_outputs
        changed[node] = None
    return list(changed)


def _conflict(node: Node, kind: str, facts: Sequence[Any], message: str) -> str:
    """A contradiction as the user sees it: the user's line, and where each input comes from."""
    assert node.application is not None
    lines = [message]
    if node.location is not None:
        lines.append(f"  {node.location}")
    if node.block:
        lines.append(f"  in block {node.block}")
    for name, entry, fact in zip(node.application.inputs, node.inputs, facts, strict=False):
        origin = f" ({entry.node.location})" if entry.node.location is not None else ""
        lines.append(f"  {name}: {kind} {written(fact)} from {entry.node.title}{origin}")
    hint = _hint(node, message)
    if hint:
        lines.append(f"  Try: {hint}")
    return "\n".join(lines)


_BROADCASTING = {
    "elemwise_add": "broadcast_add",
    "elemwise_sub": "broadcast_sub",
    "elemwise_mul": "broadcast_mul",
    "elemwise_div": "broadcast_div",
    "_power": "broadcast_power",
    "_mod": "broadcast_mod",
    "_maximum": "broadcast_maximum",
    "_minimum": "broadcast_minimum",
}


def _hint(node: Node, message: str) -> str:
    broadcasting = _BROADCASTING.get(node.operator_name)
    if broadcasting and "equal inputs" in message:
        return (
            f"F.{broadcasting}(a, b): on Symbols, + - * / work on equal shapes only and do not broadcast"
        )
    return ""


def signature(
    application: Application,
    shapes: Sequence[Any],
    dtypes: Sequence[np.dtype[Any]],
    targets: Sequence[tuple[tuple[int, ...], np.dtype[Any]]] = (),
) -> Signature:
    """The outputs' shapes and dtypes of an operator called eagerly; the check at its door.

    Parameters
    ----------
    shapes, dtypes : of the inputs
    targets : shapes and dtypes that the (first) outputs must have

    Raises
    ------
    InferenceError
        when the operator does not take such inputs
    """
    free = [None] * (len(application.outputs) - len(targets))
    try:
        found_shapes = _outputs_of(application, "shape", [*shapes, *[t[0] for t in targets], *free])
        found_dtypes = _outputs_of(application, "dtype", [*dtypes, *[t[1] for t in targets], *free])
    except InferenceError as error:
        facts = [
            f"{name}: shape {written(shape)}, dtype {written(dtype)}"
            for name, shape, dtype in zip(application.inputs, shapes, dtypes, strict=True)
        ]
        raise InferenceError(describe(str(error), facts=facts)) from None
    if any(dtype is None for dtype in found_dtypes):
        raise MXNetError(describe("the dtype of the output is not determined", where=application.op.name))
    return Signature(
        tuple(None if s is None or None in s else s for s in found_shapes), tuple(found_dtypes)
    )


def _outputs_of(application: Application, kind: str, values: list[Any]) -> list[Any]:
    view = application.view(values)
    try:
        _rule_of(application, kind)(view)
    except Unknown:
        if not application.op.dynamic:
            raise InferenceError(f"{application.op.name}: the output's {kind} is not determined") from None
    return list(view._slots.values())[len(application.inputs) :]
