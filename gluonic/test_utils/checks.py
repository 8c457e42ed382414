"""Checks of the outputs of symbols, and of their gradients."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gluonic import ndarray as nd
from gluonic import symbol as sym_namespace
from gluonic.graph.errors import AttributeValueError, describe
from gluonic.ndarray import NDArray
from gluonic.test_utils.comparison import (
    as_numpy,
    assert_almost_equal,
    default_context,
    default_numeric_eps,
    get_tolerance,
)

Values = Mapping[str, Any] | Sequence[Any] | None


def simple_forward(sym: Any, ctx: Any = None, is_train: bool = False, **inputs: Any) -> Any:
    """Return the outputs of a symbol as NumPy arrays: one, or a list of several.

    Parameters
    ----------
    sym : the symbol
    ctx : the context
    is_train : whether to behave as in training
    inputs : the arguments, as NumPy arrays
    """
    arrays = {name: nd.array(value) for name, value in inputs.items()}
    executor = sym.bind(ctx or default_context(), args=arrays)
    executor.forward(is_train=is_train)
    outputs = [output.asnumpy() for output in executor.outputs]
    return outputs[0] if len(outputs) == 1 else outputs


def _named(names: Sequence[str], values: Values, dtype: Any, ctx: Any) -> dict[str, NDArray]:
    """Return values by name as NDArrays."""
    if isinstance(values, Mapping):
        if set(values) != set(names):
            raise AttributeValueError(
                describe(
                    "the values given are not those that the symbol needs",
                    facts=[f"given: {sorted(values)}", f"needed: {sorted(names)}"],
                )
            )
        pairs: Any = sorted(values.items())
    else:
        pairs = zip(names, values or (), strict=False)
    return {name: _array(value, dtype, ctx) for name, value in pairs}


def _array(value: Any, dtype: Any, ctx: Any) -> NDArray:
    if isinstance(value, NDArray):
        return value
    value = np.asarray(value)
    return nd.array(value, ctx=ctx, dtype=value.dtype if dtype == "asnumpy" else dtype)


def _buffer(array: NDArray, name: str, stypes: Any) -> NDArray:
    """The buffer of a gradient, in the requested storage type."""
    stype = (stypes or {}).get(name)
    return array if stype in (None, "default") else array.tostype(stype)


def _requests(names: Sequence[str], given: Any) -> dict[str, str]:
    if isinstance(given, str):
        return dict.fromkeys(names, given)
    if isinstance(given, Mapping):
        return dict(given)
    return dict(zip(names, given, strict=True))


def numeric_grad(
    executor: Any,
    location: dict[str, Any],
    aux_states: Mapping[str, Any] | None = None,
    eps: float = 1e-4,
    use_forward_train: bool = True,
    dtype: Any = np.float32,
) -> dict[str, Any]:
    """Return the gradients of the sum of an executor's first output, by central differences.

    Parameters
    ----------
    executor : the bound symbol
    location : the values of its arguments, NumPy arrays by name
    aux_states : the values of its auxiliary states, set before each run
    eps : the step
    use_forward_train : whether to run as in training
    dtype : the dtype of the gradients
    """

    def total(name: str, value: Any) -> float:
        executor.arg_dict[name][:] = value
        for state, content in (aux_states or {}).items():
            executor.aux_dict[state][:] = content
        executor.forward(is_train=use_forward_train)
        return float(executor.outputs[0].asnumpy().sum(dtype=np.float64))

    for name, value in location.items():
        executor.arg_dict[name][:] = value
    gradients = {}
    for name, value in location.items():
        base = np.array(value, order="C")
        gradients[name] = np.zeros(base.shape, dtype)
        if base.dtype.kind != "f":
            continue
        for index in range(base.size):
            ends = []
            for sign in (0.5, -0.5):
                moved = base.copy()
                moved.ravel()[index] += sign * eps
                ends.append(total(name, moved))
            gradients[name].ravel()[index] = (ends[0] - ends[1]) / eps
        executor.arg_dict[name][:] = base
    return gradients


def check_numeric_gradient(
    sym: Any,
    location: Values,
    aux_states: Values = None,
    numeric_eps: Any = None,
    rtol: Any = None,
    atol: Any = None,
    grad_nodes: Any = None,
    use_forward_train: bool = True,
    ctx: Any = None,
    grad_stype_dict: Any = None,
    dtype: Any = np.float32,
) -> None:
    """Compare the gradients of a symbol with central differences.

    Parameters
    ----------
    sym : the symbol, with one output, which is weighted by random numbers
    location : the values of the arguments, by name or in order
    aux_states : the values of the auxiliary states, by name or in order
    numeric_eps : the step of the differences
    rtol, atol : the tolerances
    grad_nodes : the arguments to check: names, or requests by name; all by default
    use_forward_train : whether to compute the differences in training mode
    ctx : the context
    grad_stype_dict : the storage types of gradients by name; dense by default
    dtype : the dtype

    Raises
    ------
    AssertionError
        if they differ
    """
    ctx = ctx or default_context()
    values = _named(sym.list_arguments(), location, dtype, ctx)
    states = None
    if aux_states is not None:
        states = _named(sym.list_auxiliary_states(), aux_states, dtype, ctx)
    requests = _requests(
        sym.list_arguments() if grad_nodes is None else list(grad_nodes),
        grad_nodes if isinstance(grad_nodes, Mapping) else "write",
    )
    _, (shape, *_), _ = sym.infer_shape(**{name: value.shape for name, value in values.items()})
    weights = "__random_proj"
    loss = sym_namespace.make_loss(sym * sym_namespace.var(weights))
    values[weights] = nd.array(np.random.rand(*shape) + 0.1, ctx=ctx, dtype=dtype)
    before = {name: np.random.normal(0, 0.01, values[name].shape) for name in (*requests, weights)}
    executor = loss.bind(
        ctx,
        grad_req={**requests, weights: "write"},
        args=values,
        args_grad={
            name: _buffer(nd.array(x, ctx=ctx, dtype=dtype), name, grad_stype_dict)
            for name, x in before.items()
        },
        aux_states=states,
    )
    points = {name: value.asnumpy() for name, value in values.items() if name != weights}
    kept = None if states is None else {name: value.asnumpy() for name, value in states.items()}
    executor.forward(is_train=True)
    step = get_tolerance(executor.outputs[0], numeric_eps, default_numeric_eps())
    executor.backward()
    expected = numeric_grad(executor, points, kept, step, use_forward_train, dtype)
    for name, request in requests.items():
        found = executor.grad_dict[name].asnumpy()
        _compare(request, expected[name], found, before[name], rtol, atol, "NUMERICAL", name)


def _compare(
    request: str,
    expected: Any,
    found: Any,
    before: Any,
    rtol: Any,
    atol: Any,
    what: str,
    name: str,
    equal_nan: bool = False,
) -> None:
    """Compare a gradient with the expected one, given the previous content of its buffer."""
    names = (f"{what}_{name}", f"BACKWARD_{name}")
    if request == "add":
        found = found - before.astype(found.dtype)
    elif request == "null":
        expected = before
    elif request != "write":
        raise AttributeValueError(f"{name}: grad_req must be write, add or null, not {request!r}")
    assert_almost_equal(expected, found, rtol, atol, names, equal_nan=equal_nan)


def check_symbolic_forward(
    sym: Any,
    location: Values,
    expected: Any,
    rtol: Any = None,
    atol: Any = None,
    aux_states: Values = None,
    ctx: Any = None,
    equal_nan: bool = False,
    dtype: Any = np.float32,
) -> list[NDArray]:
    """Compare the outputs of a symbol with what is expected.

    Parameters
    ----------
    sym : the symbol
    location : the values of the arguments, by name or in order
    expected : the outputs, by name or in order
    rtol, atol : the tolerances
    aux_states : the values of the auxiliary states, by name or in order
    ctx : the context
    equal_nan : whether NaN is equal to NaN
    dtype : the dtype, or ``"asnumpy"`` for that of each value

    Returns
    -------
    list
        the outputs

    Raises
    ------
    AssertionError
        if they differ
    """
    ctx = ctx or default_context()
    executor = sym.bind(
        ctx,
        args=_named(sym.list_arguments(), location, dtype, ctx),
        aux_states=_named(sym.list_auxiliary_states(), aux_states, dtype, ctx),
    )
    executor.forward(is_train=False)
    names = sym.list_outputs()
    if isinstance(expected, Mapping):
        expected = [expected[name] for name in names]
    for name, value, output in zip(names, expected, executor.outputs, strict=False):
        assert_almost_equal(
            value, output, rtol, atol, (f"EXPECTED_{name}", f"FORWARD_{name}"), equal_nan=equal_nan
        )
    outputs: list[NDArray] = executor.outputs
    return outputs


def check_symbolic_backward(
    sym: Any,
    location: Values,
    out_grads: Any,
    expected: Any,
    rtol: Any = None,
    atol: Any = None,
    aux_states: Values = None,
    grad_req: Any = "write",
    ctx: Any = None,
    grad_stypes: Any = None,
    equal_nan: bool = False,
    dtype: Any = np.float32,
) -> dict[str, NDArray]:
    """Compare the gradients of a symbol with expected ones.

    Parameters
    ----------
    sym : the symbol
    location : the values of the arguments, by name or in order
    out_grads : the gradients of the outputs, by name or in order; None for losses
    expected : the gradients of the arguments, by name or in order
    rtol, atol : the tolerances
    aux_states : the values of the auxiliary states, by name or in order
    grad_req : what to do with gradients: one request for all, or by name or in order
    ctx : the context
    grad_stypes : the storage types of gradients by name; dense by default
    equal_nan : whether NaN is equal to NaN
    dtype : the dtype, or ``"asnumpy"`` for that of each value

    Returns
    -------
    dict
        the gradients by name

    Raises
    ------
    AssertionError
        if they differ
    """
    ctx, names = ctx or default_context(), sym.list_arguments()
    if not isinstance(expected, Mapping):
        expected = dict(zip(names, expected, strict=False))
    before = {name: np.random.normal(size=as_numpy(x).shape) for name, x in expected.items()}
    buffers = {}
    for name, drawn in before.items():
        kind = as_numpy(expected[name]).dtype if dtype == "asnumpy" else dtype
        buffers[name] = _buffer(nd.array(drawn, ctx=ctx, dtype=kind), name, grad_stypes)
    requests = _requests(names, grad_req)
    executor = sym.bind(
        ctx,
        args=_named(names, location, dtype, ctx),
        args_grad=buffers,
        aux_states=_named(sym.list_auxiliary_states(), aux_states, dtype, ctx),
        grad_req=requests,
    )
    executor.forward(is_train=True)
    if isinstance(out_grads, Mapping):
        out_grads = {name: _array(value, dtype, ctx) for name, value in out_grads.items()}
    elif out_grads is not None:
        out_grads = [_array(value, dtype, ctx) for value in out_grads]
    executor.backward(out_grads)
    for name, value in expected.items():
        found = buffers[name].asnumpy()
        _compare(
            requests[name], value, found, before[name], rtol, atol, "EXPECTED", name, equal_nan
        )
    return buffers
