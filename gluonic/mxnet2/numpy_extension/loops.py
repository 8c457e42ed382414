"""`foreach`, `while_loop` and `cond` of MXNet 2.0: the functions of a condition take its inputs."""

from collections.abc import Callable
from typing import Any

from gluonic.mxnet2.traced import while_traced
from gluonic.ndarray import control_flow as of_arrays
from gluonic.symbol import control_flow as of_symbols

__all__ = ["cond", "foreach", "while_loop"]


def foreach(
    body: Callable[..., Any], data: Any, init_states: Any, name: str = "foreach"
) -> tuple[Any, Any]:
    """Run a function on each slice of arrays along the first axis; states pass from step to step.

    Parameters
    ----------
    body : maps a slice, or a list of slices, and states to an output and states
    data : an array, or a list of arrays with first axes of equal length
    init_states : the initial states, an array or nested lists of arrays
    name : the name of the loop in a graph

    Returns
    -------
    outputs : the outputs of all steps, stacked along a new first axis
    states : the last states
    """
    loop = while_traced(of_arrays.foreach, _named(of_symbols.foreach, name))
    return loop(body, data, init_states)  # type: ignore[no-any-return]


def while_loop(
    cond: Callable[..., Any],
    func: Callable[..., Any],
    loop_vars: Any,
    max_iterations: int | None = None,
    name: str = "while_loop",
) -> tuple[Any, Any]:
    """Run a function on loop variables as long as a condition holds.

    Parameters
    ----------
    cond : maps the loop variables to whether to continue
    func : maps the loop variables to an output (None for none) and new loop variables
    loop_vars : the initial loop variables, an array or a list of them
    max_iterations : the largest number of steps
    name : the name of the loop in a graph

    Returns
    -------
    outputs : the outputs of all steps, stacked along a new first axis of length `max_iterations`; what comes
        after the last step is undefined
    loop_vars : their last values
    """
    loop = while_traced(of_arrays.while_loop, _named(of_symbols.while_loop, name))
    return loop(cond, func, loop_vars, max_iterations)  # type: ignore[no-any-return]


def cond(
    pred: Any,
    then_func: Callable[..., Any],
    else_func: Callable[..., Any],
    inputs: Any = (),
    name: str = "cond",
) -> Any:
    """Run one of two functions.

    Parameters
    ----------
    pred : an array of one element, or a function of the inputs that returns one: whether to run the first
    then_func, else_func : functions of the inputs
    inputs : an array, or a list of arrays
    name : the name of the choice in a graph
    """
    given = inputs if isinstance(inputs, (list, tuple)) else (inputs,)
    choose = while_traced(of_arrays.cond, _named(of_symbols.cond, name))
    chosen = pred(*given) if callable(pred) else pred
    return choose(chosen, lambda: then_func(*given), lambda: else_func(*given))


def _named(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """A loop of symbols with a name."""
    return lambda *arguments: function(*arguments, name=name)
