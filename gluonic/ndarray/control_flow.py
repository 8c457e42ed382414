"""Loops and branches over arrays: ``nd.contrib.foreach``, ``while_loop`` and ``cond``."""

from collections.abc import Callable, Sequence
from typing import Any

from gluonic.graph import REGISTRY
from gluonic.graph.errors import describe
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.creation import zeros
from gluonic.ndarray.invoke import invoke

Nested = Any  # an NDArray, or a list or tuple of nested values


def _flatten(nested: Nested, what: str) -> tuple[list[NDArray], Any]:
    """The arrays of a nested list, and its structure: None for an array, a list of structures for a list."""
    if isinstance(nested, NDArray):
        return [nested], None
    if not isinstance(nested, (list, tuple)):
        kind = type(nested).__name__
        raise AssertionError(
            describe(f"must be a (nested) list of NDArrays, not {kind}", where=what)
        )
    arrays: list[NDArray] = []
    forms = []
    for part in nested:
        found, form = _flatten(part, what)
        arrays += found
        forms.append(form)
    return arrays, forms


def _regroup(arrays: Sequence[NDArray], form: Any) -> Nested:
    """The arrays in the structure that `_flatten` found."""
    rest = iter(arrays)

    def take(form: Any) -> Nested:
        return next(rest) if form is None else [take(part) for part in form]

    return take(form)


def _stack(arrays: Sequence[NDArray]) -> NDArray:
    return invoke(REGISTRY["stack"].apply({"num_args": len(arrays)}), arrays)[0]


def foreach(
    body: Callable[[Nested, Nested], tuple[Nested, Nested]], data: Nested, init_states: Nested
) -> tuple[Nested, Nested]:
    """Run a function on each slice of arrays along the first axis; states pass from call to call.

    Parameters
    ----------
    body : maps a slice (a list of slices, if `data` is a list) and states to an output and states
    data : an array, or a list of arrays with first axes of equal length
    init_states : the initial states, an array or nested lists of arrays

    Returns
    -------
    outputs : the outputs of all calls, stacked along a new first axis
    states : the last states

    Examples
    --------
    >>> from gluonic import nd
    >>> total, last = foreach(lambda x, s: (x + s, x + s), nd.array([1, 2, 3]), nd.array([0]))
    >>> total.asnumpy().ravel().tolist()
    [1.0, 3.0, 6.0]
    """
    arrays, _ = _flatten(data, "foreach: data")
    _flatten(init_states, "foreach: init_states")
    single = isinstance(data, NDArray)
    states, outputs, form = init_states, [], None
    for index in range(len(arrays[0])):
        part = data[index] if single else [x[index] for x in data]
        out, states = body(part, states)
        flat, form = _flatten(out, "foreach: the output of body")
        outputs.append(flat)
    stacked = [_stack(members) for members in zip(*outputs, strict=True)]
    return _regroup(stacked, form) if outputs else [], states


def _number(value: Any, kind: type, what: str) -> Any:
    try:
        return kind(value.asnumpy().item() if hasattr(value, "asnumpy") else value)
    except (TypeError, ValueError):
        raise ValueError(f"Cannot convert {what} to python {kind.__name__}: {value!r}") from None


def while_loop(
    cond: Callable[..., Any],
    func: Callable[..., tuple[Nested, Nested]],
    loop_vars: Any,
    max_iterations: int | None = None,
) -> tuple[Nested, Nested]:
    """Run a function on loop variables as long as a condition holds.

    Parameters
    ----------
    cond : maps the loop variables to whether to continue
    func : maps the loop variables to an output (None for none) and new loop variables
    loop_vars : the initial loop variables, an array or a list of them
    max_iterations : largest number of calls of `func`

    Returns
    -------
    outputs : the outputs of all calls, stacked along a new first axis of length `max_iterations`; what
        comes after the last call is undefined
    loop_vars : their last values
    """
    if max_iterations is None:
        raise ValueError("max_iterations should be specified")
    limit = _number(max_iterations, int, "max_iterations")
    single = isinstance(loop_vars, NDArray)
    variables = [loop_vars] if single else list(loop_vars)
    if not variables:
        raise ValueError("loop_vars should contain at least one element")
    steps: list[list[NDArray]] = []
    form: Any = []
    while len(steps) < limit and _number(cond(*variables), bool, "Return value of cond"):
        output, variables = _step(func, variables)
        flat, form = _flatten(output, "while_loop: the output of func")
        steps.append(flat)
        if len(flat) != len(steps[0]):
            raise ValueError("Number of elements in step_output should be the same in each step")
    stacked = [_padded(members, limit) for members in zip(*steps, strict=True)]
    return _regroup(stacked, form), variables[0] if single else variables


def _step(func: Callable[..., Any], variables: list[NDArray]) -> tuple[Nested, list[NDArray]]:
    output, new = func(*variables)
    listed = [] if new is None else list(new) if isinstance(new, (list, tuple)) else [new]
    if len(listed) != len(variables):
        raise ValueError("The length of loop_vars should be consistent during the loop")
    return [] if output is None else output, listed


def _padded(members: Sequence[NDArray], length: int) -> NDArray:
    shapes = {x.shape for x in members}
    if len(shapes) > 1:
        raise ValueError(f"Shapes of elements in step_outputs are inconsistent: {sorted(shapes)}")
    stacked = _stack(members)
    if len(members) == length:
        return stacked
    rest = zeros((length - len(members), *stacked.shape[1:]), stacked.context, stacked.dtype)
    return invoke(REGISTRY["Concat"].apply({"num_args": 2, "dim": 0}), (stacked, rest))[0]


def cond(pred: Any, then_func: Callable[[], Nested], else_func: Callable[[], Nested]) -> Nested:
    """Run one of two functions.

    Parameters
    ----------
    pred : a number, or an array of one element: whether to run the first
    then_func, else_func : functions without arguments
    """
    return then_func() if _number(pred, bool, "pred") else else_func()
