"""Inference rules shared by families of operators."""

from typing import Any

import numpy as np

from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Rule
from gluonic.graph.view import (
    NodeView,
    PartialShape,
    Unknown,
    complete,
    peek,
    put,
    slots_of,
    title_of,
    unify,
    written,
)


def same(n: NodeView) -> None:
    """The rule of shapes or dtypes: all inputs and outputs have the same."""
    common: Any = None
    for name, value in slots_of(n).items():
        if value is None or value is common:
            continue
        if common is None:
            common = value
            continue
        try:
            common = unify(common, value, f"{title_of(n)}: {name}")
        except InferenceError:
            facts = ", ".join(f"{k} {written(v)}" for k, v in slots_of(n).items() if v is not None)
            raise InferenceError(f"{title_of(n)} needs equal inputs but has {facts}") from None
    for name, value in slots_of(n).items():
        if value is not common:
            put(n, name, common)


def like(source: str, *targets: str) -> Rule:
    """Unify the named slots (by default the output) with `source`, in both directions."""

    def rule(n: NodeView) -> None:
        for target in targets or ("output",):
            if (value := peek(n, source)) is not None:
                put(n, target, value)
            elif (value := peek(n, target)) is not None:
                put(n, source, value)

    names = ", ".join(targets or ("output",))
    rule.__doc__ = f"The rule of shapes or dtypes: as in `{source}`, so in {names}."
    return rule


def gradients_like(source: str, gradient: str) -> Rule:
    """Give the first `inputs` outputs, `gradient` and an index, the fact of the `source` with that index."""

    def rule(n: NodeView) -> None:
        known = [peek(n, f"{source}{i}") for i in range(n.inputs)]
        if any(fact is None for fact in known):
            raise Unknown
        for index, fact in enumerate(known):
            put(n, f"{gradient}{index}", fact)

    return rule


def _is_one(axis: int | None) -> bool:
    """Whether an axis has length 1; symbolic extents (see the compiler) are not compared."""
    return isinstance(axis, int) and axis == 1


def _broadcast_axis(a: int | None, b: int | None) -> int | None:
    if _is_one(b):
        return a
    if _is_one(a):
        return b
    if a == b:
        return a
    if a is None or b is None:  # an unknown axis can only be broadcast with an axis longer than one
        return b if a is None else a
    raise ValueError


def broadcast_shapes(first: PartialShape, second: PartialShape, title: str) -> PartialShape:
    """The shape of two arrays broadcast together, by NumPy's rules.

    >>> broadcast_shapes((2, 1), (3,), "add")
    (2, 3)
    """
    rank = max(len(first), len(second))
    padded = [(1,) * (rank - len(s)) + s for s in (first, second)]
    try:
        return tuple(_broadcast_axis(a, b) for a, b in zip(*padded, strict=True))
    except ValueError:
        raise InferenceError(
            f"{title}: the shapes {written(first)} and {written(second)} cannot be broadcast together"
        ) from None


def broadcast(n: NodeView) -> None:
    """The shape rule: the output is `lhs` and `rhs` broadcast together."""
    n.output = broadcast_shapes(n.lhs, n.rhs, title_of(n))


def output_dtype(dtype: str | np.dtype[Any]) -> Rule:
    """The output has the given dtype, whatever the inputs have."""
    fixed = np.dtype(dtype)

    def rule(n: NodeView) -> None:
        n.output = fixed

    rule.__doc__ = f"The dtype rule: the output is {fixed}."
    return rule


def fixed_by(attribute: str) -> Rule:
    """The output has the shape, or dtype, that an attribute gives."""

    def rule(n: NodeView) -> None:
        n.output = getattr(n, attribute)

    rule.__doc__ = (
        f"The rule of shapes or dtypes: the output has that of the attribute `{attribute}`."
    )
    return rule


__all__ = [
    "Unknown",
    "broadcast",
    "broadcast_shapes",
    "complete",
    "fixed_by",
    "gradients_like",
    "like",
    "output_dtype",
    "same",
]
