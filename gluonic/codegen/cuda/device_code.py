"""Whether a GPU has code for an operator alone."""

from __future__ import annotations

from gluonic.codegen.cuda.lacking import why_not_there
from gluonic.codegen.cuda.operator_steps import STEPS
from gluonic.codegen.cuda.ptx import NoDeviceCodeError
from gluonic.codegen.cuda.unit_steps import UnitStep
from gluonic.codegen.loops.semantics import is_view
from gluonic.codegen.loops.steps import loop_for
from gluonic.codegen.shapes.facts import Facts
from gluonic.device.processors import Processor
from gluonic.graph import Node

_ANY_GPU = Processor("sm_80", (7, 0))


def has_code(node: Node, facts: Facts) -> bool:
    """Whether a GPU has code for an operator alone."""
    if is_view(node.applied):
        return True
    try:
        if loop_for(node, facts) is not None:
            return not why_not_there(node, facts)
        rule = STEPS.get(node.operator_name)
        step = None if rule is None else rule(node, facts, _ANY_GPU)
        return (step or UnitStep.of(node, facts, _ANY_GPU)) is not None
    except NoDeviceCodeError:
        return False
