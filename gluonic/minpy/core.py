"""``minpy.core``: functions that compute gradients of functions."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gluonic import autograd
from gluonic.graph.errors import MXNetError, describe
from gluonic.ndarray import NDArray, array

__all__ = ["grad", "grad_and_loss"]


def grad_and_loss(
    func: Callable[..., Any], argnum: int | Sequence[int] = 0
) -> Callable[..., tuple[Any, Any]]:
    """Return a function that computes a gradient and the loss.

    Parameters
    ----------
    func : computes the loss: one array, or a tuple of arrays whose sum is differentiated
    argnum : the argument, or the arguments, to differentiate with respect to

    Returns
    -------
    callable
        takes the arguments of `func`, as NDArrays, NumPy arrays or numbers; returns the gradient (a list of
        gradients for several arguments) and the loss

    Examples
    --------
    >>> gradient, loss = grad_and_loss(lambda x: (x * x).sum())(np.array([1.0, 2.0]))
    >>> gradient.asnumpy(), float(loss)
    (array([2., 4.]), 5.0)
    """
    numbers = [argnum] if isinstance(argnum, int) else list(argnum)

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        given = [_as_array(value) for value in args]
        for number in numbers:
            if not 0 <= number < len(given) or not isinstance(given[number], NDArray):
                raise MXNetError(
                    describe(
                        f"argument {number} is no array", where="grad", hint="argnum counts from 0"
                    )
                )
            given[number] = given[number].detach()
            given[number].attach_grad()
        with autograd.record():
            loss = func(*given, **kwargs)
        heads = list(loss) if isinstance(loss, tuple) else [loss]
        found = autograd.grad(heads, [given[number] for number in numbers])
        gradients = found if isinstance(found, list) else [found]
        return (gradients[0] if isinstance(argnum, int) else gradients), loss

    return wrapped


def _as_array(value: Any) -> Any:
    """An NDArray for NumPy's arrays and for numbers; other values unchanged."""
    if isinstance(value, (np.ndarray, np.number)):
        return array(value, dtype=value.dtype)
    if isinstance(value, float):
        return array([value])
    return value


def grad(func: Callable[..., Any], argnum: int | Sequence[int] = 0) -> Callable[..., Any]:
    """Return a function that computes a gradient.

    Parameters
    ----------
    func : computes the loss
    argnum : the argument, or the arguments, to differentiate with respect to

    Examples
    --------
    >>> grad(lambda x: x**3)(np.array([2.0])).asnumpy()
    array([12.])
    """
    both = grad_and_loss(func, argnum)

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return both(*args, **kwargs)[0]

    return wrapped
