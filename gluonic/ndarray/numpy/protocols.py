"""NumPy's functions on arrays of `mx.np`: they call the function of `mx.np`, or NumPy's on copies.

A function that `mx.np` lacks is computed by NumPy, unrecorded: it has no gradient. If NumPy arrays are among
the arguments, as in plotting libraries, the results are NumPy arrays, too.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from gluonic.graph.errors import CallError, describe
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.numpy.array import method, ndarray
from gluonic.ndarray.numpy.creation import array
from gluonic.ndarray.numpy.operators import EAGER
from gluonic.ndarray.state import STATE
from gluonic.numpy_functions.table import bound
from gluonic.numpy_functions.ufuncs import MIXING
from gluonic.support.own_code import module_of


@cache
def _functions(room: str) -> Mapping[str, Callable[..., Any]]:
    """The functions of a namespace such as ``"np.linalg"``."""
    return bound(room, EAGER, __package__)


def _own(function: Any) -> Callable[..., Any] | None:
    """The function of `mx.np` that corresponds to one of NumPy's."""
    room = "np.linalg" if module_of(function) == "numpy.linalg" else "np"
    return _functions(room).get(function.__name__)


@method("__array_function__")
def array_function(
    self: ndarray,
    function: Callable[..., Any],
    kinds: Sequence[type],
    inputs: Sequence[Any],
    settings: Mapping[str, Any],
) -> Any:
    """Answer a call of one of NumPy's functions."""
    own = _own(function)
    if own is None:
        return _computed_by_numpy(function, inputs, settings)
    if not all(issubclass(kind, ndarray) for kind in kinds):  # NumPy's arrays among them
        return _of_copies(function, inputs, settings)
    return own(*inputs, **settings)


@method("__array_ufunc__")
def array_ufunc(self: ndarray, ufunc: np.ufunc, how: str, *inputs: Any, **settings: Any) -> Any:
    """Answer a call of one of NumPy's universal functions."""
    if how != "__call__":
        return NotImplemented
    if "out" in settings:
        if len(settings["out"]) != 1:
            raise CallError(f"np.{ufunc.__name__}: out must be one array of mx.np")
        (settings["out"],) = settings["out"]
        if MIXING.is_allowed and isinstance(settings["out"], np.ndarray):
            return _into(settings.pop("out"), array_ufunc(self, ufunc, how, *inputs, **settings))
    own = _own(ufunc)
    if own is None:
        return _computed_by_numpy(ufunc, inputs, settings)
    # in Python's comparisons a NumPy scalar arrives as an array without axes
    operands = [x[()] if isinstance(x, np.ndarray) and not x.ndim else x for x in inputs]
    return own(*operands, **settings)


def _into(target: np.ndarray[Any, Any], result: Any) -> Any:
    """Write a result into an array of NumPy."""
    target[...] = _of_numpy(result)
    return target


def _computed_by_numpy(
    function: Callable[..., Any], inputs: Sequence[Any], settings: Mapping[str, Any]
) -> Any:
    """Call NumPy's function on NumPy's arrays, and convert its results to arrays of `mx.np`."""
    return _of_mx(_of_copies(function, inputs, settings))


def _of_copies(
    function: Callable[..., Any], inputs: Sequence[Any], settings: Mapping[str, Any]
) -> Any:
    """The result of NumPy's function on copies of the arrays."""
    if STATE.recording:
        raise CallError(
            describe(
                f"np.{function.__name__} is computed by NumPy, which records nothing",
                where="autograd.record()",
                hint="call it outside of the recorded part, or under autograd.pause()",
            )
        )
    given = {name: _of_numpy(value) for name, value in settings.items()}
    return function(*_of_numpy(tuple(inputs)), **given)


def _of_numpy(value: Any) -> Any:
    """Convert arrays of `mx.np`, in lists and tuples too, to NumPy's."""
    if isinstance(value, NDArray):
        return value.asnumpy()
    if isinstance(value, (list, tuple)):
        return type(value)([_of_numpy(one) for one in value])
    return value


def _of_mx(value: Any) -> Any:
    """Convert NumPy's arrays, in lists and tuples too, to arrays of `mx.np`; anything else stays."""
    if isinstance(value, np.ndarray):
        return array(value)
    if isinstance(value, (list, tuple)):
        members = [_of_mx(one) for one in value]
        return members if isinstance(value, list) else tuple(members)
    return value
