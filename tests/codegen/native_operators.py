"""One operator with its gradients: machine code alone, with the interpreter's results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from gluonic.codegen.compiled import CompiledGraph
from gluonic.codegen.inspection.explain import explain
from gluonic.codegen.inspection.step_report import StepReport
from gluonic.codegen.lowerings.entry import lowering_of
from gluonic.graph.gradient import gradients
from gluonic.graph.infer import infer
from gluonic.graph.interpret import interpret
from gluonic.graph.node import Entry, Graph, Node
from gluonic.graph.operator import REGISTRY
from tests.codegen.agreement import Arrays, Observer, assert_alike, new_run, slack_of

Array = np.ndarray[Any, Any]


def arrays_for(node: Node, known: dict[Node, tuple[int, ...]], dtype: str) -> list[Array]:
    """Random numbers for the variables, of the shapes that inference finds.

    Windows have several maxima, but no sums of powers that rounding alone keeps from zero, as of 3, 4, 5, -6.
    """
    shapes = infer(Graph([node.entry()]), "shape", known)
    random = np.random.default_rng(0)
    digits = 1 if _setting(node, "pool_type") == "max" else 9
    variables = [e.node for e in node.inputs]
    found: list[Array] = []
    for variable in variables:
        (shape,) = shapes[variable]
        assert shape is not None
        values = random.uniform(-1, 1, [int(n or 0) for n in shape])
        found.append(values.round(digits).astype(dtype))
    return found


def _setting(node: Node, name: str) -> Any:
    assert node.application is not None
    return node.application.settings.get(name)


def check(
    outputs: Sequence[Entry],
    variables: Sequence[Node],
    arrays: Sequence[Array],
    *,
    is_ill_conditioned: bool = False,
) -> None:
    """Machine code alone computes what the interpreter does.

    Parameters
    ----------
    is_ill_conditioned : results may differ as far as they move with the rounding of the inputs
    """
    graph = Graph(outputs)
    compiled = CompiledGraph(graph, variables)

    def compute(given: Arrays, observer: Observer | None = None) -> Arrays:
        return interpret(graph, dict(zip(variables, given, strict=True)), new_run(), observer)

    slack = (lambda: slack_of(compute, arrays)) if is_ill_conditioned else None
    expected = compute(arrays)
    for _ in range(2):
        assert_alike(compiled(list(arrays), new_run()), expected, slack=slack)
    steps = explain(compiled.binding(list(arrays))).steps
    assert [step for step in steps if step.kind == "python"] == []


def check_with_gradients(
    node: Node,
    known: dict[Node, tuple[int, ...]],
    dtype: str,
    given: Mapping[str, Array] | None = None,
) -> None:
    """Check what the user sees of an operator, and its gradients.

    Parameters
    ----------
    given : by name, the inputs that are no random numbers
    """
    variables = [e.node for e in node.inputs]
    random = zip(variables, arrays_for(node, known, dtype), strict=True)
    arrays = [(given or {}).get(variable.name, array) for variable, array in random]
    shown = [node.entry(i) for i in range(node.visible_count)]
    is_rooted = _setting(node, "pool_type") == "lp"
    look = partial(check, is_ill_conditioned=is_rooted)  # roots of sums near zero
    look(shown, variables, arrays)
    outputs = interpret(Graph(shown), dict(zip(variables, arrays, strict=True)), new_run())
    numbers = np.random.default_rng(1)
    slopes = [numbers.uniform(-1, 1, output.shape).astype(dtype) for output in outputs]
    heads = [Node(None, f"head{i}") for i in range(len(shown))]
    found = gradients(
        shown, [head.entry() for head in heads], [v.entry() for v in variables], train=True
    )
    look([e for e in found if e is not None], [*variables, *heads], [*arrays, *slopes])


def in_python(compiled: CompiledGraph, arrays: Sequence[Array]) -> list[StepReport]:
    """The steps that Python runs for inputs of such shapes, and that compute anything."""
    steps = explain(compiled.binding(list(arrays))).steps
    return [step for step in steps if step.kind == "python" and 0 not in step.shape]


def check_reasons(compiled: CompiledGraph, arrays: Sequence[Array]) -> None:
    """What Python runs are operators that are listed with the reason, which explain shows."""
    for step in in_python(compiled, arrays):
        (operator,) = step.operators
        reason = lowering_of(REGISTRY[operator.split(" ")[0]]).python
        assert reason, f"{operator} runs in Python, and its entry gives no reason"
        assert reason in step.reason
