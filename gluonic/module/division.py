"""Division of a batch among contexts, and concatenation of the results."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic import ndarray as nd
from gluonic.graph.storage.selections import lines
from gluonic.graph.storage.values import Csr
from gluonic.ndarray import Context, NDArray


def divided(batch_size: int, loads: Sequence[float]) -> list[slice]:
    """Divide a batch in proportion to the contexts' loads; the last one gets the remainder.

    Parameters
    ----------
    batch_size : number of examples
    loads : relative share of each context

    Raises
    ------
    ValueError
        if a context would get no example

    Examples
    --------
    >>> divided(5, [1, 1])
    [slice(0, 2, None), slice(2, 5, None)]
    """
    counts = [round(load * batch_size / sum(loads)) for load in loads]
    counts[-1] += max(batch_size - sum(counts), 0)
    pieces, end = [], 0
    for count in counts:
        start, end = end, min(end + count, batch_size)
        if start >= end:
            raise ValueError(
                f"a batch of {batch_size} cannot be divided by the loads {list(loads)}: "
                "a context would get no example"
            )
        pieces.append(slice(start, end))
    return pieces


def piece_of(array: Any, axis: int, piece: slice) -> Any:
    """Return one context's part of a batch; all of it, if it has no batch axis."""
    if axis < 0 or (piece.start == 0 and piece.stop == array.shape[axis]):
        return array
    if isinstance(array, Csr):
        return lines(array, np.arange(piece.start, piece.stop))
    return array[piece] if axis == 0 else array[(slice(None),) * axis + (piece,)]


def joined(parts: Sequence[NDArray], axis: int) -> NDArray:
    """Concatenate the results of the contexts; without a batch axis, return the first one's."""
    if axis < 0 or len(parts) == 1:
        return parts[0]
    here = parts[0].context
    whole: NDArray = nd.concat(*(one.as_in_context(here) for one in parts), dim=axis)
    return whole


def contexts_of_groups(group2ctxs: Any, count: int) -> list[dict[str, Context] | None]:
    """Return, for each context of a module, the contexts of the groups of operators.

    Parameters
    ----------
    group2ctxs : one dictionary for each context, or a dictionary of contexts, or of lists of them
    count : number of contexts of the module

    Raises
    ------
    AssertionError
        if a list has another length, or `group2ctxs` is of another type
    """
    if group2ctxs is None:
        return [None] * count
    if isinstance(group2ctxs, list):
        if len(group2ctxs) != count:
            raise AssertionError(f"group2ctxs has {len(group2ctxs)} members for {count} contexts")
        return list(group2ctxs)
    if not isinstance(group2ctxs, dict):
        raise AssertionError(
            "group2ctxs must be a dictionary from groups to contexts or lists of contexts, "
            f"or a list of such, not {group2ctxs!r}"
        )
    by_group = {}
    for group, contexts in group2ctxs.items():
        alike = [contexts] if isinstance(contexts, Context) else list(contexts)
        by_group[group] = alike * count if len(alike) == 1 else alike
        if len(by_group[group]) != count:
            raise AssertionError(
                f"group2ctxs[{group!r}] has {len(alike)} contexts; it needs {count}, or one"
            )
    return [{group: contexts[i] for group, contexts in by_group.items()} for i in range(count)]


def labels_of(batch: Any) -> Sequence[Any]:
    """The labels of a batch, which is anything with data; none where some are None."""
    found = getattr(batch, "label", None) or ()
    return () if any(label is None for label in found) else found
