"""Eager calls of operators: check the inputs, run the kernel, wrap the results, record them."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from gluonic.codegen import latest_call, may_repay_compiling
from gluonic.graph import (
    REGISTRY,
    Application,
    Array,
    Operator,
    Signature,
    shapes_and_dtypes,
)
from gluonic.graph.attributes import REQUIRED
from gluonic.graph.calling import OTHER_KINDS
from gluonic.graph.conforming import own
from gluonic.graph.errors import MXNetError, describe, replacing
from gluonic.graph.events import EVENTS
from gluonic.graph.kernel_runs import ARRAY_ERRORS, signature_of
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.kernels import OutputType, compute, conformed
from gluonic.ndarray.numpy_class import numpy_array
from gluonic.ndarray.recording import OperatorRecord, record, wrap
from gluonic.ndarray.state import STATE, current_run
from gluonic.ndarray.storage.dispatch import (
    OF_DENSE,
    gives_sparse,
    has_its_own_way,
    invoke_elsewhere,
    invoke_stored,
)
from gluonic.support.caches import Cache
from gluonic.support.suppress_fp_warnings import QUIET

__all__ = ["EAGER", "Fast", "NotAnArrayError", "fast_call", "invoke", "own", "wrap"]

Fast: TypeAlias = Callable[..., NDArray]

_new = NDArray.__new__


class NotAnArrayError(MXNetError, TypeError, AssertionError):
    """An input of an operator is not an NDArray."""


def invoke(
    application: Application,
    inputs: Sequence[NDArray],
    expected: Signature | None = None,
    kind: type[NDArray] | None = None,
) -> list[NDArray]:
    """Run an operator on arrays now.

    Parameters
    ----------
    application : the operator with its attributes
    inputs : the arrays that it reads, including those that it updates
    expected : the outputs' shapes and dtypes, if they are known already
    kind : the class of the outputs; by default it follows from the operator and the inputs

    Returns
    -------
    list
        its outputs, hidden ones included

    Raises
    ------
    MXNetError
        if the operator does not accept the arrays
    """
    arrays = data_of(application, inputs)
    if arrays is None:
        return invoke_elsewhere(application, inputs, kind)
    if application.op.name in OF_DENSE and gives_sparse(application):
        return invoke_stored(application, inputs)
    if expected is None:
        expected = signature_of(application, arrays)
    if kind is None:
        kind = result_class(application, inputs)
    outputs = []
    context = inputs[0].stated_context if inputs else None
    for array in compute(application, arrays, expected):
        made = _new(kind)
        made.elements, made.stated_context = array, context
        made.tape_entry = made.last_reader = None
        outputs.append(made)
    if STATE.recording:
        record(application, inputs, arrays, outputs)
    return outputs


def result_class(application: Application, inputs: Sequence[NDArray]) -> type[NDArray]:
    """The class of an operator's results: that of `mx.np` if it is an operator of `mx.np`, or an input is."""
    if application.of_numpy:
        return numpy_array()  # type: ignore[no-any-return]
    for x in inputs:
        if type(x) is not NDArray and x.of_numpy:
            return numpy_array()  # type: ignore[no-any-return]
    return NDArray


def all_dense(inputs: Sequence[Any]) -> bool:
    """Whether all inputs are dense arrays of `mx.nd`."""
    for x in inputs:  # noqa: SIM110 (a generator takes twice as long)
        if type(x) is not NDArray:
            return False
    return True


def data_of(application: Application, inputs: Sequence[NDArray]) -> list[Array] | None:
    """The NumPy arrays of an operator's inputs, None if one has none; checks the kinds and the number."""
    arrays = None
    try:
        arrays = [x.elements for x in inputs]
    except AttributeError:
        if not all(isinstance(x, NDArray) for x in inputs):
            raise NotAnArrayError(_not_arrays(application, inputs)) from None
    if len(inputs) != len(application.inputs):
        raise MXNetError(_wrong_count(application, inputs))
    return arrays


def _not_arrays(application: Application, inputs: Sequence[Any]) -> str:
    name, value = next(
        (name, x)
        for name, x in zip((*application.inputs, *["input"] * len(inputs)), inputs, strict=False)
        if not isinstance(x, NDArray)
    )
    return describe(
        f"Argument {name} must have NDArray type, but is {type(value).__name__}",
        where=application.op.name,
        hint=OTHER_KINDS.get(("NDArray", type(value).__name__), "mx.nd.array(value)"),
    )


