"""``mx.contrib.autograd``: older names for the functions of `mx.autograd`."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

from gluonic import autograd
from gluonic.autograd import mark_variables
from gluonic.ndarray import NDArray, zeros_like
from gluonic.ndarray.state import STATE

__all__ = [
    "NDArray",
    "TrainingStateScope",
    "backward",
    "compute_gradient",
    "grad",
    "grad_and_loss",
    "mark_variables",
    "set_is_training",
    "test_section",
    "train_section",
]


def set_is_training(is_train: bool) -> bool:
    """Switch recording in training mode on or off; returns whether training mode was on."""
    before = STATE.training
    STATE.recording = STATE.training = bool(is_train)
    return before


class TrainingStateScope:
    """Record in training mode in the ``with`` block, or do neither; the old state is restored afterwards.

    Parameters
    ----------
    enter_state : whether to record
    """

    def __init__(self, enter_state: bool) -> None:
        self._enter_state = bool(enter_state)

    def __enter__(self) -> None:
        self._before = STATE.recording, STATE.training
        set_is_training(self._enter_state)

    def __exit__(self, *error: object) -> None:
        STATE.recording, STATE.training = self._before


def train_section() -> TrainingStateScope:
    """Record what is computed in the ``with`` block, in training mode."""
    return TrainingStateScope(True)


def test_section() -> TrainingStateScope:
    """Record nothing in the ``with`` block, and leave training mode."""
    return TrainingStateScope(False)


def backward(outputs: Any, out_grads: Any = None, retain_graph: bool = False) -> None:
    """Compute the gradients of `outputs` with respect to all variables.

    Parameters
    ----------
    outputs : an array or several
    out_grads : the gradients that flow into them; ones by default
    retain_graph : whether to keep the graph for another call
    """
    autograd.backward(outputs, out_grads, retain_graph)


def compute_gradient(outputs: Any) -> None:
    """Compute the gradients of `outputs` with respect to all variables."""
    backward(outputs)


def grad_and_loss(
    func: Callable[..., Any], argnum: int | Sequence[int] | None = None
) -> Callable[..., tuple[list[NDArray], Any]]:
    """Return a function that computes the gradients of `func` and its value.

    Parameters
    ----------
    func : a function of NDArrays that returns one or several
    argnum : the positions of the arguments to differentiate by; all by default
    """

    @functools.wraps(func)
    def wrapped(*arguments: Any) -> tuple[list[NDArray], Any]:
        variables = list(arguments)
        if argnum is not None:
            numbers = [argnum] if isinstance(argnum, int) else argnum
            variables = [arguments[number] for number in numbers]
        for variable in variables:
            if not isinstance(variable, NDArray):
                raise TypeError(f"gradients are with respect to NDArrays, not {variable!r}")
        gradients = [zeros_like(variable) for variable in variables]
        mark_variables(variables, gradients)
        with train_section():
            outputs = func(*arguments)
        compute_gradient(outputs)
        return gradients, outputs

    return wrapped


def grad(
    func: Callable[..., Any], argnum: int | Sequence[int] | None = None
) -> Callable[..., list[NDArray]]:
    """Return a function that computes the gradients of `func`; see `grad_and_loss`."""
    both = grad_and_loss(func, argnum)

    @functools.wraps(func)
    def wrapped(*arguments: Any) -> list[NDArray]:
        return both(*arguments)[0]

    return wrapped
