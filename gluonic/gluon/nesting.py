"""Flattening and regrouping of nested arrays, like MXNet's private functions, which other libraries call."""

from collections.abc import Sequence
from typing import Any

from gluonic.graph.errors import CallError, describe
from gluonic.ndarray import NDArray
from gluonic.symbol import Symbol

tensor_types = (Symbol, NDArray)


def _flatten(args: Any, inout_str: str) -> tuple[list[Any], Any]:
    """Flatten nested lists of arrays, or of symbols.

    Parameters
    ----------
    args : the array, None, or a list or tuple of such
    inout_str : their description, for messages

    Returns
    -------
    flat : the arrays in order
    format : 0 for an array, n for a symbol of n outputs, -1 for None, a list for a list

    Raises
    ------
    ValueError
        for anything else
    """
    if args is None:
        return [None], -1
    if isinstance(args, tensor_types):
        count = len(args) if isinstance(args, Symbol) else 0
        return [args], count if count > 1 else 0
    if not isinstance(args, (list, tuple)):
        raise CallError(
            describe(
                f"the {inout_str} of a block is {args!r}, of type {type(args)}",
                hint="NDArrays or Symbols, None, and lists of them",
            )
        )
    parts = [_flatten(one, inout_str) for one in args]
    return [value for flat, _ in parts for value in flat], [form for _, form in parts]


def _regroup(args: Any, fmt: Any) -> Any:
    """Restore the nesting that `_flatten` removed, or nest the outputs of a graph.

    Parameters
    ----------
    args : the arrays in order
    fmt : the nesting, a format of `_flatten`; n is a list of the next n arrays

    Raises
    ------
    ValueError
        if they do not fit
    """
    if not isinstance(fmt, (int, list, tuple)) or not isinstance(args, (list, tuple)):
        return args if fmt == 0 else _refuse(args, fmt)
    left = list(args)

    def take(form: Any) -> Any:
        if isinstance(form, Sequence):
            return [take(one) for one in form]
        if form < -1 or (form < 1 and not left):
            return _refuse(args, fmt)
        if form > 0:
            found = left[:form]
            del left[:form]
            return found
        value = left.pop(0)
        return _refuse(args, fmt) if form == -1 and value is not None else value

    return take(fmt)


def _refuse(args: Any, fmt: Any) -> Any:
    raise CallError(
        describe(
            f"{args!r} cannot be nested as {fmt!r}",
            hint="pass None where the first call had None, and as many arrays as the format names",
        )
    )
