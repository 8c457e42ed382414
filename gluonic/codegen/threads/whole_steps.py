"""The choice of a step for an operator that runs as a whole, and whether the host has code for one at all."""

from functools import partial
from typing import Any

from gluonic.codegen.data_movement.copies import CopyStep
from gluonic.codegen.loops.runnable import why_not
from gluonic.codegen.loops.semantics import is_view
from gluonic.codegen.loops.steps import Step, loop_for
from gluonic.codegen.lowerings.entry import lowering_at, lowering_of, rule_at
from gluonic.codegen.matmul.packing import PackStep
from gluonic.codegen.matmul.steps import ProductStep
from gluonic.codegen.shapes.facts import Facts
from gluonic.codegen.threads.host_steps import ThreadUnitsStep
from gluonic.graph import Node
from gluonic.graph.draws import draws

_KINDS: tuple[Any, ...] = (ProductStep, PackStep, CopyStep, ThreadUnitsStep)
"""The classes of steps that are tried for an operator."""


def whole_step(node: Node, facts: Facts) -> Step | None:
    """The step of an operator in code of ours; None if there is none."""
    own = lowering_of(node.applied.op).step
    step: Step | None = None if own is None else rule_at(own)(node, facts)
    if step is not None:
        return step
    for kind in _KINDS:
        step = kind.of(node, facts)
        if step is not None:
            return step
    return None


def has_code(node: Node, facts: Facts) -> bool:
    """Whether the host has code for an operator, with such shapes and dtypes."""
    if is_view(node.applied) or node.applied.op.native is not None:
        return True
    if why_not(node, facts):
        return False
    return loop_for(node, facts) is not None or whole_step(node, facts) is not None


def stays_with_python(node: Node, facts: Facts) -> bool:
    """Whether Python runs an operator for a reason, or since it draws, or reads and returns nothing.

    The kernel of an operator that returns nothing may refuse its inputs, and one without inputs would fill its
    array while it is traced.
    """
    if not node.inputs or lowering_at(node).python or draws(node, train=True):
        return True
    return facts.decide(partial(_is_empty, node))


def _is_empty(node: Node, facts: Facts) -> bool:
    return any(0 in facts.shapes[node.entry(i)] for i in range(node.output_count))
