"""The pass that computes operators without code by what their NumPy kernels compute."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from gluonic.codegen.loops.semantics import is_view
from gluonic.codegen.loops.steps import loop_for
from gluonic.codegen.rewriting.passes import Pass, PassContext
from gluonic.codegen.shapes.facts import Facts
from gluonic.codegen.tracing.kernels import traced
from gluonic.graph import Entry, Graph, Node
from gluonic.graph.origin import give_origin

HasCode: TypeAlias = Callable[[Node, Facts], bool]
"""Whether there is code for an operator alone."""


def _is_loop(node: Node, facts: Facts) -> bool:
    """Whether an operator is a loop, or does nothing."""
    return is_view(node.applied) or loop_for(node, facts) is not None


class TraceKernels(Pass):
    """Operators that there is no code for become graphs of those that there is, by calling their kernels.

    Parameters
    ----------
    has_code : whether there is; by default for loops and views alone
    stays : whether an operator is left alone in any case
    may_draw : whether kernels that draw random numbers are traced: the graph draws others

    Examples
    --------
    >>> from gluonic.graph.builder import F
    >>> x = Node(None, "x").entry()
    >>> print(TraceKernels().shown(F._square_sum(x, axis=1), x=(2, 3)))
    square_sum = _square_sum(x, axis=1)
    return square_sum
    --------------------
    multiply_of = _multiply_of(x, x, common=dtype('float32'), dtype=dtype('float32'))
    of = __of(multiply_of, common=dtype('float64'), dtype=dtype('float64'))
    np_sum = _np_sum(of, axis=(1,), keepdims=True)
    np_reshape = _np_reshape(np_sum, newshape=(2,))
    of.1 = __of(np_reshape, common=dtype('float32'), dtype=dtype('float32'))
    return of.1
    """

    name = "trace kernels"
    contract = (
        "no operator is left whose NumPy kernel can be followed and that there is no code for"
    )

    def __init__(
        self,
        has_code: HasCode = _is_loop,
        stays: Callable[[Node, Facts], bool] = lambda *_: False,
        *,
        may_draw: bool = False,
    ) -> None:
        self._has_code, self._stays, self._may_draw = has_code, stays, may_draw

    def apply(self, graph: Graph, context: PassContext) -> Graph:
        """Replace such operators."""
        facts, unguarded = context.facts(graph), context.unguarded(graph)
        if context.sizes_vary:  # a trace is for one set of shapes
            return graph

        def replace(node: Node, inputs: Sequence[Entry]) -> Sequence[Entry] | None:
            # Whether there is code is no guard: for other shapes, the host may compute what has none.
            if node.application is None or self._has_code(node, unguarded):
                return None
            if self._stays(node, facts):
                return None
            found = traced(
                node, inputs, facts, context.train, self._has_code, may_draw=self._may_draw
            )
            if found is not None:
                give_origin(found, node)
            return found

        return graph.rewrite(replace)
