"""Output signatures of a graph's operators for new sizes.

A graph that is called with a new length each time would infer all shapes in each call. Here they are inferred
once, for a symbolic size (:mod:`gluonic.codegen.shapes.symbolic`).
"""

from collections.abc import Sequence

from gluonic.codegen.shapes.abstract_arrays import AbstractArray
from gluonic.codegen.shapes.facts import Facts, find_facts
from gluonic.codegen.shapes.lines import (
    ArraysOfSizes,
    is_uniform,
    lines_between,
    with_extents,
)
from gluonic.codegen.shapes.symbolic import NotUniform, ShapeEnv, written
from gluonic.codegen.shapes.valuation import Valuation, distinct
from gluonic.graph import Graph, Node, Signature, Signatures
from gluonic.graph.attributes import Shape
from gluonic.graph.errors import MXNetError

_MOST_FAMILIES = 4
_MOST_TRIALS = 4
_INFERRED_DIRECTLY = 2
"""The number of sizes that are inferred one by one: symbolic inference takes longer."""


class _Family:
    """The signatures of the operators as functions of the size.

    Parameters
    ----------
    graph : the graph
    arrays : the inputs, with extents in their shapes
    facts : those of all results, with extents
    env : the guards
    """

    def __init__(
        self, graph: Graph, arrays: Sequence[AbstractArray], facts: Facts, env: ShapeEnv
    ) -> None:
        self._arrays = ArraysOfSizes(arrays)
        results = [
            [node.entry(i) for i in range(node.output_count)]
            for node in graph.run_order
            if node.application is not None
        ]
        entries = [entry for of_node in results for entry in of_node]
        shapes = [facts.shapes[entry] for entry in entries]
        found, which = distinct(shapes, lambda shape: tuple(map(written, shape)))
        numbers = dict(zip(entries, which, strict=True))
        self._shapes = Valuation(env, found)
        self._signatures, self._which = distinct(
            [
                ([numbers[entry] for entry in of_node], [facts.dtypes[entry] for entry in of_node])
                for of_node in results
            ],
            lambda ends: (*ends[0], *ends[1]),
        )

    def __call__(self, inputs: Signatures) -> list[Signature] | None:
        """The signatures for such inputs, if they belong to the family."""
        size = self._arrays.size_of(inputs)
        shapes = None if size is None else self._shapes(size)
        if shapes is None:
            return None
        found = [
            Signature(tuple([shapes[number] for number in numbers]), tuple(dtypes))
            for numbers, dtypes in self._signatures
        ]
        return [found[which] for which in self._which]


class InferredSignatures:
    """The output signatures of a graph's operators for new sizes.

    Parameters
    ----------
    graph : the graph
    inputs : its variables, in the order of the arrays
    """

    def __init__(self, graph: Graph, inputs: Sequence[Node]) -> None:
        self._graph, self._inputs = graph, inputs
        self._families: list[_Family] = []
        self._direct_inferences = 0
        self._trials = _MOST_TRIALS if is_uniform(graph) else 0
        self._before: list[Shape] = []

    def __call__(self, inputs: Signatures) -> list[Signature] | None:
        """The signatures of all operators in run order; None if they must be inferred.

        Parameters
        ----------
        inputs : the shapes and dtypes of the arrays
        """
        for family in reversed(self._families):
            if (found := family(inputs)) is not None:
                return found
        before, self._before = self._before, [shape for shape, _ in inputs]
        self._direct_inferences += 1
        if self._direct_inferences <= _INFERRED_DIRECTLY or self._trials == 0:
            return None
        self._trials -= 1
        made = self._family(before, inputs)
        if made is None:
            return None
        self._trials = _MOST_TRIALS
        self._families = [*self._families[1 - _MOST_FAMILIES :], made]
        return made(inputs)

    def _family(self, before: Sequence[Shape], inputs: Signatures) -> _Family | None:
        """The family of the shapes of an earlier call and of these inputs."""
        line = lines_between(before, [shape for shape, _ in inputs])
        if line is None or line[1] < 1:
            return None
        lines, size = line
        env = ShapeEnv(size)
        given = [AbstractArray(shape, dtype) for shape, dtype in inputs]
        opened = with_extents(given, lines, env)
        try:
            facts = find_facts(self._graph, self._inputs, opened)
        except (NotUniform, MXNetError):
            return None
        if env.failed or not env.is_general:
            return None
        env.answers.clear()
        return _Family(self._graph, opened, facts, env)
