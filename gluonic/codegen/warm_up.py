"""How long a graph runs operator by operator before it is compiled.

A net that is called a few times should not wait for machine code. So its first calls are interpreted, until
they have cost what compiling costs: nobody waits more than twice as long as with the better choice. Both are
guessed from the graph and the shapes, never measured: which call runs as what is a function of the program, and
so are the bits of its results.
"""

from collections.abc import Sequence
from functools import cache
from math import isqrt
from typing import Any

from gluonic.graph import Application, Array, Graph, Node, Operator
from gluonic.support.cached_property import cached_property

MOST_CALLS = 250
"""So many calls of a graph are interpreted at most, however small it is."""

# Nanoseconds, roughly, on any processor.
_AN_OPERATOR, _AN_ELEMENT, _A_PRODUCT = 4_000, 0.5, 0.05
_A_NODE, _A_KERNEL, _A_PRODUCT_KERNEL = 150_000, 8_000_000, 25_000_000

_FEW = 12
"""If so few calls of all graphs cost as much as compiling, only the first is interpreted."""

_MULTIPLYING = frozenset({
    "companions", "convolution", "correlation", "deconvolution", "deformable_convolution", "dense", "linalg",
    "matrix", "recurrent", "recurrent_gradients",
})  # fmt: skip
"""The families of operators that multiply each element with many."""


class WarmUp:
    """The calls of graphs before they are compiled.

    Graphs that are called in turn, as forward and backward of a training step, are compiled together: what the
    compiler needs is loaded and made for the first of them, and their calls get faster alike.

    Parameters
    ----------
    graphs : the graphs
    """

    def __init__(self, *graphs: Graph) -> None:
        self._graphs = graphs
        self._calls = self._spent = 0
        self._is_enough = False
        self._known: dict[Any, int] = {}
        self._latest: dict[Graph, int] = {}

    @cached_property
    def _compiling(self) -> int:
        """What compiling all graphs costs."""
        return sum(map(compiling_cost, self._graphs))

    @property
    def lasts(self) -> bool:
        """Whether the next call is one of them."""
        return not self._is_enough and self._calls < MOST_CALLS * len(self._graphs)

    def cost_of(self, graph: Graph, arrays: Sequence[Array]) -> int | None:
        """What a call of a graph with such arrays costs; None if there has been none."""
        return self._known.get((graph, _signature(arrays)))

    def note(self, graph: Graph, arrays: Sequence[Array], cost: int) -> None:
        """Count a call of a graph."""
        if len(self._known) > MOST_CALLS:
            self._known.clear()
        self._known[graph, _signature(arrays)] = cost
        self._latest[graph] = cost
        self._calls += 1
        self._spent += cost
        most = max(self._spent, sum(self._latest.values()) * _FEW)
        self._is_enough = most >= self._compiling


class CallCost:
    """What the operators of a call cost that it observes.

    Attributes
    ----------
    nanoseconds : so far
    """

    def __init__(self) -> None:
        self.nanoseconds = 0

    def __call__(self, node: Node, arrays: Sequence[Array], results: Sequence[Array]) -> None:
        """Count an operator."""
        self.add(node, [array.size for array in arrays], [array.size for array in results])

    def add(self, node: Node, read: Sequence[int], made: Sequence[int]) -> None:
        """Count an operator by how many elements its inputs and outputs have."""
        cost = _AN_OPERATOR + int(_AN_ELEMENT * sum(made))
        if len(read) > 1 and _multiplies(node.applied):
            first, second, *_ = sorted(read, reverse=True)
            # Of (n, k) and (k, m) elements (n, m) are made, with n·k·m products.
            cost += int(_A_PRODUCT * isqrt(first * second * max(made)))
        self.nanoseconds += cost


def compiling_cost(graph: Graph) -> int:
    """What compiling a graph costs in nanoseconds; what is done alike is compiled once."""
    distinct = {node.applied for node in graph.nodes if not node.is_variable}
    kernels = (_A_PRODUCT_KERNEL if _multiplies(each) else _A_KERNEL for each in distinct)
    return _A_NODE * len(graph.nodes) + sum(kernels)


def _multiplies(application: Application) -> bool:
    return _family(application.op) in _MULTIPLYING


@cache
def _family(operator: Operator) -> str:
    return operator.kernel.__module__.rpartition(".")[2]


def _signature(arrays: Sequence[Array]) -> Any:
    return tuple([array.shape for array in arrays])
