"""Contraction: a product that is only read by a sum becomes a fused multiply-add, which rounds once.

That is done only where a factor or the other term is a constant of the graph. With three computed values it
would be wrong: in ``mean(x * x) - m * m`` one product would be rounded and the other not, and the difference of
equal products could be negative.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from gluonic.codegen.lowerings.entry import lowering_at
from gluonic.codegen.maths.values import FLOAT32, FLOAT64, Dtype, Operand, Value
from gluonic.graph import Entry, Node

if TYPE_CHECKING:
    from gluonic.codegen.scalar.recorder import Recorder


def products_in_sums(
    nodes: Sequence[Node],
    outputs: Mapping[Node, int],
    root_of: Callable[[Entry], Node],
    dtypes: Mapping[Entry, Dtype],
) -> dict[Node, int]:
    """Find the sums of a group that become fused multiply-adds, each with the index of the product.

    Parameters
    ----------
    nodes : the operators of the group
    outputs : those whose results are read outside the group
    root_of : the operator that computes an entry
    dtypes : of all entries
    """
    times_read = Counter(root_of(entry) for node in nodes for entry in node.inputs)
    members = set(nodes)

    def is_only_added(product: Node, dtype: Dtype) -> bool:
        return (
            product in members
            and product not in outputs
            and lowering_at(product).multiplies
            and times_read[product] == 1
            and all(dtypes[entry] == dtype for entry in (product.entry(), *product.inputs))
        )

    found = {}
    for node in nodes:
        dtype = dtypes[node.entry()]
        if lowering_at(node).signs is None or dtype not in (FLOAT32, FLOAT64):
            continue
        for position, term in enumerate(map(root_of, node.inputs)):
            has_number = len(node.inputs) == 1 or _multiplies_by_number(term)
            if has_number and is_only_added(term, dtype):
                found[node] = position
                break
    return found


def sum_of_product(
    m: Recorder, node: Node, position: int, factors: Sequence[Operand], addend: Operand
) -> Value:
    """Record a sum and the product that is its term at `position` as one operation."""
    signs = lowering_at(node).signs
    assert signs is not None
    first, second, third = m.common(*factors, addend)
    if signs[position] < 0:
        first = -first
    if signs[1 - position] < 0:
        third = -third
    return m.mad(first, second, third)


def _multiplies_by_number(node: Node) -> bool:
    return lowering_at(node).multiplies and len(node.inputs) == 1
