"""A pass that packs the factors of products of small integers for processors; its rules are imported on use."""

from gluonic.codegen import small_integers
from gluonic.codegen.rewriting.passes import Pass, PassContext
from gluonic.graph import Graph


class PackIntegers(Pass):
    """Factors of products of small integers are packed, those that rarely change once.

    Examples
    --------
    >>> from gluonic.codegen.loops.inner_operators import apply
    >>> from gluonic.codegen.small_integers.operators import integer_dense
    >>> from gluonic.graph import Node
    >>> x, w = Node(None, "x").entry(), Node(None, "w").entry()
    >>> y = apply(integer_dense, x, w, num_hidden=3)
    >>> print(PackIntegers().shown(y, dtype="int8", x=(1, 5), w=(3, 5)))
    integer_dense = _integer_dense(x, w, num_hidden=3)
    return integer_dense
    --------------------
    paired_rows = _paired_rows(w, num_group=1, height=128, leading=1)
    paired_rows.1 = _paired_rows(x, num_group=1, height=1, leading=1)
    paired_dense = _paired_dense(x, w, paired_rows, paired_rows.1, flatten=True, height=1)
    return paired_dense
    """

    name = "pack small integers"
    contract = "factors of products of small integers are in the layouts that machine code reads"

    def apply(self, graph: Graph, context: PassContext) -> Graph:
        """Pack the factors."""
        if not small_integers.are_multiplied_in(graph):
            return graph
        made: Graph = small_integers.with_packed_factors(graph, context.facts(graph))
        return made
