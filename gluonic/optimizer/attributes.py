"""Checks of the attributes of optimizers and learning rate schedulers that are read from a file."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gluonic.graph.errors import FileFormatError, MXNetError
from gluonic.lr_scheduler import LRScheduler
from gluonic.ndarray.array import NDArray
from gluonic.support.own_code import is_own

_LARGEST = 1 << 60
_LATER = {
    "_all_index_update_counts",
    "_step_of_lr",
    "aggregate_num",
    "allow_np_array",
    "final_lr",
    "lazy_update",
    "max_steps",
    "multi_precision",
    "param_dict",
    "warmup_begin_lr",
    "warmup_final_lr",
    "warmup_mode",
    "warmup_steps",
}
"""Attributes that older versions, or all versions, of MXNet lack."""


def checked_attributes(kind: type, found: dict[str, Any]) -> dict[str, Any]:
    """Return the attributes for an optimizer or scheduler that is described in a file.

    Parameters
    ----------
    kind : its class
    found : the attributes by name

    Raises
    ------
    FileFormatError
        if some are missing, or have an invalid value. Those that a program's own class
        adds are not checked
    """
    known = next(base for base in kind.__mro__ if is_own(base))
    usual = _of_scheduler(known, found) if issubclass(known, LRScheduler) else vars(known())
    missing = usual.keys() - found.keys() - _LATER
    if missing:
        raise FileFormatError(f"a {kind.__name__} lacks {', '.join(sorted(missing))}")
    for name in usual.keys() & found.keys():
        if not _is_like(name, usual[name], found[name]):
            raise _wrong(kind, name, found[name])
    for name in found.keys() - usual.keys():
        if callable(getattr(kind, name, None)):  # it would hide a method
            raise _wrong(kind, name, found[name])
    if "lr" in found and found["lr"] is None and found["lr_scheduler"] is None:
        raise FileFormatError(f"a {kind.__name__} has no learning rate")
    if (
        kind is known and "aggregate_num" in usual
    ):  # the way updates are called, which differs from MXNet
        found = {**found, "aggregate_num": usual["aggregate_num"]}
    if "_all_index_update_counts" in usual and "_all_index_update_counts" not in found:
        found = {**found, "_all_index_update_counts": {0: found["_index_update_count"]}}
    return {**usual, **found}


def _wrong(kind: type, name: str, value: Any) -> FileFormatError:
    shown = value if _is_number(value) else f"a {type(value).__name__}"
    return FileFormatError(f"{name} of a {kind.__name__} cannot be {shown}")


def _of_scheduler(kind: type, found: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes of a new scheduler with the arguments of the one in the file."""
    given = {}
    for name, parameter in inspect.signature(kind).parameters.items():
        for stored in ("warmup_final_lr", name) if name == "base_lr" else (name,):
            stored = _STORED_AS.get(stored, stored)
            if stored in found:
                given[name] = found[stored]
                if parameter.annotation in (int, float) and not _is_number(found[stored]):
                    raise _wrong(kind, stored, found[stored])
                break
    try:
        usual: dict[str, Any] = vars(kind(**given))
    except (MXNetError, TypeError) as error:
        raise FileFormatError(
            f"there is no {kind.__name__} with {', '.join(given)} as they are: {error.args[0]}"
        ) from error
    return usual


_STORED_AS = {"pwr": "power"}


# ------------------------------------------------------------------------------------------- kinds


def _is_like(name: str, usual: Any, value: Any) -> bool:
    """Whether a value is valid for an attribute of which a usual value is known."""
    if name in _KINDS:
        return _KINDS[name](value)
    if usual is None:
        return value is None or _is_number(value)
    if isinstance(usual, bool):
        return isinstance(value, np.bool_) or (_is_number(value) and value in (0, 1))
    return _is_number(value) if isinstance(usual, (int, float)) else type(value) is type(usual)


def _is_number(value: Any) -> bool:
    if isinstance(value, (int, np.integer)):
        return abs(int(value)) < _LARGEST
    return isinstance(value, (float, np.floating))


def _is_count(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and 0 <= int(value) < _LARGEST


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _dictionary_of(is_value: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda found: isinstance(found, dict) and all(map(is_value, found.values()))


def _is_sum(value: Any) -> bool:
    """Whether a value is `LBSGD`'s sum for a parameter: gradients, and the number of their batches."""
    return (
        isinstance(value, dict)
        and value.keys() == {"cum_grad", "num_cums"}
        and (isinstance(value["cum_grad"], NDArray) or _is_number(value["cum_grad"]))
        and _is_count(value["num_cums"])
    )


def _is_symbol(value: Any) -> bool:
    """Whether a value holds the attributes of a symbol's nodes, and the names of its arguments; or nothing."""
    if not isinstance(value, tuple) or not value:
        return isinstance(value, tuple)
    return (
        len(value) == 2
        and _dictionary_of(_dictionary_of(_is_text))(value[0])
        and isinstance(value[1], list)
        and all(map(_is_text, value[1]))
    )


_KINDS: dict[str, Callable[[Any], bool]] = {
    "_all_index_update_counts": _dictionary_of(_dictionary_of(_is_count)),
    "_index_update_count": _dictionary_of(_is_count),
    "begin_num_update": _is_count,
    "count": lambda value: _is_number(value) and 0 <= value < _LARGEST,
    "cur_step_ind": _is_count,
    "cumgrads": _dictionary_of(_is_sum),
    "idx2name": _dictionary_of(_is_text),
    "lr": lambda value: value is None or _is_number(value),
    "lr_mult": _dictionary_of(_is_number),
    "lr_scheduler": lambda value: value is None or isinstance(value, LRScheduler),
    "num_update": _is_count,
    "sym_info": _is_symbol,
    "wd_mult": _dictionary_of(_is_number),
}
"""Tests of the values of attributes by name, if these do not follow from a usual value."""
