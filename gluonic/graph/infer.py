"""Shape and dtype inference: the operators' rules, run until nothing new is learnt.

Rules work both ways and from partial knowledge: a weight's shape follows from the data, the data's batch
from the output. Facts only ever become more specific, so the order of work does not change the result.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gluonic.graph.application import Application, Signature
from gluonic.graph.errors import InferenceError, MXNetError, describe, present
from gluonic.graph.failures import note_failure
from gluonic.graph.hints import hint
from gluonic.graph.json.placeholder import Placeholder, missing
from gluonic.graph.node import Graph, Node
from gluonic.graph.operator import Signatures
from gluonic.graph.rules import same
from gluonic.graph.view import Unknown, slots_of, title_of, unify, written

Facts = dict[Node, list[Any]]
_PLAIN = frozenset({int, type(None)})


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
    return _Inference(graph, kind, known).found()


def infer_through(graph: Graph, kind: str, given: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Infer the facts about a graph's variables, and about its outputs, from some about the variables.

    Parameters
    ----------
    kind : ``"shape"`` or ``"dtype"``
    given : a fact for each variable, None where nothing is known
    """
    known = {n: fact for n, fact in zip(graph.variables, given, strict=True) if fact is not None}
    facts = infer(graph, kind, known)
    variables = [facts[node][0] for node in graph.variables]
    return variables, [facts[entry.node][entry.index] for entry in graph.outputs]


def _differs(new: Any, old: Any) -> bool:
    """Whether two facts differ; to NumPy, None and float64 are equal."""
    return new is not old and ((new is None) != (old is None) or new != old)


def _what_follows(node: Node, kind: str, before: list[Any]) -> list[Any]:
    """The facts that a node's rule infers from those known about its inputs and outputs."""
    view = node.applied.view(before, title=node)
    try:
        _run_rule(node.applied, kind, view)
    except Unknown:
        pass
    except InferenceError as error:
        raise _conflict(node, kind, before, error) from None
    return list(slots_of(view).values())


class _Inference:
    """Inference over one graph; the parameters are those of `infer`."""

    def __init__(self, graph: Graph, kind: str, known: Mapping[Node, Any]) -> None:
        self._graph, self._kind = graph, kind
        self._shapes: dict[tuple[int | None, ...], tuple[int | None, ...]] = {}
        # The facts inferred by rules, by operator and by the identities of the known facts, since comparing
        # symbolic extents records guards: many nodes of large graphs are equivalent.
        self._learnt: dict[Any, tuple[list[Any], list[Any]]] = {}
        self._facts: Facts = {node: [None] * node.output_count for node in graph.nodes}
        for node, fact in known.items():
            self._facts[node][0] = self._shared(fact)

    def found(self) -> Facts:
        """Run rules until nothing new is learnt."""
        waiting = deque(node for node in self._graph.nodes if not node.is_variable)
        queued, consumers = set(waiting), self._graph.consumers
        while waiting:
            node = waiting.popleft()
            queued.discard(node)
            try:
                news = self._apply_rule(node)
            except InferenceError as error:
                note_failure(error, node, self._facts, self._kind)
                raise
            for changed in news:
                for neighbour in (changed, *consumers[changed]):
                    is_done = neighbour is node or neighbour.is_variable
                    if not is_done and neighbour not in queued:
                        queued.add(neighbour)
                        waiting.append(neighbour)
        return self._facts

    def _shared(self, fact: Any) -> Any:
        """The same tuple for all equal shapes of numbers."""
        is_plain = type(fact) is tuple and _PLAIN.issuperset(map(type, fact))
        return self._shapes.setdefault(fact, fact) if is_plain else fact

    def _apply_rule(self, node: Node) -> list[Node]:
        """Run a node's rule; return the nodes about whose outputs something new was learnt."""
        facts, kind = self._facts, self._kind
        before = [facts[entry.node][entry.index] for entry in node.inputs] + facts[node]
        key = node.application, *map(id, before)
        known = self._learnt.get(key)
        if known is None:
            known = before, [self._shared(fact) for fact in _what_follows(node, kind, before)]
            self._learnt[key] = known
        after = known[1]
        changed: dict[Node, None] = {}
        for entry, was, new in zip(node.inputs, before, after, strict=False):
            old = facts[entry.node][entry.index]
            if _differs(new, old):
                if old is not was:  # one variable feeds two inputs, each of which learnt something
                    try:
                        new = self._shared(unify(old, new, f"{node.title}: {entry.name}"))
                    except InferenceError as error:
                        raise _conflict(node, kind, before, error) from None
                facts[entry.node][entry.index] = new
                changed[entry.node] = None
        new_outputs = after[len(node.inputs) :]
        if any(map(_differs, new_outputs, facts[node])):
            facts[node] = new_outputs
            changed[node] = None
        return list(changed)


