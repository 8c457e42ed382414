"""Calls of operators written in Python: synchronous, in the calling thread, with flags off and warnings on."""

import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gluonic.graph import Application
from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.events import EVENTS
from gluonic.graph.memory import allocated
from gluonic.graph.storage.values import Value, stored_zeros
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.context import current_context
from gluonic.ndarray.custom import (
    CustomOp,
    CustomOpProp,
    is_written,
    new_prop,
    on_change,
    unwritten,
)
from gluonic.ndarray.recording import OperatorRecord, wrap
from gluonic.ndarray.state import STATE
from gluonic.ndarray.storage.arrays import made, value_of
from gluonic.ndarray.tape import TapeEntry
from gluonic.support.caches import Cache


def checked(result: Any, prop: CustomOpProp, method: str) -> tuple[Any, Any, Any]:
    """Check what `infer_shape` or `infer_type` returned: inputs, outputs, states."""
    parts = tuple(result) if isinstance(result, (tuple, list)) else ()
    if len(parts) == 2:
        parts = (*parts, ())
    wanted = (
        len(prop.list_arguments()), len(prop.list_outputs()), len(prop.list_auxiliary_states()),
    )  # fmt: skip
    sized = len(parts) == 3 and all(isinstance(p, (tuple, list)) for p in parts)
    if not sized or tuple(map(len, parts)) != wanted:
        got = ", ".join(str(len(p)) for p in parts) if sized else repr(result)
        raise MXNetError(
            describe(
                f"must return {wanted[0]} inputs, {wanted[1]} outputs, {wanted[2]} states; got {got}",
                where=f"{type(prop).__name__}.{method}",
                facts=[
                    f"list_arguments() is {prop.list_arguments()}",
                    f"list_outputs() is {prop.list_outputs()}",
                    f"list_auxiliary_states() is {prop.list_auxiliary_states()}",
                ],
                hint="return (inputs, outputs, states), each a list with one entry for each name",
            )
        )
    return parts[0], parts[1], parts[2]


def as_shape(shape: Any, prop: CustomOpProp) -> tuple[int, ...]:
    """A shape that `infer_shape` returned, as a tuple of numbers."""
    try:
        return tuple(map(operator.index, shape))
    except TypeError:
        raise MXNetError(
            describe(
                f"returned {shape!r} where a shape is wanted",
                where=f"{type(prop).__name__}.infer_shape",
                hint="return lists of shapes, each a list or tuple of whole numbers",
            )
        ) from None


class Dependency:
    """The values that `backward` reads, from `declare_backward_dependency`.

    Attributes
    ----------
    heads, inputs, outputs : the indices of outputs' gradients, of inputs and of outputs
    """

    __slots__ = ("heads", "inputs", "outputs")

    def __init__(self, prop: CustomOpProp) -> None:
        inputs, outputs = len(prop.list_arguments()), len(prop.list_outputs())
        numbers = iter(range(inputs + 2 * outputs))
        groups = [[next(numbers) for _ in range(count)] for count in (outputs, inputs, outputs)]
        needed = set(prop.declare_backward_dependency(*groups))
        unknown = [n for n in needed if n not in range(inputs + 2 * outputs)]
        if unknown:
            raise MXNetError(
                describe(
                    f"returned {unknown}, which are none of the numbers it was given",
                    where=f"{type(prop).__name__}.declare_backward_dependency",
                    hint="return some of the members of out_grad, in_data and out_data",
                )
            )
        self.heads, self.inputs, self.outputs = (
            tuple(i for i, number in enumerate(group) if number in needed) for group in groups
        )


class CustomSignature:
    """The data that are computed once for all calls with the same attributes, shapes and dtypes.

    Parameters
    ----------
    settings : the attributes, `op_type` among them
    arrays : inputs and states

    Attributes
    ----------
    name : under which the operator is registered
    prop : the user's `CustomOpProp`, after inference with these shapes and dtypes
    count : number of inputs among the arrays
    shapes, dtypes : of the arrays
    results : the shape and dtype of each output
    """

    __slots__ = ("_dependency", "count", "dtypes", "name", "prop", "results", "shapes")

    def __init__(self, settings: Mapping[str, str], arrays: Sequence[Value]) -> None:
        self.name = settings["op_type"]
        prop = self.prop = new_prop(settings)
        self.count = len(prop.list_arguments())
        self.shapes = [list(a.shape) for a in arrays]
        self.dtypes = [a.dtype.type for a in arrays]
        given = self.shapes[: self.count]
        _, shapes, _ = checked(prop.infer_shape([s[:] for s in given]), prop, "infer_shape")
        _, dtypes, _ = checked(prop.infer_type(self.dtypes[: self.count]), prop, "infer_type")
        self.results = [
            (as_shape(s, prop), np.dtype(t)) for s, t in zip(shapes, dtypes, strict=True)
        ]
        self._dependency: Dependency | None = None

    @property
    def dependency(self) -> Dependency:
        """The values that `backward` reads."""
        if self._dependency is None:
            self._dependency = Dependency(self.prop)
        return self._dependency

    def new_op(self) -> CustomOp:
        """Create the operator from the user's `CustomOpProp`."""
        made = self.prop.create_operator(
            current_context(), [s[:] for s in self.shapes], self.dtypes[:]
        )
        if not hasattr(made, "forward"):
            raise MXNetError(
                describe(
                    f"must return a CustomOp, not {made!r}",
                    where=f"{type(self.prop).__name__}.create_operator",
                )
            )
        return made

    def forward(
        self, op: CustomOp, arrays: Sequence[Value], train: bool, kinds: Sequence[str] = ()
    ) -> list[Any]:
        """Call the operator's `forward`; returns its outputs, of the storage kinds given or dense."""
        if not is_written(op, "forward"):
            raise unwritten(op, "forward", self.name)
        if kinds:
            outputs = _buffers(self.results, kinds, "an output")
        else:
            outputs = [wrap(allocated(np.zeros, s, d, "an output")) for s, d in self.results]
        given = [wrap(a) if type(a) is np.ndarray else made(a) for a in arrays]
        self.call_forward(op, given, outputs, train)
        return [value_of(o) for o in outputs] if kinds else [o.elements for o in outputs]

    def call_forward(
        self, op: CustomOp, given: Sequence[NDArray], outputs: Sequence[NDArray], train: bool
    ) -> None:
        """Call the operator's `forward`, unrecorded; it writes the outputs."""
        state = STATE
        before = recording, training = state.recording, state.training
        if recording:
            state.recording = False
        if training is not train:
            state.training = train
        try:
            call = EVENTS.as_custom(self.name, op.forward) if EVENTS.imperative else op.forward
            call(
                is_train=train,
                req=["write"] * len(outputs),
                in_data=[*given[: self.count]],
                out_data=[*outputs],
                aux=[*given[self.count :]],
            )
        finally:
            state.recording, state.training = before


