"""Cells within cells: the states of each, one step or a whole sequence through all, and modifiers around one.

The cells of `mx.rnn` and of `gluon.rnn` share this code; their differences are arguments, such as the number of
a cell's states.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from gluonic.graph.errors import describe


def with_states(
    cells: Iterable[Any], counts: Iterable[int], states: Sequence[Any]
) -> Iterator[tuple[Any, Sequence[Any]]]:
    """Pair each cell with its states, given the numbers of states.

    >>> list(with_states("ab", [1, 2], [10, 20, 30]))
    [('a', [10]), ('b', [20, 30])]
    """
    start = 0
    for cell, count in zip(cells, counts, strict=True):
        yield cell, states[start : start + count]
        start += count


def step_through(pairs: Iterable[tuple[Any, Any]], inputs: Any) -> tuple[Any, list[Any]]:
    """Take a step with cells on top of each other; returns the output of the last, and the states of all.

    Parameters
    ----------
    pairs : cells with their states
    inputs : the inputs of the first cell
    """
    after: list[Any] = []
    for cell, states in pairs:
        inputs, states = cell(inputs, states)
        after += states
    return inputs, after


def unroll_through(
    pairs: Iterable[tuple[Any, Any]],
    length: int,
    inputs: Any,
    merge_outputs: bool | None,
    **options: Any,
) -> tuple[Any, list[Any]]:
    """Run cells on top of each other over a sequence, one cell after the other.

    Parameters
    ----------
    pairs : cells with their states
    merge_outputs : the form of the last cell's outputs; those of the others are not converted
    options : further arguments of `unroll`
    """
    pairs = list(pairs)
    after: list[Any] = []
    for number, (cell, states) in enumerate(pairs, 1):
        merge = merge_outputs if number == len(pairs) else None
        inputs, states = cell.unroll(
            length, inputs=inputs, begin_state=states, merge_outputs=merge, **options
        )
        after += states
    return inputs, after


def take_steps(cell: Any, steps: Iterable[Any], states: Any) -> tuple[list[Any], list[Any]]:
    """Take a step with each of the inputs; returns all outputs, and the states before and after each step."""
    outputs, history = [], [states]
    for step in steps:
        output, states = cell(step, states)
        outputs.append(output)
        history.append(states)
    return outputs, history


@contextmanager
def unmodified(cell: Any) -> Iterator[None]:
    """Allow calls of a cell by the modifier that wraps it."""
    set_modified(cell, False)
    try:
        yield
    finally:
        set_modified(cell, True)


def set_modified(cell: Any, modified: bool) -> None:
    """Mark a cell, as in MXNet, as wrapped by a modifier or not."""
    cell._modified = modified


def is_modified(cell: Any) -> bool:
    """Whether a modifier wraps a cell."""
    return bool(cell._modified)


def refuse_modified(cell: Any, where: str) -> None:
    """Raise an error for a direct call of a cell that a modifier wraps.

    Parameters
    ----------
    where : the name of the cell in the message
    """
    if is_modified(cell):
        raise AssertionError(
            describe(
                "a modifier such as ZoneoutCell is around this cell",
                where=where,
                hint="call the modifier instead",
            )
        )