def _run_rule(application: Application, kind: str, view: Any) -> None:
    """Run a rule of an operator; a missing axis that it reads is an error."""
    try:
        _rule_of(application, kind)(view)
    except (IndexError, ValueError, ZeroDivisionError) as error:
        if isinstance(error, MXNetError):
            raise
        what = "elements" if isinstance(error, ZeroDivisionError) else "axes"
        raise InferenceError(f"{title_of(view)}: the inputs have too few {what}") from error


def _conflict(node: Node, kind: str, facts: Sequence[Any], error: InferenceError) -> InferenceError:
    """The error for a contradiction, with the user's line and the origin of each input."""
    lines, here = [], present(node.location)
    for name, entry, fact in zip(node.applied.inputs, node.inputs, facts, strict=False):
        made_at = present(entry.node.location)
        origin = "" if made_at in (None, here) else f" ({made_at})"
        lines.append(f"{name}: {kind} {written(fact)} from {entry.node.title}{origin}")
    what_to_try = hint(node.applied, kind, error, facts)
    located = InferenceError(
        describe(str(error.args[0]), facts=lines, hint=what_to_try, location=here)
    )
    located.conflict = error.conflict
    located.blocks = node.block.split("/") if node.block else []
    return located


def check_inputs(node: Node, inputs: Signatures) -> None:
    """Check the inputs of one node of a graph.

    Raises
    ------
    InferenceError
        if the operator does not accept them, naming the node, the user's line and the producers
    """
    free = [None] * node.output_count
    _what_follows(node, "shape", [*[shape for shape, _ in inputs], *free])
    _what_follows(node, "dtype", [*[dtype for _, dtype in inputs], *free])


def signature(
    application: Application,
    shapes: Sequence[Any],
    dtypes: Sequence[np.dtype[Any]],
    targets: Sequence[tuple[tuple[int, ...], np.dtype[Any]]] = (),
) -> Signature:
    """The outputs' shapes and dtypes of an operator called eagerly; this checks the call.

    Parameters
    ----------
    shapes, dtypes : those of the inputs
    targets : the shapes and dtypes that the (first) outputs must have

    Raises
    ------
    InferenceError
        if the operator does not accept such inputs
    """
    free = [None] * (len(application.outputs) - len(targets))
    kind = "shape"
    try:
        found_shapes = _outputs_of(application, "shape", [*shapes, *[t[0] for t in targets], *free])
        kind = "dtype"
        known = (*dtypes, *[t[1] for t in targets])
        found_dtypes = application.dtypes.get(known)
        if found_dtypes is None:
            found_dtypes = tuple(_outputs_of(application, "dtype", [*known, *free]))
            application.dtypes[known] = found_dtypes
    except InferenceError as error:
        raise _refused(application, kind, shapes, dtypes, error) from None
    if any(dtype is None for dtype in found_dtypes):
        raise MXNetError(
            describe("the dtype of the output is not determined", where=application.op.name)
        )
    return Signature(
        tuple([None if s is None or None in s else s for s in found_shapes]), found_dtypes
    )


def _refused(
    application: Application,
    kind: str,
    shapes: Sequence[Any],
    dtypes: Sequence[np.dtype[Any]],
    error: InferenceError,
) -> InferenceError:
    """The error for a contradiction between the inputs of an operator called eagerly."""
    facts = [
        f"{name}: shape {written(shape)}, dtype {written(dtype)}"
        for name, shape, dtype in zip(application.inputs, shapes, dtypes, strict=True)
    ]
    given = shapes if kind == "shape" else dtypes
    told = InferenceError(
        describe(str(error.args[0]), facts=facts, hint=hint(application, kind, error, given))
    )
    told.conflict = error.conflict
    return told


def _outputs_of(application: Application, kind: str, values: list[Any]) -> list[Any]:
    view = application.view(values)
    try:
        _run_rule(application, kind, view)
    except Unknown:
        if isinstance(application.op, Placeholder):
            raise MXNetError(missing(application.op.name, application.settings)) from None
        if not application.op.dynamic:
            raise InferenceError(
                f"{application.op.name}: the output's {kind} is not determined"
            ) from None
    return list(slots_of(view).values())[len(application.inputs) :]
