"""Decompositions of layers of small integers that MXNet fuses, by following their NumPy code."""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from gluonic.codegen.loops.site import RewriteContext
from gluonic.codegen.small_integers.operators import MOST_TERMS
from gluonic.codegen.tracing.arrays import TracedArray
from gluonic.codegen.tracing.elements import NotTraced
from gluonic.codegen.tracing.pointwise import operand, result
from gluonic.codegen.tracing.quantized import MOST_IN_FLOAT, SumsRule, sums_in_float, sums_of
from gluonic.graph import Array, Entry, Node, Operator
from gluonic.graph.attributes import Shape
from gluonic.graph.ops.fused_bodies import body_of
from gluonic.graph.ops.fused_layers import LayerArithmetic, quantized_convolution, quantized_dense
from gluonic.graph.quantized_numbers import INT32


class _InGraph:
    """Arithmetic on traced arrays.

    Parameters
    ----------
    sums : the shape that sums of products have, with 1 for axes of any extent
    rule : what computes them
    """

    def __init__(self, sums: Shape, rule: SumsRule) -> None:
        self._sums, self._rule = sums, rule

    def products(self, op: Operator, data: Any, weight: Any, settings: dict[str, Any]) -> Any:
        """The sums by the rule."""
        return TracedArray(self._rule(op, data.entry, weight.entry, settings), self._sums, INT32)

    def applied(self, function: Node, numbers: Any) -> Any:
        """The function by its operator."""
        node = Node(function.application, function.name, [numbers.entry])
        return TracedArray(node.entry(), numbers.shape, numbers.dtype)


_Layer = Callable[[Any, Sequence[Array], LayerArithmetic], Any]


def _rule(
    layer: _Layer, channels: int, sums_rule: SumsRule, most: int
) -> Callable[[Any, RewriteContext], Sequence[Entry] | None]:
    """The rule of a layer.

    Parameters
    ----------
    channels : the axis of the channels of its result
    sums_rule, most : what computes sums of products, and of how many at most
    """

    def rule(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
        node, facts = site.node, site.facts
        names = node.applied.inputs
        weight = facts.shapes[node.inputs[names.index("weight")]]
        if site.is_empty or prod(weight[1:]) > most:
            return None
        rank = len(facts.shapes[node.entry()])
        sums = tuple(weight[0] if axis == channels % rank else 1 for axis in range(rank))
        own = set(body_of(site.n).names)

        def shape_of(position: int, name: str) -> Shape:
            if name == "sum":
                return sums
            if name == "data":
                return (1,) * site.rank
            return facts.shapes[node.inputs[position]] if name in own else (1,)

        operands = [
            operand(site, position, entry, shape_of(position, names[position]))
            for position, entry in enumerate(site.inputs)
        ]
        try:
            found = layer(site.n, operands, _InGraph(sums, sums_rule))
            results = found if isinstance(found, tuple) else (found,)
            entries = [node.entry(k) for k in range(node.output_count)]
            return [
                result(site, each, facts.dtypes[entry])
                for each, entry in zip(results, entries, strict=True)
            ]
        except NotTraced:
            return None

    return rule


convolution = _rule(quantized_convolution, 1, sums_of, MOST_TERMS)
dense = _rule(quantized_dense, -1, sums_of, MOST_TERMS)
convolution_in_float = _rule(quantized_convolution, 1, sums_in_float, MOST_IN_FLOAT)
dense_in_float = _rule(quantized_dense, -1, sums_in_float, MOST_IN_FLOAT)
