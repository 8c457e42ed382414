"""What a pass is: a rewrite of graphs that leaves values as they are, with a name and a contract."""

from collections.abc import Callable, Collection, Sequence
from typing import Any, ClassVar

import numpy as np

from gluonic.codegen.shapes.abstract_arrays import StandIn
from gluonic.codegen.shapes.facts import Facts, find_facts
from gluonic.graph.attributes import Shape
from gluonic.graph.node import Entry, Graph, Node
from gluonic.graph.text import graph_text
from gluonic.support.record import record


@record
class GraphGuard:
    """What a pass decided by shapes; what comes of it is right for others that give the same answers.

    Attributes
    ----------
    graph : the graph that the pass looked at
    holds : whether other facts of that graph give the same answers; what may be asked for is whether `exactly`,
        or whether the rewritten graph is right, if not as simple as could be
    """

    graph: Graph
    holds: Callable[[Facts, bool], bool]


class PassContext:
    """What passes know beside the graph, for one run of the pipeline.

    Parameters
    ----------
    inputs : the variables of the graph, in the order of the arrays
    arrays : what has the shape and dtype of each
    train : whether the graph runs in training mode
    parameters : the variables that seldom change

    Attributes
    ----------
    guards : what was decided by shapes so far
    states : the variables that the graph overwrites, whose new values are its last outputs
    """

    def __init__(
        self,
        inputs: Sequence[Node],
        arrays: Sequence[Any],
        *,
        train: bool,
        parameters: Collection[Node] = (),
    ) -> None:
        self.inputs, self.arrays, self.train, self.parameters = inputs, arrays, train, parameters
        self.guards: list[GraphGuard] = []
        self.states: tuple[Node, ...] = ()
        self._facts: dict[Graph, Facts] = {}

    def facts(self, graph: Graph) -> Facts:
        """The shapes and dtypes of all entries of a graph, found when they are first asked for."""
        if graph not in self._facts:
            self._facts[graph] = find_facts(graph, self.inputs, self.arrays)
        return self._facts[graph]

    def guard(self, graph: Graph, holds: Callable[[Facts, bool], bool]) -> None:
        """Note what was decided by the shapes of a graph."""
        self.guards.append(GraphGuard(graph, holds))


class Pass:
    """A rewrite of graphs that leaves values as they are; a subclass shows one before and after it.

    Attributes
    ----------
    name : what reports call it
    contract : what holds of every graph that it returns
    """

    name: ClassVar[str]
    contract: ClassVar[str]

    def apply(self, graph: Graph, context: PassContext) -> Graph:
        """The rewritten graph; the same if there is nothing to do.

        Of dtypes a pass asks as it likes: a graph serves one set of them. What it decides by shapes it notes as
        guards of the context.
        """
        raise NotImplementedError

    def shown(
        self, *outputs: Entry, train: bool = False, dtype: str = "float32", **shapes: Shape
    ) -> str:
        """A graph before and after the pass, as text.

        Parameters
        ----------
        outputs : what the graph computes
        train : whether it runs in training mode
        dtype : of its variables
        shapes : of its variables, by their names
        """
        graph = Graph(outputs)
        arrays = [StandIn(shapes[node.name], np.dtype(dtype)) for node in graph.variables]
        made = self.apply(graph, PassContext(graph.variables, arrays, train=train))
        return f"{graph_text(graph)}\n{'-' * 20}\n{graph_text(made)}"
