"""Passes: rewrites of graphs that do not change values, with a name and a contract."""

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
    """The decisions of a pass on shapes; its result is valid for other shapes with the same answers.

    Attributes
    ----------
    graph : the graph that the pass looked at
    shapes : the questions that it asked about the shapes of the graph's entries
    """

    graph: Graph
    shapes: ShapeGuards


class PassContext:
    """The data of passes besides the graph, for one run of the pipeline.

    Parameters
    ----------
    inputs : the variables of the graph, in the order of the arrays
    arrays : arrays, or abstract arrays, with the shape and dtype of each
    train : whether the graph runs in training mode
    parameters : the variables that rarely change
    sizes_vary : whether code should be for any size

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
        """The shapes and dtypes of all entries of a graph; the shapes record guards."""
        if graph not in self._observed:
            self._observed[graph] = ShapeGuards(self.unguarded(graph))
        return self._observed[graph].observed

    def unguarded(self, graph: Graph) -> Facts:
        """The facts of a graph, for decisions that do not depend on shapes; inferred on first use."""
        if graph not in self._known:
            found = find_facts(graph, self.inputs, self.arrays)
            self._known[graph] = replace(found, sizes_vary=True) if self.sizes_vary else found
        return self._known[graph]

    @property
    def guards(self) -> list[GraphGuard]:
        """The decisions on shapes so far."""
        observed = self._observed.items()
        return [GraphGuard(graph, guards) for graph, guards in observed if guards]


class Pass:
    """A rewrite of graphs that does not change values; a subclass shows a graph before and after it.

    Attributes
    ----------
    name : its name in reports
    contract : a property of every graph that it returns
    """

    name: ClassVar[str]
    contract: ClassVar[str]

    def apply(self, graph: Graph, context: PassContext) -> Graph:
        """The rewritten graph; the same if there is nothing to do.

        A pass may use dtypes and ranks freely: a rewritten graph is for one set of them. Its questions about
        the shapes in `context.facts` are recorded. The graph must be valid for other shapes with the same
        answers, and for shapes where some that were different are equal.
        """
        raise NotImplementedError

    def shown(
        self, *outputs: Entry, train: bool = False, dtype: str = "float32", **shapes: Shape
    ) -> str:
        """A graph before and after the pass, as text.

        Parameters
        ----------
        outputs : the outputs of the graph
        train : whether it runs in training mode
        dtype : the dtype of its variables
        shapes : the shapes of its variables, by name
        """
        graph = Graph(outputs)
        arrays = [AbstractArray(shapes[node.name], np.dtype(dtype)) for node in graph.variables]
        made = self.apply(graph, PassContext(graph.variables, arrays, train=train))
        return f"{graph_text(graph)}\n{'-' * 20}\n{graph_text(made)}"
