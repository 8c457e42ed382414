"""The gradients of outputs, as passed to `Executor.backward`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gluonic.graph import Entry, Graph, Node
from gluonic.graph.errors import MXNetError, describe
from gluonic.ndarray.array import NDArray


def as_list(given: Any, names: Sequence[str]) -> list[NDArray | None]:
    """List a gradient, or None, for each output, from an NDArray, a list or a dict by name.

    Surplus gradients are ignored.
    """
    if given is None or isinstance(given, NDArray):
        given = [given]
    elif isinstance(given, Mapping):
        given = [given.get(name) for name in names]
    gradients = list(given)
    for gradient in gradients:
        if gradient is not None and not isinstance(gradient, NDArray):
            raise TypeError(f"backward takes NDArrays, not {type(gradient).__name__}")
    return [*gradients[: len(names)], *[None] * (len(names) - len(gradients))]


def heads_read(gradients: Iterable[Entry | None], heads: Sequence[Node]) -> list[bool]:
    """For each variable that stands for the gradient of an output, whether gradients depend on it."""
    read = set(Graph(entry for entry in gradients if entry is not None).variables)
    return [head in read for head in heads]


def check_head(name: str, output: NDArray, gradient: NDArray | None, *, is_read: bool) -> None:
    """Raise an error if a gradient that is read is missing, or if one is not of its output's shape."""
    if gradient is None and is_read:
        raise MXNetError(
            describe(
                f"the gradient of the output {name} is needed, for it is not the output of a loss",
                where="backward",
                hint="backward(out_grads=[…]), mx.nd.ones_like(output) for that of the sum",
            )
        )
    if gradient is not None and gradient.shape != output.shape:
        raise MXNetError(
            f"backward: the gradient of {name} has the shape {gradient.shape}, "
            f"but the output has {output.shape}"
        )
