"""The gradients of outputs, as passed to `Executor.backward`."""

from collections.abc import Mapping, Sequence
from typing import Any

from gluonic.graph.errors import describe
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


def missing_head(name: str) -> str:
    """Return the message that the gradient of an output is missing."""
    return describe(
        f"the gradient of the output {name} is needed, for it is not the output of a loss",
        where="backward",
        hint="backward(out_grads=[…]), mx.nd.ones_like(output) for that of the sum",
    )
