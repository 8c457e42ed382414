"""The pass that replaces operators without code for a GPU by what their NumPy kernels compute."""

from __future__ import annotations

from collections.abc import Sequence

from gluonic.codegen.cuda.lacking import why_not_there
from gluonic.codegen.cuda.operator_steps import STEPS
from gluonic.codegen.cuda.ptx import NoDeviceCodeError
from gluonic.codegen.cuda.unit_steps import UnitStep
from gluonic.codegen.loops.semantics import is_view
from gluonic.codegen.loops.steps import loop_for
from gluonic.codegen.rewriting.passes import Pass, PassContext
from gluonic.codegen.shapes.facts import Facts
from gluonic.codegen.tracing.kernels import traced
from gluonic.device.processors import Processor
from gluonic.graph import Entry, Graph, Node
from gluonic.graph.origin import give_origin

_ANY_GPU = Processor("sm_80", (7, 0))


class TraceKernels(Pass):
    """Operators that a GPU has no code for become graphs of those that it has, by calling their kernels."""

    name = "trace kernels"
    contract = (
        "no operator is left whose NumPy kernel can be followed and that a GPU has no code for"
    )

    def apply(self, graph: Graph, context: PassContext) -> Graph:
        """Replace such operators."""
        facts, unguarded = context.facts(graph), context.unguarded(graph)

        def replace(node: Node, inputs: Sequence[Entry]) -> Sequence[Entry] | None:
            # Whether there is code is no guard: for other shapes, the host may compute what has none.
            if node.application is None or has_code(node, unguarded):
                return None
            found = traced(node, inputs, facts, context.train, has_code)
            if found is not None:
                give_origin(found, node)
            return found

        return graph.rewrite(replace)


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
