"""The gradients of outputs, as passed to `Executor.backward`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gluonic.graph import Entry, Graph, Node
from gluonic.graph.errors import MXNetError, describe
from gluonic.ndarray.array import NDArray


def as_list(given: Any, names: Sequence[str]) -> list[NDArray | None]:
    """List the gradients, from an NDArray, a list or a dict by name."""
    if given is None:
        return []
    if isinstance(given, NDArray):
        return [given]
    if isinstance(given, Mapping):
        given = [given.get(name) for name in names]
    for gradient in given:
        if gradient is not None and not isinstance(gradient, NDArray):
            raise TypeError(f"backward takes NDArrays, not {type(gradient).__name__}")
    return list(given)


def heads_read(gradients: Iterable[Entry | None], heads: Sequence[Node]) -> list[bool]:
    """For each variable that stands for the gradient of an output, whether gradients depend on it."""
    read = set(Graph(entry for entry in gradients if entry is not None).variables)
    return [head in read for head in heads]


def check_head(name: str, output: NDArray, gradient: NDArray | None, *, is_read: bool) -> None:
    """Raise an error if a gradient that is read is missing, or is not of its output's shape."""
    if not is_read:
        return
    if gradient is None:
        raise MXNetError(
            describe(
                f"the gradient of the output {name} is needed, for it is not the output of a loss",
                where="backward",
                hint="backward(out_grads=[…]), mx.nd.ones_like(output) for that of the sum",
            )
        )
    if gradient.shape != output.shape:
        raise MXNetError(
            f"backward: the gradient of {name} has the shape {gradient.shape}, "
            f"but the output has {output.shape}"
        )
