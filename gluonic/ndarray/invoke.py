"""Calling an operator eagerly: check at the door, run the kernel, wrap the results, record them."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias
from weakref import ref

import numpy as np

from gluonic.graph.attributes import REQUIRED
from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.gradient import input_gradients
from gluonic.graph.interpret import conform, signature_of
from gluonic.graph.operator import REGISTRY, Application, Array, Operator, Run, Signature
from gluonic.graph.view import written
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.state import STATE, current_run
from gluonic.ndarray.tape import Entry, Record, entry_of

Fast: TypeAlias = Callable[..., NDArray]

_new = NDArray.__new__
_IN_USE = (
    "Assigning to NDArrays that are already in a computational graph would spoil its gradients "
    "(this includes +=, *=, relu(x, out=x), y[idx]=x inside a record section)"
)
_IN_PLACE = "Inplace operations (+=, -=, x[:]=, etc) are not supported when recording with autograd"


class NotAnArrayError(MXNetError, TypeError, AssertionError):
    """Something else was given where an operator takes an NDArray."""


class OperatorRecord(Record):
    """An operator that ran; its gradient is the operator's rule with F = nd.

    Attributes
    ----------
    arrays : the values of the inputs and then of the outputs
    train : whether it ran in training mode
    """

    __slots__ = ("application", "arrays", "train")

    def __init__(
        self,
        application: Application,
        inputs: Sequence[Entry | None],
        arrays: list[Array],
        train: bool,
    ) -> None:
        super().__init__(inputs)
        self.application, self.arrays, self.train = application, arrays, train

    @property
    def output_count(self) -> int:
        """How many outputs there are."""
        return len(self.application.outputs)

    def free(self) -> None:
        """Let go of the values."""
        super().free()
        self.arrays = []

    def gradients(self, heads: list[NDArray | None], *, train: bool) -> Sequence[NDArray | None]:
        """Apply the operator's gradient rule."""
        entries = [*self.inputs, *((self, i) for i in range(self.output_count))]
        values = [wrap(a, entry) for a, entry in zip(self.arrays, entries, strict=True)]
        wanted = [entry is not None for entry in self.inputs]
        return input_gradients(
            EAGER, self.application, values, heads, train=self.train, wanted=wanted
        )


def wrap(array: Array, entry: Entry | None = None) -> NDArray:
    """An NDArray around a (contiguous) NumPy array, without a copy."""
    made = _new(NDArray)
    made._data, made._entry, made._context, made._reader = array, entry, None, None
    return made


class TooLargeError(MXNetError, MemoryError):
    """An array does not fit into memory."""


def compute(application: Application, arrays: Sequence[Array], expected: Signature) -> list[Array]:
    """Run a kernel without floating point warnings; an array for each output, shared with nobody.

    Raises
    ------
    TooLargeError
        if there is no memory for the results
    """
    run = current_run() if application.op.run_name is not None else None
    if application.op.calls_back:
        results = application.execute(arrays, run)
        return [own(array, arrays) for array in conform(results, expected, application)]
    try:
        return quietly(_computed, application, arrays, run, expected)  # type: ignore[no-any-return]
    except (MemoryError, ValueError) as error:
        if isinstance(error, ValueError) and "too big" not in str(error):
            raise
        raise TooLargeError(_too_large(application, expected)) from error


def _computed(
    application: Application, arrays: Sequence[Array], run: Run | None, expected: Signature
) -> list[Array]:
    results = conform(application.execute(arrays, run), expected, application)
    return [own(array, arrays) for array in results]


def _too_large(application: Application, expected: Signature) -> str:
    promised = zip(application.outputs, expected.shapes, expected.dtypes, strict=True)
    return describe(
        "there is no memory for the result",
        where=application.op.name,
        facts=[f"{n}: shape {written(shape)}, dtype {dtype}" for n, shape, dtype in promised],
    )


