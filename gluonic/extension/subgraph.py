"""Operators that replace a subgraph: the library computes it, gluonic runs inference through it."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from gluonic.extension.binary import Attributes
from gluonic.extension.inference import Dtypes, Shapes
from gluonic.extension.operators import LoadedOperator
from gluonic.extension.use import OperatorUse
from gluonic.graph import Graph
from gluonic.graph.errors import FileFormatError, MXNetError, describe
from gluonic.graph.infer import infer_through
from gluonic.graph.json.reader import read_json
from gluonic.graph.json.writer import SUBGRAPHS, write_json
from gluonic.graph.view import Unknown

SUBGRAPH_JSON = "subgraph_sym_json"
"""The attribute in which the library finds its subgraph."""


class SubgraphInference:
    """Counts, shapes and dtypes of a subgraph; its variables are the operator's inputs."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def counts(self) -> tuple[int, int]:
        """Return the numbers of inputs and outputs."""
        return len(self.graph.variables), len(self.graph.outputs)

    def mutated(self, inputs: int) -> tuple[int, ...]:
        """Return the positions of auxiliary states."""
        return tuple(self.graph.variables.index(node) for node in self.graph.states)

    def shapes(self, inputs: Shapes, outputs: int) -> tuple[Shapes, Shapes]:
        """Infer shapes through the subgraph."""
        return self._inferred("shape", inputs)

    def dtypes(self, inputs: Dtypes, outputs: int) -> tuple[Dtypes, Dtypes]:
        """Infer dtypes through the subgraph."""
        return self._inferred("dtype", inputs)

    def storage(self, inputs: Sequence[str], outputs: int) -> list[str] | None:
        """None: all arrays in the subgraph are dense."""
        return None

    def _inferred(self, kind: str, inputs: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        found, outputs = infer_through(self.graph, kind, inputs)
        if all(fact is not None for fact in inputs) and any(fact is None for fact in outputs):
            raise Unknown
        return found, outputs


class SubgraphOperator(LoadedOperator):
    """A library's subgraph operator."""

    def _new_use(self, settings: Mapping[str, str]) -> OperatorUse:
        graph = self._graph(settings.get(SUBGRAPHS))
        own = {name: text for name, text in settings.items() if name != SUBGRAPHS}
        attributes = Attributes({**own, SUBGRAPH_JSON: write_json(graph)})
        return OperatorUse(self.binary, self.entry, attributes, SubgraphInference(graph))

    def _graph(self, text: str | None) -> Graph:
        if text is None:
            raise MXNetError(
                describe(
                    "stands for a subgraph and has none",
                    where=self.entry.name,
                    hint="symbol.optimize_for(backend) makes such nodes; they are not called directly",
                )
            )
        graphs = json.loads(text)
        if len(graphs) != 1:
            raise FileFormatError(
                describe(f"must have one subgraph, not {len(graphs)}", where=self.entry.name)
            )
        return read_json(json.dumps(graphs[0]), source=f"the subgraph of {self.entry.name}")
