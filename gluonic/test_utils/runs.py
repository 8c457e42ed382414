"""Repeated runs of symbols: their time, and agreement between contexts and dtypes."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gluonic import autograd
from gluonic import ndarray as nd
from gluonic.graph.errors import AttributeValueError
from gluonic.initializer import Initializer
from gluonic.ndarray import NDArray
from gluonic.test_utils.comparison import assert_almost_equal, default_context


def check_speed(
    sym: Any,
    location: Mapping[str, Any] | None = None,
    ctx: Any = None,
    N: int = 20,
    grad_req: Any = None,
    typ: str = "whole",
    **kwargs: Any,
) -> float:
    """Return the time of one run of a symbol, in seconds.

    Parameters
    ----------
    sym : the symbol
    location : the values of the arguments, by name; random by default
    ctx : the context
    N : number of runs
    grad_req : what to do with gradients
    typ : ``"whole"`` for forward and backward, ``"forward"``
    kwargs : the shapes of the arguments, if `location` is not given
    """
    if typ not in ("whole", "forward"):
        raise AttributeValueError(f"typ must be 'whole' or 'forward', not {typ!r}")
    shapes = kwargs if location is None else {name: x.shape for name, x in location.items()}
    executor = sym.simple_bind(ctx or default_context(), grad_req=grad_req or "write", **shapes)
    for name, array in executor.arg_dict.items():
        array[:] = np.random.normal(size=array.shape) if location is None else location[name]

    def run() -> None:
        executor.forward(is_train=typ == "whole")
        if typ == "whole":
            executor.backward(out_grads=executor.outputs)

    run()
    start = time.perf_counter()
    for _ in range(N):
        run()
    return (time.perf_counter() - start) / N


def check_consistency(
    sym: Any,
    ctx_list: Sequence[Mapping[str, Any]],
    scale: float = 1.0,
    grad_req: Any = "write",
    arg_params: Mapping[str, Any] | None = None,
    aux_params: Mapping[str, Any] | None = None,
    rtol: Any = None,
    atol: Any = None,
    raise_on_err: bool = True,
    ground_truth: Mapping[str, Any] | None = None,
    equal_nan: bool = False,
    use_uniform: bool = False,
    rand_type: Any = np.float64,
) -> dict[str, NDArray]:
    """Compare the outputs and gradients of a symbol on several contexts or in several dtypes.

    Parameters
    ----------
    sym : the symbol, or one for each of `ctx_list`
    ctx_list : arguments of `simple_bind`: ``{"ctx": …, "data": shape, "type_dict": {"data": dtype}}``
    scale : the scale of random arguments
    grad_req : what to do with gradients
    arg_params, aux_params : values of arguments (random by default) and states (0 by default)
    rtol, atol : the tolerances
    raise_on_err : raise an error at the first difference; otherwise print differences
    ground_truth : the reference values; by default those of the run in the most precise dtype
    equal_nan : whether NaN is equal to NaN
    use_uniform : draw arguments from a uniform distribution, not a normal one
    rand_type : the dtype to draw them in

    Returns
    -------
    dict
        the reference values
    """
    symbols = list(sym) if isinstance(sym, (list, tuple)) else [sym] * len(ctx_list)
    runs = [
        _Run(s.simple_bind(grad_req=grad_req, **settings))
        for s, settings in zip(symbols, ctx_list, strict=True)
    ]
    arguments = dict(arg_params or {})
    for name, array in sorted(runs[0].executor.arg_dict.items()):
        if name not in arguments:
            draw = np.random.uniform if use_uniform else np.random.normal
            low, high = (-0.92 * scale, 0.92 * scale) if use_uniform else (0.0, scale)
            arguments[name] = draw(low, high, array.shape).astype(rand_type)
    for run in runs:
        run.set(arguments, aux_params or {}, clear=grad_req == "add")
    best = max(runs, key=lambda run: run.precision)
    heads = None
    for run in (best, *(one for one in runs if one is not best)):
        heads = run.go(grad_req != "null", heads)
    truth = dict(ground_truth) if ground_truth is not None else best.found
    for run in runs:
        if run is best and ground_truth is None:
            continue
        for name, value in truth.items():
            try:
                assert_almost_equal(run.found[name], value, rtol, atol, equal_nan=equal_nan)
            except AssertionError as error:
                if raise_on_err:
                    raise AssertionError(f"{name}: {error}") from None
                print(f"{name}: {error}")
    return truth


class _Run:
    """A bound symbol, and its results."""

    def __init__(self, executor: Any) -> None:
        self.executor = executor
        self.found: dict[str, NDArray] = {}

    @property
    def precision(self) -> int:
        """The size of the elements of the first output."""
        self.executor.forward(is_train=False)
        size: int = np.dtype(self.executor.outputs[0].dtype).itemsize
        return size

    def set(self, arguments: Mapping[str, Any], states: Mapping[str, Any], clear: bool) -> None:
        """Set arguments and states."""
        for name, array in self.executor.arg_dict.items():
            array[:] = arguments[name]
        for name, array in self.executor.aux_dict.items():
            array[:] = states.get(name, 0)
        for array in self.executor.grad_arrays if clear else ():
            if array is not None:
                array[:] = 0

    def go(self, backward: bool, heads: list[Any] | None) -> list[Any]:
        """Run forward, and backward from `heads` (by default the outputs themselves); return these."""
        executor = self.executor
        executor.forward(is_train=False)
        self.found.update({name: x.copy() for name, x in executor.output_dict.items()})
        if backward:
            executor.forward(is_train=True)
            heads = [x.asnumpy() for x in executor.outputs] if heads is None else heads
            executor.backward(
                [
                    nd.array(head, dtype=x.dtype)
                    for head, x in zip(heads, executor.outputs, strict=True)
                ]
            )
            grads = executor.grad_dict.items()
            self.found.update({name: x for name, x in grads if x is not None})
        return heads or []


def check_gluon_hybridize_consistency(
    net_builder: Callable[..., Any],
    data_l: Sequence[NDArray],
    numpy_func: Callable[..., Any] | None = None,
    test_grad: bool = True,
    rtol: float = 1e-4,
    atol: float = 1e-4,
) -> None:
    """Compare the outputs and gradients of an eager block with those of a hybridized one.

    Parameters
    ----------
    net_builder : makes the block, which must not draw random numbers; called with ``prefix=``
    data_l : the inputs
    numpy_func : a NumPy function with the expected output
    test_grad : whether to compare gradients of the inputs
    rtol, atol : the relative and the absolute tolerance
    """
    weights: dict[str, Any] = {}
    expected: Any = None
    for hybridize in (False, True):
        net = net_builder(prefix="net_")
        net.initialize(_Given(weights) if weights else None)
        if hybridize:
            net.hybridize()
        found = _output_and_gradients(net, data_l, test_grad)
        weights = {name: one.data().asnumpy() for name, one in net.collect_params().items()}
        expected = found if expected is None else expected
        for one, other in zip(found, expected, strict=True):
            assert_almost_equal(one, other, rtol, atol)
    if numpy_func is not None:
        wanted = numpy_func(*(array.asnumpy() for array in data_l))
        assert_almost_equal(expected[0], wanted, rtol, atol)


class _Given(Initializer):
    """Initializes parameters with the values of another block's."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__()
        self._values = values

    def __call__(self, desc: str, arr: NDArray) -> None:
        arr[:] = self._values[desc]


def _output_and_gradients(net: Any, data: Sequence[NDArray], test_grad: bool) -> list[Any]:
    """The output of a block, unrecorded and recorded, and the gradients of its inputs."""
    inputs = [array.copy() for array in data]
    output = net(*inputs).asnumpy()
    if not test_grad:
        return [output]
    for array in inputs:
        array.attach_grad()
    with autograd.record():
        recorded = net(*inputs)
    recorded.backward(recorded)
    return [output, recorded.asnumpy(), *(array.grad.asnumpy() for array in inputs)]