def _wrong_count(application: Application, inputs: Sequence[Any]) -> str:
    names = ", ".join(application.inputs) or "none"
    return describe(
        f"takes {len(application.inputs)} inputs ({names}), not {len(inputs)}",
        where=application.op.name,
    )


def fast_call(application: Application, kind: type[NDArray] = NDArray) -> Fast | None:
    """A function of some arrays that is equivalent to `invoke`, with little overhead.

    None if the operator needs more than its kernel and one output. The function raises
    AttributeError or TypeError before it has done anything if its arguments are not NDArrays.

    Parameters
    ----------
    application : the operator with its attributes
    kind : the class of the result
    """
    op = application.op
    simple = (
        len(application.outputs) == 1
        and op.run_name is None
        and not op.dynamic
        and not application.states
        and application.filler is None
        and not op.calls_back
    )
    if not simple or not application.inputs:
        return None
    makers: dict[int, Callable[[Application, type[NDArray]], Fast]] = {1: _unary, 2: _binary}
    return makers.get(len(application.inputs), _several)(application, kind)


_quick: Cache[Application, Fast | None] = Cache()


def quick_call(application: Application) -> Fast | None:
    """The cached result of `fast_call` for dense arrays of `mx.nd`; None if there is no fast path."""
    try:
        return _quick[application]
    except KeyError:
        pass
    long = application.of_numpy or has_its_own_way(application.op.name) or gives_sparse(application)
    found = None
    if not long:
        found = fast_call(application)
        if application.weights and application.visible == 1:
            found = _of_layer(application, found)
    return _quick.remember(application, found)


# `_unary` and `_binary` differ only in the number of arguments: a loop over them would cost half the call.


def _unary(application: Application, kind: type[NDArray]) -> Fast:
    kernel = application.call
    known: Cache[Any, OutputType] = Cache()

    def call(x: NDArray) -> NDArray:
        data = x.elements
        if EVENTS.imperative:
            return invoke(application, (x,), None, kind)[0]
        key = data.shape, data.dtype
        expected = known.get(key)
        if expected is None:
            if data.dtype.kind == "V" or may_repay_compiling(application, (data,)):  # V: bfloat16
                return invoke(application, (x,), None, kind)[0]
            expected = known.remember(key, _output_type(application, (data,)))
        try:
            result = QUIET.run(kernel, data)
        except (RuntimeError, MemoryError, *ARRAY_ERRORS):
            return replacing(invoke, application, (x,), None, kind)[0]
        if (
            type(result) is not np.ndarray
            or result.base is not None
            or result is data
            or result.dtype is not expected[1]
            or result.shape != expected[0]
            or not result.flags.carray
        ):
            result = conformed(result, application, (data,), expected)
        made = _new(kind)
        made.elements, made.stated_context = result, x.stated_context
        made.tape_entry = made.last_reader = None
        if STATE.recording and x.tape_entry is not None:
            record(application, (x,), [data], (made,))
        return made

    return call


def _binary(application: Application, kind: type[NDArray]) -> Fast:
    kernel = application.call
    known: Cache[Any, OutputType] = Cache()

    def call(x: NDArray, y: NDArray) -> NDArray:
        a, b = x.elements, y.elements
        if EVENTS.imperative:
            return invoke(application, (x, y), None, kind)[0]
        key = a.shape, b.shape, a.dtype, b.dtype
        expected = known.get(key)
        if expected is None:
            if (
                a.dtype.kind == "V"
                or b.dtype.kind == "V"
                or may_repay_compiling(application, (a, b))
            ):
                return invoke(application, (x, y), None, kind)[0]
            expected = known.remember(key, _output_type(application, (a, b)))
        try:
            result = QUIET.run(kernel, a, b)
        except (RuntimeError, MemoryError, *ARRAY_ERRORS):
            return replacing(invoke, application, (x, y), None, kind)[0]
        if (
            type(result) is not np.ndarray
            or result.base is not None
            or result is a
            or result is b
            or result.dtype is not expected[1]
            or result.shape != expected[0]
            or not result.flags.carray
        ):
            result = conformed(result, application, (a, b), expected)
        made = _new(kind)
        made.elements, made.stated_context = result, x.stated_context
        made.tape_entry = made.last_reader = None
        if STATE.recording and not (x.tape_entry is None and y.tape_entry is None):
            record(application, (x, y), [a, b], (made,))
        return made

    return call


