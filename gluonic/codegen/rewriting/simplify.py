"""Passes that eliminate common subexpressions and operators without effect."""

from gluonic.codegen.rewriting.passes import Pass, PassContext
from gluonic.graph import Entry, Graph
from gluonic.graph.simplify import simplify


class Simplify(Pass):
    """Common subexpressions are computed once, and operators that change neither array nor shape are removed.

    Examples
    --------
    >>> from gluonic.graph.builder import F
    >>> from gluonic.graph import Node
    >>> x = Node(None, "x").entry()
    >>> y = F.broadcast_mul(F.exp(x), F.broadcast_to(F.exp(x), shape=(2, 3)))
    >>> print(Simplify().shown(y, x=(2, 3)))
    exp = exp(x)
    exp.1 = exp(x)
    broadcast_to = broadcast_to(exp.1, shape=(2, 3))
    broadcast_mul = broadcast_mul(exp, broadcast_to)
    return broadcast_mul
    --------------------
    exp = exp(x)
    broadcast_mul = broadcast_mul(exp, exp)
    return broadcast_mul
    """

    name = "simplify"
    contract = "no two nodes compute the same; every reshape, cast and broadcast changes its input"

    def apply(self, graph: Graph, context: PassContext) -> Graph:
        """Simplify for these shapes."""
        facts = context.facts(graph)

        def same_shape(first: Entry, second: Entry) -> bool:
            return facts.shapes[first] == facts.shapes[second]

        return simplify(graph, same_shape, facts.dtypes)


class SimplifyParts(Pass):
    """Common subexpressions are computed once; this does not depend on shapes.

    Examples
    --------
    >>> from gluonic.graph.builder import F
    >>> from gluonic.graph import Node
    >>> x = Node(None, "x").entry()
    >>> print(SimplifyParts().shown(F.exp(x) * 1.0 + F.exp(x), x=(2, 3)))
    exp = exp(x)
    mul_scalar = _mul_scalar(exp)
    exp.1 = exp(x)
    elemwise_add = elemwise_add(mul_scalar, exp.1)
    return elemwise_add
    --------------------
    exp = exp(x)
    elemwise_add = elemwise_add(exp, exp)
    return elemwise_add
    """

    name = "simplify parts"
    contract = "no two nodes compute the same"

    def apply(self, graph: Graph, context: PassContext) -> Graph:
        """Simplify for any shapes."""
        return simplify(graph, lambda first, second: False, context.facts(graph).dtypes)
