"""The number of calls of a graph that are interpreted before it is compiled.

A net that is called a few times should not wait for machine code; one that is called often should have it soon.
So compiling begins when all calls have cost a third of what it costs, or as soon as few calls would cost as
much: a net that has been called n times is expected to be called a few times as often, and its code is kept on
disk for the next run. Both costs are estimated from the graph and the shapes, never measured. So the program
alone determines how each call runs, and the bits of its results.
"""

from collections.abc import Sequence
from functools import cache
from math import isqrt

from gluonic.graph import Application, Array, Graph, Node, Operator
from gluonic.support.cached_property import cached_property

MOST_CALLS = 250
"""The most calls of a graph that are interpreted, however small it is."""

# Nanoseconds, roughly, on any processor; those of operators are of eager calls.
_AN_OPERATOR, _AN_ELEMENT, _A_PRODUCT = 16_000, 0.5, 0.05
_A_NODE, _A_KERNEL, _A_PRODUCT_KERNEL = 150_000, 8_000_000, 25_000_000

_EXPECTED, _FEW = 3, 15
"""The number of calls that are expected for each that was made, and for any net."""

SEVERAL = 3
"""After so many calls of a net, more are expected, also with gradients of other inputs."""

_WINDOWED, _RECURRENT = 60_000, 1_000_000
_MULTIPLYING = {
    "companions": _WINDOWED,
    "convolution": _WINDOWED,
    "correlation": _WINDOWED,
    "deconvolution": _WINDOWED,
    "deformable_convolution": _WINDOWED,
    "dense": 0,
    "linalg": 0,
    "matrix": 0,
    "recurrent": _RECURRENT,
    "recurrent_gradients": _RECURRENT,
}
"""The families of operators that multiply each element by many others, and the least time that NumPy takes."""


class WarmUp:
    """The calls of graphs before they are compiled.

    Graphs that are called in turn, like forward and backward of a training step, are compiled together: the
    first one loads and sets up the compiler for all, and all of their calls become faster.

    Parameters
    ----------
    graphs : the graphs
    recurs : whether calls are known to recur; then the first one of a graph need not be interpreted

    Attributes
    ----------
    recurs : as given
    """

    def __init__(self, *graphs: Graph, recurs: bool = False) -> None:
        self._graphs, self.recurs = graphs, recurs
        self._calls = self._spent = 0
        self._is_enough = False
        self._latest: dict[Graph, int] = {}

    @cached_property
    def _compiling(self) -> int:
        """The estimated cost of compiling all graphs, in nanoseconds."""
        return sum(map(compiling_cost, self._graphs))

    @property
    def lasts(self) -> bool:
        """Whether the next call is interpreted, too."""
        return not self._is_enough and self._calls < MOST_CALLS * len(self._graphs)

    def note(self, graph: Graph, cost: int) -> None:
        """Count a call of a graph, and its cost in nanoseconds."""
        self._calls += 1
        self._spent += cost
        self._latest[graph] = cost
        self._weigh(sum(self._latest.values()))

    def expect(self, graph: Graph, cost: int) -> None:
        """Expect calls of a graph with a cost; graphs of unknown cost are expected to cost as much per node."""
        self._latest[graph] = cost
        known, all_nodes = (
            sum(len(one.nodes) for one in graphs) for graphs in (self._latest, self._graphs)
        )
        self._weigh(sum(self._latest.values()) * all_nodes // known)

    def _weigh(self, calls: int) -> None:
        """Compare the cost of compiling with that of calls expected, given that of one of each graph."""
        expected = max(self._spent * _EXPECTED, calls * _FEW)
        self._is_enough = expected >= self._compiling


class CallCost:
    """The estimated cost of a call of a graph, in nanoseconds.

    Parameters
    ----------
    operators : each with the indices of its inputs and of its results
    inputs : the number of inputs, whose indices come before those of results
    """

    def __init__(
        self, operators: Sequence[tuple[Application, Sequence[int], Sequence[int]]], inputs: int
    ) -> None:
        self._inputs, self._operators = inputs, len(operators)
        self._least = sum(_least(application) for application, *_ in operators)
        self._products = [
            (reads, made)
            for application, reads, made in operators
            if _multiplies(application) and len(reads) > 1
        ]

    def __call__(self, elements: Sequence[int]) -> int:
        """The cost, given the numbers of elements of all inputs and results."""
        cost = self._least + _cost(self._operators, sum(elements[self._inputs :]))
        for reads, made in self._products:
            cost += _cost_of_product([elements[i] for i in reads], [elements[i] for i in made])
        return cost


class ObservedCost:
    """The estimated cost of the operators in the call that it observes.

    Attributes
    ----------
    nanoseconds : the sum so far
    """

    def __init__(self) -> None:
        self.nanoseconds = 0

    def __call__(self, node: Node, arrays: Sequence[Array], results: Sequence[Array]) -> None:
        """Count an operator."""
        read, made = [x.size for x in arrays], [x.size for x in results]
        self.nanoseconds += operator_cost(node.applied, read, made)


def operator_cost(application: Application, read: Sequence[int], made: Sequence[int]) -> int:
    """The estimated cost of an operator in nanoseconds, given the numbers of elements of inputs and results."""
    cost = _cost(1, sum(made)) + _least(application)
    if _multiplies(application) and len(read) > 1:
        cost += _cost_of_product(read, made)
    return cost


def _cost(operators: int, made: int) -> int:
    """The cost of operators with `made` elements in their results."""
    return operators * _AN_OPERATOR + int(_AN_ELEMENT * made)


def _cost_of_product(read: Sequence[int], made: Sequence[int]) -> int:
    """The cost of multiplications: (n, k) times (k, m) elements gives (n, m), with n·k·m products."""
    first, second, *_ = sorted(read, reverse=True)
    return int(_A_PRODUCT * isqrt(first * second * max(made)))


def compiling_cost(graph: Graph) -> int:
    """The estimated cost of compiling a graph in nanoseconds; equal operators are compiled once."""
    distinct = {node.applied for node in graph.nodes if not node.is_variable}
    kernels = (_A_PRODUCT_KERNEL if _multiplies(each) else _A_KERNEL for each in distinct)
    return _A_NODE * len(graph.nodes) + sum(kernels)


def _least(application: Application) -> int:
    """The least time that NumPy takes for some operators, besides that for any."""
    return _MULTIPLYING.get(_family(application.op), 0)


def _multiplies(application: Application) -> bool:
    return _family(application.op) in _MULTIPLYING


@cache
def _family(operator: Operator) -> str:
    return operator.kernel.__module__.rpartition(".")[2]
