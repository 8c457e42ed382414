"""The choice of a step for an operator that runs as a whole."""

from collections.abc import Callable

from gluonic.codegen.data_movement.transposition_steps import TranspositionStep
from gluonic.codegen.loops.loop import Loop
from gluonic.codegen.loops.steps import Step
from gluonic.codegen.lowerings.entry import lowering_of, rule_at
from gluonic.codegen.native.foreign import ForeignStep
from gluonic.codegen.shapes.facts import Facts
from gluonic.codegen.threads.whole_steps import whole_step
from gluonic.graph import Entry, Node


def standalone_step(
    node: Node, loop: Loop, facts: Facts, in_memory: Callable[[Entry], bool]
) -> Step | None:
    """The step of an operator that is a loop but runs faster unfused; otherwise None.

    Parameters
    ----------
    node, loop : the operator
    facts : shapes and dtypes
    in_memory : whether a result is in memory before the loops that read it begin
    """
    rule = lowering_of(node.applied.op).from_memory
    if rule is None:
        return TranspositionStep.of(node, loop, facts)
    step: Step | None = rule_at(rule)(node, facts) if in_memory(node.inputs[0]) else None
    return step


def native_step(node: Node, facts: Facts) -> Step | None:
    """The native step of an operator that runs as a whole; None if Python runs it."""
    return whole_step(node, facts) or ForeignStep.of(node, facts)
