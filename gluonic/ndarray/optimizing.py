"""`optimize_for`: rewriting a graph and the values of its variables by a backend."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gluonic.graph import Graph, Node
from gluonic.graph import onednn as _onednn  # noqa: F401 - registers backends
from gluonic.graph.backends import BACKENDS, PartitionRequest
from gluonic.graph.errors import MXNetError, describe
from gluonic.ndarray.array import NDArray


def optimize(
    graph: Graph,
    backend: str,
    args: dict[str, NDArray] | None,
    aux: dict[str, NDArray] | None,
    options: Mapping[str, Any],
    *,
    shapes: Mapping[str, Any] | None = None,
    dtypes: Mapping[str, Any] | None = None,
    skip_inference: bool = False,
) -> Graph:
    """Let a backend partition or rewrite a graph.

    Parameters
    ----------
    backend : the name of a partitioner or of a graph pass
    args, aux : known values of variables; those that a pass creates are added, those whose variables are
        gone are removed
    options : passed on to the library, as strings
    shapes, dtypes : of variables without a value
    skip_inference : do not pass shapes and dtypes to the library

    Raises
    ------
    RuntimeError
        if a pass creates parameters and there is no dictionary to put them in
    """
    chosen = BACKENDS.find(backend)
    if chosen is None:
        return graph
    states = {node.name for node in graph.states}
    task = PartitionRequest(
        options={name: str(value) for name, value in options.items()},
        args=_values(graph, args, lambda name: name not in states),
        aux=_values(graph, aux, lambda name: name in states),
        shapes={name: tuple(axis or None for axis in s) for name, s in (shapes or {}).items()},
        dtypes={name: np.dtype(dtype) for name, dtype in (dtypes or {}).items()},
        skip_inference=skip_inference,
    )
    made = chosen(graph, task)
    _add("args", args, task.new_args)
    _add("aux", aux, task.new_aux)
    _remove(args, graph.arguments, made.variables)
    _remove(aux, graph.states, made.variables)
    return made


def _values(
    graph: Graph, given: Mapping[str, NDArray] | None, belongs: Callable[[str], bool]
) -> dict[str, Any]:
    """The arrays of the graph's variables, in the graph's order."""
    for name, array in (given or {}).items():
        if not isinstance(array, NDArray):
            raise MXNetError(
                describe(f"optimize_for: {name} must be an NDArray, not {type(array).__name__}")
            )
    return {
        node.name: given[node.name].elements
        for node in graph.variables
        if given and node.name in given and belongs(node.name)
    }


def _add(what: str, target: dict[str, NDArray] | None, made: Mapping[str, Any]) -> None:
    if made and target is None:
        raise MXNetError(
            describe(
                f"Cannot add new {what} in optimize_for since {what} is None",
                facts=[f"new: {', '.join(made)}"],
                hint=f"a dictionary for the argument {what} of optimize_for",
            )
        )
    if target is not None:
        target.update({name: NDArray(array) for name, array in made.items()})


def _remove(
    target: dict[str, NDArray] | None, before: Sequence[Node], after: Sequence[Node]
) -> None:
    left = {node.name for node in after}
    gone = [node.name for node in before if node.name not in left]
    if gone and target is None:
        warnings.warn(
            f"the optimization has removed the parameter {', '.join(gone)}, but no dictionary was given; "
            "make sure that the weights match the new graph",
            stacklevel=4,
        )
    for name in gone:
        if target is not None:
            target.pop(name, None)
