"""Sequences of symbols: lists of steps and whole symbols, turned into each other.

A whole symbol has a time axis, the place of ``T`` in its layout; a list has a symbol for each time.
"""

from typing import Any

from gluonic import symbol as sym
from gluonic.graph.errors import describe
from gluonic.symbol import Symbol


def time_axis(layout: str) -> int:
    """Return which axis is the time."""
    return layout.find("T")


def steps_of(length: int, inputs: Any, layout: str) -> list[Symbol]:
    """Return the steps of a sequence.

    Raises
    ------
    AssertionError
        if there are not `length` steps, or a whole symbol has several outputs
    """
    if not isinstance(inputs, Symbol):
        _check_list(length, inputs)
        return list(inputs)
    if len(inputs.list_outputs()) != 1:
        raise AssertionError(
            describe(
                f"the sequence is a group of {len(inputs.list_outputs())} symbols",
                where="unroll",
                hint="list(inputs), or let unroll split one symbol with a time axis",
            )
        )
    return list(sym.split(inputs, axis=time_axis(layout), num_outputs=length, squeeze_axis=1))


def whole_of(length: int, inputs: Any, layout: str) -> Symbol:
    """Return a sequence as one symbol."""
    if isinstance(inputs, Symbol):
        return inputs
    _check_list(length, inputs)
    axis = time_axis(layout)
    whole: Symbol = sym.Concat(*[sym.expand_dims(step, axis=axis) for step in inputs], dim=axis)
    return whole


def arranged(length: int, sequence: Any, layout: str, merge: bool | None) -> Any:
    """Return a sequence as one symbol (`merge`), as steps (not `merge`), or as it is (None)."""
    if merge is None:
        return sequence
    return (whole_of if merge else steps_of)(length, sequence, layout)


def _check_list(length: int, inputs: Any) -> None:
    if inputs is None:
        raise AssertionError(
            describe(
                "there are no inputs",
                where="unroll",
                hint="a symbol with a time axis, or a list of symbols, one for each step",
            )
        )
    if length is not None and len(inputs) != length:
        raise AssertionError(
            describe(
                f"{length} steps are asked for, but the inputs are {len(inputs)}", where="unroll"
            )
        )
