"""Passes that compute once what is computed twice, and leave out what changes nothing."""

from gluonic.codegen.rewriting.passes import Pass, PassContext
from gluonic.graph import Entry, Graph
from gluonic.graph.simplify import simplify


class Simplify(Pass):
    """What is computed twice is computed once, and what leaves an array and its shape as they are is left out.

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
    contract = "no two nodes compute the same; what is reshaped, cast or broadcast changes by that"

    def apply(self, graph: Graph, context: PassContext) -> Graph:
        """Simplify for shapes like these."""
        facts = context.facts(graph)

        def same_shape(first: Entry, second: Entry) -> bool:
            return facts.shapes[first] == facts.shapes[second]

        return simplify(graph, same_shape, facts.dtypes)


class SimplifyParts(Pass):
    """What is computed twice is computed once; of shapes nothing is asked.

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
