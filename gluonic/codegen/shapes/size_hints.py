"""Size hints: larger sizes used instead of a batch of one when code is generated.

Code generated for one element along an axis may be valid for one element only. Code generated for two is valid
for any number, and also for one if its guards hold. The program does not declare which arrays have a batch
axis, so all that may have one get a batch of two. If that does not fit the graph, shapes are inferred again
with one symbolic dimension per array, in one environment. The guard whose answers for one and two differ tells
which arrays must keep their size.
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
    """Lists of arrays with a larger batch; the next list is needed only if this one does not fit the graph.

    Parameters
    ----------
    graph : the graph to compile
    inputs : its variables
    arrays : arrays, or abstract arrays, with the shape and dtype of each
    data : the indices of the arrays that may have a batch axis

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
    """The chosen arrays that do not fit the graph with a larger batch; all, if that cannot be determined."""
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
    """The arrays, with abstract ones of the given batch sizes at some indices."""
    return [
        AbstractArray((batches.get(i, array.shape[0]), *array.shape[1:]), array.dtype)
        if i in batches
        else array
        for i, array in enumerate(arrays)
    ]
