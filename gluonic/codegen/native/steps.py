"""Which machine code runs an operator as a whole."""

from typing import Any

from gluonic.codegen.data_movement.copies import CopyStep
from gluonic.codegen.loops.steps import Step
from gluonic.codegen.lowerings.entry import lowering_of, rule_at
from gluonic.codegen.matmul.packing import PackStep
from gluonic.codegen.matmul.steps import ProductStep
from gluonic.codegen.native.foreign import ForeignStep
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph import Node

_KINDS: tuple[Any, ...] = (ProductStep, PackStep, CopyStep, ForeignStep)
"""The steps that are asked whether they are for an operator."""


def native_step(node: Node, facts: Facts) -> Step | None:
    """What machine code does for an operator that runs as a whole; None if Python runs it."""
    own = lowering_of(node.applied.op).step
    step: Step | None = None if own is None else rule_at(own)(node, facts)
    if step is not None:
        return step
    for kind in _KINDS:
        step = kind.of(node, facts)
        if step is not None:
            return step
    return None
