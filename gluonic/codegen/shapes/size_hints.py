"""Size hints: the sizes that are compiled for in the place of a batch of one.

Code that is made for one element along an axis may be right for one alone; made for two, it serves any number,
and one, too, if its guards hold for that. Which of the arrays hold the batch nobody says. So all that may are
given a batch of two; where that does not fit the graph, shapes are inferred once more with a symbolic dimension
for each of them, in one environment: the guard that sends two another way than one tells whose size must stay.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from gluonic.codegen.shapes.abstract_arrays import AbstractArray
from gluonic.codegen.shapes.facts import find_facts
from gluonic.codegen.shapes.lines import is_uniform
from gluonic.codegen.shapes.symbolic import NotUniform, ShapeEnv
from gluonic.graph import Graph, Node
from gluonic.graph.errors import MXNetError

_HINT = 2


def size_hints(
    graph: Graph, inputs: Sequence[Node], arrays: Sequence[Any], data: Sequence[int]
) -> Iterator[list[Any]]:
    """The arrays with a larger batch; the next are asked for only if these do not fit the graph.

    Parameters
    ----------
    graph : what is compiled
    inputs : its variables
    arrays : what has the shape and dtype of each
    data : the positions of those that may hold the batch

    Examples
    --------
    >>> import numpy as np
    >>> from gluonic.graph.node import make_node
    >>> inputs = [Node(None, name) for name in ("x", "w")]
    >>> added = make_node("elemwise_add", [node.entry() for node in inputs], {}).entry()
    >>> arrays = [AbstractArray((1, 3), np.dtype("float32"))] * 2
    >>> hints = size_hints(Graph([added]), inputs, arrays, [0])
    >>> [[array.shape for array in each] for each in hints]
    [[(2, 3), (1, 3)]]
    """
    chosen = [i for i in data if arrays[i].shape[:1] == (1,)]
    while chosen:
        yield _with_batches(arrays, dict.fromkeys(chosen, _HINT))
        conflict = _in_conflict(graph, inputs, arrays, chosen) if is_uniform(graph) else set(chosen)
        if not conflict:
            return
        chosen = [i for i in chosen if i not in conflict]


def _in_conflict(
    graph: Graph, inputs: Sequence[Node], arrays: Sequence[Any], chosen: Sequence[int]
) -> Collection[int]:
    """Which of the chosen arrays the graph can't take with a larger batch; all, if it does not say."""
    env = ShapeEnv(*[_HINT] * len(chosen))
    opened = _with_batches(arrays, dict(zip(chosen, env.sizes, strict=True)))
    try:
        find_facts(graph, inputs, opened)
    except NotUniform:
        return chosen
    except MXNetError:
        return {chosen[i] for i in env.sizes_in_conflict(*[1] * len(chosen))}
    return ()


def _with_batches(arrays: Sequence[Any], batches: dict[int, Any]) -> list[Any]:
    """Arrays without elements, of which those at some positions have such batch sizes."""
    return [
        AbstractArray((batches.get(i, array.shape[0]), *array.shape[1:]), array.dtype)
        if i in batches
        else array
        for i, array in enumerate(arrays)
    ]
