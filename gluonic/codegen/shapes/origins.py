"""Shapes of a graph's inputs that follow from the inputs of another graph.

A gradient reads what its forward graph has computed. Where layers have strides, those shapes are not linear in
the length; the shapes of the forward graph's own inputs are, and inference turns them into expressions.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gluonic.codegen.shapes.abstract_arrays import AbstractArray
from gluonic.codegen.shapes.facts import find_facts
from gluonic.codegen.shapes.lines import line_of
from gluonic.codegen.shapes.symbolic import NotUniform, ShapeEnv, SymbolicDim, env_of, written
from gluonic.codegen.shapes.valuation import distinct
from gluonic.graph import Entry, Graph, Node
from gluonic.graph.attributes import Shape
from gluonic.graph.errors import MXNetError


class Origins:
    """The inputs of a graph as entries of another graph.

    Parameters
    ----------
    graph : the other graph
    inputs : its variables
    entries : for each input, the entry whose value it has
    sized : returns inputs of the other graph whose shapes are linear in a size, for each way found so far
    """

    def __init__(
        self,
        graph: Graph,
        inputs: Sequence[Node],
        entries: Sequence[Entry],
        sized: Callable[[], Sequence[Sequence[AbstractArray]]],
    ) -> None:
        self._graph, self._inputs, self._entries, self._sized = graph, inputs, entries, sized

    def opened(self, arrays: Sequence[Any]) -> Iterator[tuple[list[AbstractArray], ShapeEnv]]:
        """Such arrays, with shapes that are expressions of a size."""
        ways, _ = distinct(self._sized(), _written)
        for given in ways:
            known = env_of(array.shape for array in given)
            if known is None:
                continue
            like_it = ShapeEnv(known.value(known.size))
            size = _size_of(self._shapes(given, like_it), arrays)
            if size is None:
                continue
            env = ShapeEnv(size)
            shapes = self._shapes(given, env)
            if [tuple(map(env.value, shape)) for shape in shapes] == [a.shape for a in arrays]:
                pairs = zip(shapes, arrays, strict=True)
                yield [AbstractArray(shape, array.dtype) for shape, array in pairs], env

    def _shapes(self, given: Sequence[AbstractArray], env: ShapeEnv) -> list[Shape]:
        """The shapes of the inputs as expressions of a size; none if they cannot be inferred."""
        own = [AbstractArray(_moved(array.shape, env), array.dtype) for array in given]
        shapes = {node.entry(): array.shape for node, array in zip(self._inputs, own, strict=True)}
        try:
            shapes.update(find_facts(self._graph, self._inputs, own).shapes)
        except (NotUniform, MXNetError):
            return []
        return [shapes[entry] for entry in self._entries]


def _written(arrays: Sequence[AbstractArray]) -> tuple[Any, ...]:
    """A hashable key that is equal for arrays with equal shapes."""
    return tuple([tuple(map(written, array.shape)) for array in arrays])


def _moved(shape: Sequence[Any], env: ShapeEnv) -> Shape:
    """The same linear functions of another size."""
    moved: list[Any] = [
        SymbolicDim(env, x.terms, x.constant) if type(x) is SymbolicDim else x for x in shape
    ]
    return tuple(moved)


def _size_of(shapes: Sequence[Shape], arrays: Sequence[Any]) -> int | None:
    """The size for which an axis has the extent of the array's; None if no axis is linear in the size."""
    for shape, array in zip(shapes, arrays, strict=False):
        for extent, actual in zip(shape, array.shape, strict=False):
            if (line := line_of(extent)) is not None:
                size, rest = divmod(actual - line[1], line[0])
                return size if size > 0 and not rest else None
    return None
