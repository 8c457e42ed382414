"""The methods that are operators: ``x.sum(axis=1)`` is ``nd.sum(x, axis=1)``."""

import inspect
from collections.abc import Callable
from typing import Any

from gluonic.graph import REGISTRY, Operator
from gluonic.graph.calling import LaterSignature, signature
from gluonic.graph.namespaces import FLUENT
from gluonic.ndarray import op
from gluonic.ndarray.array import NDArray, method
from gluonic.ndarray.array_functions import split_v2 as split_parts


def _fluent(name: str) -> Callable[..., Any]:
    """The method; the operator's function is looked up when it is called."""

    def call(self: NDArray, *arguments: Any, **keywords: Any) -> Any:
        return getattr(op, name)(self, *arguments, **keywords)

    declared = REGISTRY[name]
    call.__signature__ = LaterSignature(declared, "nd", _of_method)  # type: ignore[attr-defined]
    call.__doc__ = declared.kernel.__doc__
    return call


def _of_method(declared: Operator, room: str) -> inspect.Signature:
    """The signature of an operator as a method."""
    first, *others = signature(declared, room).parameters.values()
    return inspect.Signature([first.replace(name="self", default=first.empty), *others])


for _name in FLUENT:
    if _name not in vars(NDArray):
        method(_name)(_fluent(_name))


@method("__abs__")
def absolute(self: NDArray) -> NDArray:
    """Return the absolute values."""
    return op.abs(self)


@method("split_v2")
def split_v2(self: NDArray, *arguments: Any, **keywords: Any) -> Any:
    """Split the array as `nd.split_v2` does."""
    return split_parts(self, *arguments, **keywords)


@method("slice_assign")
def slice_assign(self: NDArray, rhs: NDArray, begin: Any, end: Any, step: Any) -> NDArray:
    """Write `rhs` into the part ``begin:end:step`` of the array."""
    self[tuple(slice(*each) for each in zip(begin, end, step, strict=True))] = rhs
    return self


@method("slice_assign_scalar")
def slice_assign_scalar(self: NDArray, value: float, begin: Any, end: Any, step: Any) -> NDArray:
    """Write a number into the part ``begin:end:step`` of the array."""
    self[tuple(slice(*each) for each in zip(begin, end, step, strict=True))] = value
    return self


@method("broadcast_like")
def broadcast_like(self: NDArray, other: NDArray, **keywords: Any) -> NDArray:
    """Return the array repeated along axes of length one to be like `other`."""
    return op.broadcast_like(self, other, **keywords)