def quietly(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function without floating point warnings."""
    try:
        return STATE.quietly(function, *arguments)
    except RuntimeError as error:
        if "cannot enter context" not in str(error):
            raise
    with np.errstate(all="ignore"):  # inside another operator, say a signal handler's
        return function(*arguments)


def overwrite(target: NDArray, values: Any) -> None:
    """Write values, broadcast and converted to the dtype there is; warnings are off."""
    quietly(np.copyto, target._data, values, "unsafe")


def own(array: Array, arrays: Sequence[Array]) -> Array:
    """An array that is contiguous, writable and nobody else's (one of `arrays`): a copy, if need be."""
    if not array.flags.carray:
        return array.copy()
    if array.base is None:
        for x in arrays:
            if x is array:
                return array.copy()
        return array
    for x in arrays:
        if np.may_share_memory(array, x):
            return array.copy()
    return array


def invoke(
    application: Application, inputs: Sequence[NDArray], expected: Signature | None = None
) -> list[NDArray]:
    """Run an operator on arrays now.

    Parameters
    ----------
    application : the operator with its attributes
    inputs : the arrays it reads, those it updates included
    expected : the outputs' shapes and dtypes, if they are known already

    Returns
    -------
    list
        its outputs, hidden ones included

    Raises
    ------
    MXNetError
        when the operator does not take such arrays
    """
    arrays = data_of(application, inputs)
    if expected is None:
        expected = signature_of(application, arrays)
    outputs = []
    context = inputs[0]._context if inputs else None
    for array in compute(application, arrays, expected):
        made = _new(NDArray)
        made._data, made._entry, made._context, made._reader = array, None, context, None
        outputs.append(made)
    if STATE.recording:
        record(application, inputs, arrays, outputs)
    return outputs


def data_of(application: Application, inputs: Sequence[NDArray]) -> list[Array]:
    """The NumPy arrays of an operator's inputs; checks that they are arrays, and their number."""
    try:
        arrays = [x._data for x in inputs]
    except AttributeError:
        raise NotAnArrayError(_not_arrays(application, inputs)) from None
    if len(arrays) != len(application.inputs):
        raise MXNetError(_wrong_count(application, inputs))
    return arrays


def record(
    application: Application,
    inputs: Sequence[NDArray],
    arrays: list[Array],
    outputs: Sequence[NDArray],
) -> None:
    """Put what has just run on the tape, if it depends on anything there."""
    entries = [None if x._entry is None else entry_of(x) for x in inputs]
    for entry in entries:
        if entry is not None:
            break
    else:
        return
    made = OperatorRecord(
        application, entries, [*arrays, *[o._data for o in outputs]], STATE.training
    )
    put(made, inputs, outputs)


def put(made: Record, inputs: Sequence[NDArray], outputs: Sequence[NDArray]) -> None:
    """Let arrays be the outputs of a record, and guard the constants it reads against being overwritten."""
    reader = None
    for x in inputs:
        if entry_of(x) is None:
            if reader is None:
                reader = ref(made)
            x._reader = reader
    for index, output in enumerate(outputs):
        output._entry = (made, index)


def check_writable(target: NDArray, inputs: Sequence[NDArray] = ()) -> None:
    """Refuse to overwrite, while recording, what a later backward needs.

    Parameters
    ----------
    target : the array about to be written
    inputs : what the new elements are computed from

    Raises
    ------
    MXNetError
        while recording, if `target` is a variable, a result or an operand of what has been recorded
    """
    if not STATE.recording:
        return
    reader = None if target._reader is None else target._reader()
    if entry_of(target) is not None or (reader is not None and not reader.freed):
        raise MXNetError(
            describe(
                _IN_USE,
                facts=[f"the array assigned to: shape {target.shape}"],
                hint="assign under autograd.pause(), or make a new array (x = x + y)",
            )
        )
    if any(x is target for x in inputs) and any(entry_of(x) is not None for x in inputs):
        raise MXNetError(describe(_IN_PLACE, hint="make a new array: x = x + y"))


def _not_arrays(application: Application, inputs: Sequence[Any]) -> str:
    name, value = next(
        (name, x)
        for name, x in zip((*application.inputs, *["input"] * len(inputs)), inputs, strict=False)
        if not isinstance(x, NDArray)
    )
    return describe(
        f"Argument {name} must have NDArray type, but is {type(value).__name__}",
        where=application.op.name,
        hint="mx.nd.array(value)",
    )


def _wrong_count(application: Application, inputs: Sequence[Any]) -> str:
    names = ", ".join(application.inputs) or "none"
    return describe(
        f"takes {len(application.inputs)} inputs ({names}), not {len(inputs)}",
        where=application.op.name,
    )


def fast_call(application: Application) -> Fast | None:
    """A function of one or two NDArrays that does what `invoke` does, with next to no overhead.

    None where the operator needs more than its kernel and one output. The function raises
    AttributeError or TypeError before it has done anything if its arguments are not NDArrays.
    """
    op = application.op
    simple = (
        len(application.outputs) == 1
        and op.run_name is None
        and not op.dynamic
        and not application.states
        and application._filler is None
    )
    if not simple or op.variadic is not None:
        return None
    makers: dict[int, Callable[[Application], Fast]] = {1: _unary, 2: _binary}
    maker = makers.get(len(application.inputs))
    return None if maker is None else maker(application)


# `_unary` and `_binary` differ in the number of arguments alone: a loop over them would cost half the call.


def _unary(application: Application) -> Fast:
    kernel, known = application.call, {}  # type: ignore[var-annotated]

    def call(x: NDArray) -> NDArray:
        data = x._data
        key = data.shape, data.dtype
        expected = known.get(key)
        if expected is None:
            expected = known[key] = _promise(application, (data,), known)
        try:
            result = STATE.quietly(kernel, data)
        except (RuntimeError, MemoryError):
            return invoke(application, (x,))[0]
        if (
            type(result) is not np.ndarray
            or result.base is not None
            or result is data
            or result.dtype is not expected[1]
            or result.shape != expected[0]
            or not result.flags.carray
        ):
            result = _conformed(result, application, (data,))
        made = _new(NDArray)
        made._data, made._entry, made._context, made._reader = result, None, x._context, None
        if STATE.recording and x._entry is not None:
            record(application, (x,), [data], (made,))
        return made

    return call


def _binary(application: Application) -> Fast:
    kernel, known = application.call, {}  # type: ignore[var-annotated]

    def call(x: NDArray, y: NDArray) -> NDArray:
        a, b = x._data, y._data
        key = a.shape, b.shape, a.dtype, b.dtype
        expected = known.get(key)
        if expected is None:
            expected = known[key] = _promise(application, (a, b), known)
        try:
            result = STATE.quietly(kernel, a, b)
        except (RuntimeError, MemoryError):
            return invoke(application, (x, y))[0]
        if (
            type(result) is not np.ndarray
            or result.base is not None
            or result is a
            or result is b
            or result.dtype is not expected[1]
            or result.shape != expected[0]
            or not result.flags.carray
        ):
            result = _conformed(result, application, (a, b))
        made = _new(NDArray)
        made._data, made._entry, made._context, made._reader = result, None, x._context, None
        if STATE.recording and not (x._entry is None and y._entry is None):
            record(application, (x, y), [a, b], (made,))
        return made

    return call


def _conformed(result: Any, application: Application, arrays: Sequence[Array]) -> Array:
    """The result of a kernel as inference promised it."""
    expected = signature_of(application, arrays)
    return own(quietly(conform, (result,), expected, application)[0], arrays)


def _promise(
    application: Application, arrays: Sequence[Array], known: dict[Any, Any]
) -> tuple[tuple[int, ...] | None, np.dtype[Any]]:
    """The shape and dtype of the only output; makes room in `known`, where they will be remembered."""
    if len(known) > 1024:
        known.clear()
    expected = signature_of(application, arrays)
    return expected.shapes[0], expected.dtypes[0]


# Operators that give their first input the shape of the second; often it has it already.
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
    """An operator as gradient rules call it: hidden outputs too, absent inputs are None."""
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
        outputs = invoke(op.apply(attributes), present)
        return outputs[0] if len(outputs) == 1 else outputs

    return call


def _unless_alike(call: Callable[..., Any]) -> Callable[..., Any]:
    """The operator, but for inputs of one shape and no attributes: there it is the first of them."""

    def unless_alike(first: NDArray, second: NDArray, **attributes: Any) -> Any:
        if not attributes and first._data.shape == second._data.shape:
            return first
        return call(first, second, **attributes)

    return unless_alike


EAGER = Eager()
