"""What a pass is: a rewrite of graphs that leaves values as they are, with a name and a contract."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from gluonic.codegen.shapes.abstract_arrays import AbstractArray
from gluonic.codegen.shapes.facts import Facts, find_facts
from gluonic.codegen.shapes.guards import ShapeGuards
from gluonic.graph import Entry, Graph, Node
from gluonic.graph.attributes import Shape
from gluonic.graph.text import graph_text
from gluonic.support.record import record


@record
class GraphGuard:
    """What a pass decided by shapes; what comes of it is right for others that give the same answers.

    Attributes
    ----------
    graph : the graph that the pass looked at
    shapes : what it asked of the shapes of its entries
    """

    graph: Graph
    shapes: ShapeGuards


class PassContext:
    """What passes know beside the graph, for one run of the pipeline.

    Parameters
    ----------
    inputs : the variables of the graph, in the order of the arrays
    arrays : what has the shape and dtype of each
    train : whether the graph runs in training mode
    parameters : the variables that seldom change
    sizes_vary : whether code is to be for any size

    Attributes
    ----------
    states : the variables that the graph overwrites, whose new values are its last outputs
    """

    def __init__(
        self,
        inputs: Sequence[Node],
        arrays: Sequence[Any],
        *,
        train: bool,
        parameters: Collection[Node] = (),
        sizes_vary: bool = False,
    ) -> None:
        self.inputs, self.arrays, self.train, self.parameters = inputs, arrays, train, parameters
        self.sizes_vary = sizes_vary
        self.states: tuple[Node, ...] = ()
        self._known: dict[Graph, Facts] = {}
        self._observed: dict[Graph, ShapeGuards] = {}

    def facts(self, graph: Graph) -> Facts:
        """The shapes and dtypes of all entries of a graph; the shapes note what they are asked."""
        if graph not in self._observed:
            self._observed[graph] = ShapeGuards(self.unguarded(graph))
        return self._observed[graph].observed

    def unguarded(self, graph: Graph) -> Facts:
        """The facts of a graph for who decides nothing by shapes; found when they are first asked for."""
        if graph not in self._known:
            found = find_facts(graph, self.inputs, self.arrays)
            self._known[graph] = replace(found, sizes_vary=True) if self.sizes_vary else found
        return self._known[graph]

    @property
    def guards(self) -> list[GraphGuard]:
        """What was decided by shapes so far."""
        observed = self._observed.items()
        return [GraphGuard(graph, guards) for graph, guards in observed if guards]


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

        Of dtypes and ranks a pass asks as it likes: a graph serves one set of them. What it asks of the shapes
        in `context.facts` is noted. The graph must be right for others that give the same answers, and for
        those of which some that differed are equal.
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
        arrays = [AbstractArray(shapes[node.name], np.dtype(dtype)) for node in graph.variables]
        made = self.apply(graph, PassContext(graph.variables, arrays, train=train))
        return f"{graph_text(graph)}\n{'-' * 20}\n{graph_text(made)}"