def _several(application: Application, kind: type[NDArray]) -> Fast:
    kernel = application.call
    known: Cache[Any, OutputType] = Cache()

    def call(*inputs: NDArray) -> NDArray:
        arrays = [x.elements for x in inputs]
        if EVENTS.imperative:
            return invoke(application, inputs, None, kind)[0]
        key = shapes_and_dtypes(arrays)
        expected = known.get(key)
        if expected is None:
            if may_repay_compiling(application, arrays) or any(a.dtype.kind == "V" for a in arrays):
                return invoke(application, inputs, None, kind)[0]
            expected = known.remember(key, _output_type(application, arrays))
        try:
            result = QUIET.run(kernel, *arrays)
        except (RuntimeError, MemoryError, *ARRAY_ERRORS):
            return replacing(invoke, application, inputs, None, kind)[0]
        if (
            type(result) is not np.ndarray
            or result.base is not None
            or result.dtype is not expected[1]
            or result.shape != expected[0]
            or not result.flags.carray
            or any(result is array for array in arrays)
        ):
            result = conformed(result, application, arrays, expected)
        made = _new(kind)
        made.elements, made.stated_context = result, inputs[0].stated_context
        made.tape_entry = made.last_reader = None
        if STATE.recording:
            record(application, inputs, arrays, (made,))
        return made

    return call


def _of_layer(application: Application, other: Fast | None) -> Fast:
    """The call of an operator with weights: machine code first, if the layer's latest call ran it.

    Parameters
    ----------
    other : the fast path of all other calls; None if there is none
    """
    count, position = len(application.inputs), application.inputs.index(application.weights[0])

    def call(*inputs: NDArray) -> NDArray:
        if len(inputs) == count and not (EVENTS.imperative or STATE.recording):
            latest = latest_call(application, inputs[position].elements)
            if latest is not None:
                results = latest.repeat([x.elements for x in inputs], current_run())
                if results is not None:
                    made = _new(NDArray)
                    made.elements, made.stated_context = results[0], inputs[0].stated_context
                    made.tape_entry = made.last_reader = None
                    return made
        return invoke(application, inputs)[0] if other is None else other(*inputs)

    return call


def _output_type(application: Application, arrays: Sequence[Array]) -> OutputType:
    """The shape and dtype of the only output."""
    expected = signature_of(application, arrays)
    return expected.shapes[0], expected.dtypes[0]


# Operators that reshape their first input like the second; often the shapes are already equal.
_LIKE_THE_SECOND = frozenset({"_reduce_like", "broadcast_like", "reshape_like"})


class Eager:
    """`F` for gradient rules while the tape runs: ``F.name(arrays…, attribute=value)``."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        call = _for_rules(REGISTRY[name])
        if name in _LIKE_THE_SECOND:
            call = _unless_alike(call)
        setattr(self, name, call)
        return call


def _for_rules(op: Operator) -> Callable[..., Any]:
    """An operator as gradient rules call it: it returns hidden outputs, too; absent inputs are None."""
    complete = all(a.default is not REQUIRED for a in op.attributes.values())
    fast = None
    if complete and op.variadic is None and op.arguments is None:
        fast = fast_call(op.apply({}))
    arity = len(op.inputs)

    def call(*inputs: Any, **attributes: Any) -> Any:
        if fast is not None and not attributes and len(inputs) == arity:
            try:
                return fast(*inputs)
            except (AttributeError, TypeError):
                pass  # an input is absent
        present = [x for x in inputs if x is not None]
        if op.count is not None and op.count not in attributes:
            attributes[op.count] = len(present) - len(op.inputs)
        application = op.apply(attributes)
        quick = quick_call(application)
        if quick is not None and all_dense(present):
            return quick(*present)
        outputs = invoke(application, present, None, NDArray)
        return outputs[0] if len(outputs) == 1 else outputs

    return call


def _unless_alike(call: Callable[..., Any]) -> Callable[..., Any]:
    """The operator; for inputs of one shape and no attributes it returns the first one."""

    def unless_alike(first: NDArray, second: NDArray, **attributes: Any) -> Any:
        if not attributes and first.shape == second.shape:
            return first
        return call(first, second, **attributes)

    return unless_alike


EAGER = Eager()
OperatorRecord.namespace = EAGER
