"""The choice of a step for an operator that runs as a whole, and whether the host has code for one at all."""

from typing import Any

from gluonic.codegen.data_movement.copies import CopyStep
from gluonic.codegen.loops.runnable import why_not
from gluonic.codegen.loops.semantics import is_view
from gluonic.codegen.loops.steps import Step, loop_for
from gluonic.codegen.lowerings.entry import lowering_of, rule_at
from gluonic.codegen.matmul.packing import PackStep
from gluonic.codegen.matmul.steps import ProductStep
from gluonic.codegen.shapes.facts import Facts
from gluonic.codegen.threads.host_steps import ThreadUnitsStep
from gluonic.graph import Node

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
