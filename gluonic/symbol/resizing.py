"""Bound arrays of other shapes that share memory with the old ones."""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from gluonic.graph import Graph, Node
from gluonic.graph.errors import MXNetError, describe, nearest
from gluonic.graph.infer import infer
from gluonic.graph.memory import allocated
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.placing import placed
from gluonic.ndarray.storage.arrays import BaseSparseNDArray, zeros_of


class Resizing:
    """Makes arrays of other shapes in the memory of old ones.

    Parameters
    ----------
    graph : the graph that the arrays are bound to
    given : new shapes by name; the others are inferred
    partial : whether arrays that are not named may change, too
    grow : whether arrays may become larger, in new memory

    Raises
    ------
    MXNetError
        if the graph has no variable of a given name
    """

    def __init__(self, graph: Graph, given: Mapping[str, Any], partial: bool, grow: bool) -> None:
        self.partial, self.grow = partial, grow
        self.given = {name: tuple(shape) for name, shape in given.items()}
        known = {node.name for node in graph.variables}
        for name in given:
            if name not in known:
                raise MXNetError(f"reshape: there is no argument {name!r}{nearest(name, known)}")
        named = {node: self.given[node.name] for node in graph.variables if node.name in given}
        self._shapes = infer(graph, "shape", named)

    def __call__(self, nodes: Sequence[Node], arrays: Sequence[Any]) -> list[Any]:
        """Return arrays that replace the old ones of variables; None stays None.

        Raises
        ------
        MXNetError
            for an array that may not change
        """
        return [
            None if array is None else self._resized(node.name, array, self._shapes[node][0])
            for node, array in zip(nodes, arrays, strict=True)
        ]

    def sparse(self, node: Node, array: BaseSparseNDArray) -> NDArray:
        """Return zeros of a sparse array's storage type, or the array itself if the shape is the same."""
        shape = self._shapes[node][0]
        if shape is None or None in shape or shape == array.shape:
            return array
        return zeros_of(array.stype, shape, array.dtype, array.context)

    def _resized(self, name: str, array: NDArray, shape: Any) -> NDArray:
        if shape is None or None in shape:
            shape = array.shape
        if shape == array.shape:
            return array
        if name not in self.given and not self.partial:
            raise MXNetError(
                describe(
                    f"reshape: {name} would change from {array.shape} to {shape}, "
                    "and parameters would no longer be shared",
                    hint="partial_shaping=True if that is intended",
                )
            )
        if prod(shape) <= array.size:
            return part(array, shape)
        if not self.grow:
            raise MXNetError(
                describe(
                    f"reshape: {name} would grow from {array.shape} to {shape}",
                    hint="bind the largest shape first, or allow_up_sizing=True",
                )
            )
        zeros = allocated(np.zeros, shape, np.dtype(array.dtype), name)
        return placed(zeros, array.stated_context)


def part(array: NDArray, shape: tuple[int, ...]) -> NDArray:
    """The beginning of an array's memory, with another shape."""
    return array.detach().reshape(-1)[: prod(shape)].reshape(shape)
