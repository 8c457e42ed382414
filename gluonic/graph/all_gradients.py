"""The common steps of rules that return all gradients of a node."""

from collections.abc import Iterable, Sequence
from typing import Any

from gluonic.graph.view import NodeView, slots_of, wanted_of


def or_zeros(F: Any, heads: Iterable[Any], values: Iterable[Any]) -> list[Any]:
    """Replace missing gradients by zeros; of more values than `heads`, the first are used."""
    return [
        F.zeros_like(value) if head is None else head
        for head, value in zip(heads, values, strict=False)
    ]


def flowing(F: Any, n: NodeView, heads: Sequence[Any]) -> list[Any]:
    """Replace the missing gradients of outputs by zeros."""
    return or_zeros(F, heads, list(slots_of(n).values())[-len(heads) :])


def wanted_indices(n: NodeView) -> tuple[int, ...]:
    """The indices of the inputs whose gradients are requested."""
    return tuple(i for i, is_wanted in enumerate(wanted_of(n)) if is_wanted)


def as_list(made: Any) -> list[Any]:
    """Treat one output like several."""
    return list(made) if isinstance(made, (list, tuple)) else [made]


def by_input(names: Iterable[str], made: Any) -> dict[str, Any]:
    """The gradients that an operator has computed, by the names of the inputs."""
    return dict(zip(names, as_list(made), strict=True))
