"""Checks that a state fits an optimizer and a parameter, and the sizes of states."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gluonic.graph.dtypes import is_half_width
from gluonic.graph.errors import MismatchError, describe
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.storage.arrays import BaseSparseNDArray
from gluonic.optimizer.base import Optimizer
from gluonic.support.own_code import is_own

_DECISIVE = ("create_state", "create_state_multi_precision", "update")
_DEEPEST, _LONGEST = 3, 8


def require_fit(optimizer: Optimizer, index: Any, state: Any, weight: NDArray | None) -> None:
    """Raise an error unless a loaded state fits an optimizer and a parameter.

    Parameters
    ----------
    optimizer : the optimizer; states of optimizers outside gluonic are not checked
    index : the index or name of the parameter
    state : its state
    weight : the parameter, or None if unknown; then shapes and dtypes are not checked

    Raises
    ------
    MismatchError
        if it does not fit
    """
    if not all(is_own(getattr(type(optimizer), name)) for name in _DECISIVE):
        return
    if weight is not None:
        needed = [_form(_new_state(optimizer, index, weight))]
        found = _form(state)
    else:
        examples = [NDArray(np.zeros((1, 1), dtype)) for dtype in (np.float32, np.float16)]
        needed = [_structure(_new_state(optimizer, index, example)) for example in examples]
        found = _structure(state)
    if found not in needed:
        name = optimizer.idx2name.get(index, index)
        raise MismatchError(
            describe(
                f"the state of parameter {name!r} is not what {type(optimizer).__name__} keeps of it",
                facts=[f"it is {found}", f"it must be {' or '.join(dict.fromkeys(needed))}"],
                hint="the optimizer, settings and net that the states were saved of",
            )
        )


def _new_state(optimizer: Optimizer, index: Any, weight: NDArray) -> Any:
    if is_half_width(np.dtype(weight.dtype)) and not optimizer.multi_precision:
        return optimizer.create_state(index, weight)  # the other would warn
    return optimizer.create_state_multi_precision(index, weight)


def _form(state: Any, depth: int = 0) -> str:
    """The structure of a state, with shapes and dtypes, in words."""
    if isinstance(state, NDArray):
        kind = "" if state.stype == "default" else f"{state.stype} "
        return f"{kind}{np.dtype(state.dtype)} {state.shape}"
    return _nested(state, _form, depth)


def _structure(state: Any, depth: int = 0) -> str:
    """The structure of a state, in words."""
    return "an array" if isinstance(state, NDArray) else _nested(state, _structure, depth)


def _nested(state: Any, of_part: Callable[[Any, int], str], depth: int) -> str:
    if not isinstance(state, (tuple, list)):
        return "None" if state is None else f"a {type(state).__name__}"
    if depth == _DEEPEST or len(state) > _LONGEST:  # a file may hold anything
        return "a tuple of many"
    return f"({', '.join(of_part(part, depth + 1) for part in state)})"


def size_of(made: Any) -> int:
    """The bytes of an array, or of text for one."""
    if isinstance(made, BaseSparseNDArray):
        return sum(part.nbytes for part in (made.data.elements, made.indices.elements))
    if isinstance(made, NDArray):
        return int(made.size * np.dtype(made.dtype).itemsize)
    if isinstance(made, (bytes, bytearray)):
        return len(made)
    return made.nbytes if isinstance(made, np.ndarray) else 0
