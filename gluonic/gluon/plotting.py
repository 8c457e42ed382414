"""`net.plot(x)`: the graph of a block as a picture, with the values of its parameters."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gluonic.gluon.parameter import Parameter
from gluonic.graph.node import Graph
from gluonic.ndarray import NDArray
from gluonic.symbol.plotting import drawing_of

if TYPE_CHECKING:
    from gluonic.drawing.drawing import Drawing


def drawing_of_block(
    graph: Graph,
    title: str,
    inputs: Mapping[str, NDArray],
    parameters: Mapping[str, Parameter],
    save_format: str,
) -> "Drawing":
    """Draw the graph of a block.

    Parameters
    ----------
    graph : the block's
    title : the heading
    inputs : what the block is called with, by the names of variables
    parameters : by name
    save_format : see `Drawing`
    """
    own = [parameters[node.name] for node in graph.variables if node.name in parameters]
    shapes = {name: array.shape for name, array in inputs.items()}
    dtypes = {name: np.dtype(array.dtype) for name, array in inputs.items()}
    return drawing_of(
        graph,
        title,
        shape={**known_shapes(own), **shapes},
        dtype=dtypes,
        save_format=save_format,
        values=values_of(own),
        parameters=frozenset(parameter.name for parameter in own),
    )


def known_shapes(parameters: Sequence[Parameter]) -> dict[str, tuple[int, ...]]:
    """The shapes of parameters, as far as they are known."""
    return {p.name: tuple(p.shape) for p in parameters if p.shape is not None and 0 not in p.shape}


def values_of(parameters: Sequence[Parameter]) -> dict[str, "np.ndarray[Any, Any]"]:
    """The values of parameters that have been initialized."""
    return {p.name: p.data().asnumpy() for p in parameters if p._data is not None}
