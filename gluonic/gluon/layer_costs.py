"""Costs of the calls of blocks: floating point operations and bytes of results, counted in a trace."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from gluonic.drawing.costs import cost_of
from gluonic.gluon.parameter import Parameter
from gluonic.gluon.plotting import known_shapes
from gluonic.gluon.trace import Trace
from gluonic.graph.block_path import BlockPath
from gluonic.ndarray import NDArray
from gluonic.symbol.inference import DTYPE, SHAPE
from gluonic.symbol.plotting import facts_of


class LayerCost(NamedTuple):
    """The cost of a call of a block, including the blocks that it calls.

    Attributes
    ----------
    operations : floating point operations
    results : bytes of its operators' results
    """

    operations: int
    results: int


class CallCosts:
    """The costs of a call of a block, and of the calls of blocks in it.

    Parameters
    ----------
    parameters : those of the block, and of blocks in it
    trace : its trace for such inputs
    arrays : its inputs

    Attributes
    ----------
    whole : the cost of the call itself
    """

    def __init__(
        self, parameters: Iterable[Parameter], trace: Trace, arrays: Sequence[NDArray]
    ) -> None:
        own = [p for p in parameters if p.is_initialized]
        names = [str(symbol.name) for symbol in trace.inputs]
        given = dict(zip(names, arrays, strict=True))
        read = {node.name for node in trace.graph.variables}
        shapes = known_shapes(own) | {name: array.shape for name, array in given.items()}
        dtypes = {name: np.dtype(array.dtype) for name, array in given.items()}
        dtypes |= {p.name: np.dtype(p.dtype) for p in own}
        facts = [
            facts_of(trace.graph, kind, {n: f for n, f in known.items() if n in read})
            for kind, known in ((SHAPE, shapes), (DTYPE, dtypes))
        ]
        costs = {node: cost_of(node, *facts) for node in trace.graph.nodes}
        known_costs = {
            node: LayerCost(cost.operations, cost.written)
            for node, cost in costs.items()
            if cost is not None
        }
        self.whole = _sum(known_costs.values())
        calls: dict[tuple[str, int], list[LayerCost]] = {}
        for node, cost in known_costs.items():
            for call in node.block.calls if isinstance(node.block, BlockPath) else ():
                calls.setdefault((call.name, call.serial), []).append(cost)
        self._calls: dict[str, list[LayerCost]] = {}
        for name, serial in sorted(calls, key=lambda key: key[1]):
            self._calls.setdefault(name, []).append(_sum(calls[name, serial]))

    def next_call(self, name: str) -> LayerCost | None:
        """The cost of the next call of a block; None if it computes nothing."""
        waiting = self._calls.get(name)
        return waiting.pop(0) if waiting else None


def _sum(costs: Iterable[LayerCost]) -> LayerCost:
    known = list(costs)
    return LayerCost(sum(c.operations for c in known), sum(c.results for c in known))