def _buffers(
    like: Iterable[tuple[tuple[int, ...], np.dtype[Any]]], kinds: Sequence[str], what: str
) -> list[NDArray]:
    """Arrays of zeros of those storage kinds; dense ones if no kinds are given."""
    if not kinds:
        return [wrap(allocated(np.zeros, shape, dtype, what)) for shape, dtype in like]
    return [made(stored_zeros(kind, *one)) for kind, one in zip(kinds, like, strict=True)]


def backward(
    op: CustomOp,
    inputs: Sequence[Value | None],
    states: Sequence[Value],
    heads: Sequence[Value | None],
    outputs: Sequence[Value | None],
    like: Sequence[tuple[tuple[int, ...], np.dtype[Any]]],
    wanted: Iterable[int],
    name: str,
    kinds: Sequence[str] = (),
) -> list[Any]:
    """Call an operator's `backward`.

    Parameters
    ----------
    inputs, heads, outputs : the values; None for those that it does not read
    states : its auxiliary states
    like : the shape and dtype of each input
    wanted : the inputs whose gradients are requested
    name : under which the operator is registered
    kinds : the storage kinds of the gradients, which are dense by default

    Returns
    -------
    list
        the gradients of the inputs
    """
    gradients = _buffers(like, kinds, "a gradient")
    call_backward(
        op,
        name,
        wanted,
        _wrapped(heads),
        _wrapped(inputs),
        _wrapped(outputs),
        gradients,
        [made(s) for s in states],
    )
    return [value_of(gradient) for gradient in gradients]


def call_backward(
    op: CustomOp,
    name: str,
    wanted: Iterable[int],
    heads: Sequence[NDArray],
    inputs: Sequence[NDArray],
    outputs: Sequence[NDArray],
    gradients: Sequence[NDArray],
    states: Sequence[NDArray],
) -> None:
    """Call an operator's `backward`, unrecorded; it writes the gradients. See `backward`."""
    if not is_written(op, "backward"):
        raise unwritten(op, "backward", name)
    req = ["null"] * len(gradients)
    for i in wanted:
        req[i] = "write"
    state = STATE
    before = state.recording, state.training
    state.recording, state.training = False, True
    try:
        call = op.backward
        if EVENTS.imperative:
            call = EVENTS.as_custom(f"_backward_{name}", call)
        call(
            req=req,
            out_grad=[*heads],
            in_data=[*inputs],
            out_data=[*outputs],
            in_grad=[*gradients],
            aux=[*states],
        )
    finally:
        state.recording, state.training = before


def _wrapped(arrays: Sequence[Value | None]) -> list[NDArray]:
    """NDArrays; an empty one stands for a value that `declare_backward_dependency` does not name."""
    return [made(np.zeros(0, np.float32) if a is None else a) for a in arrays]


class CustomCallRecord(OperatorRecord):
    """A recorded call of an operator written in Python.

    Attributes
    ----------
    site, op : the signature and the operator that were called
    """

    __slots__ = ("op", "site")

    def __init__(
        self,
        application: Application,
        inputs: Sequence[TapeEntry | None],
        arrays: list[Any],
        site: CustomSignature,
        op: CustomOp,
    ) -> None:
        super().__init__(application, inputs, arrays, STATE.training)
        self.site, self.op = site, op


_sites: Cache[Any, CustomSignature] = Cache()
on_change(_sites.clear)


def site_of(settings: Mapping[str, str], arrays: Sequence[Value]) -> CustomSignature:
    """The signature of a call with such attributes and arrays."""
    key = (*settings.items(), *[(a.shape, a.dtype) for a in arrays])
    found = _sites.get(key)
    if found is None:
        found = _sites.remember(key, CustomSignature(settings, arrays))
    return found
