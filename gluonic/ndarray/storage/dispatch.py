"""Calls of operators with sparse inputs or results."""

import os
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from gluonic.graph import REGISTRY, Application, Array, Signature
from gluonic.graph.conforming import own
from gluonic.graph.errors import InferenceError, describe, warn
from gluonic.graph.gradient import input_gradients
from gluonic.graph.kernel_runs import signature_of
from gluonic.graph.storage import values as storage_values
from gluonic.graph.storage.forms import FORMS, as_read, given_kind
from gluonic.graph.storage.values import (
    DEFAULT,
    Value,
    as_type,
    dense,
    kind_of,
    stored_as,
)
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.kernels import compute, overwrite
from gluonic.ndarray.placing import on_devices
from gluonic.ndarray.recording import OperatorRecord, put
from gluonic.ndarray.state import STATE, GoingBack
from gluonic.ndarray.storage.arrays import BaseSparseNDArray, made, value_of
from gluonic.ndarray.tape import Leaf, entry_of
from gluonic.support.suppress_fp_warnings import quietly


def of_dense() -> frozenset[str]:
    """The operators that may return a sparse array for dense ones."""
    return frozenset(name for name, form in FORMS.items() if form.of_dense)


OF_DENSE = set(of_dense()) | {"Custom"}
OwnWay: TypeAlias = Callable[[Application, Sequence[NDArray]], list[NDArray]]
_OWN_WAYS: dict[str, OwnWay] = {}


def runs_in_its_own_way(name: str) -> Callable[[OwnWay], OwnWay]:
    """Declare how an operator runs on stored values if it needs more than the values (a decorator)."""

    def enter(run: OwnWay) -> OwnWay:
        _OWN_WAYS[name] = run
        return run

    return enter


def has_its_own_way(name: str) -> bool:
    """Whether `runs_in_its_own_way` was applied to an operator."""
    return name in _OWN_WAYS


def forget_storage(name: str) -> None:
    """Drop the declarations for an operator: its name belongs to another one now."""
    FORMS.pop(name, None)
    _OWN_WAYS.pop(name, None)
    OF_DENSE.discard(name)


def has_sparse(arrays: Sequence[Any]) -> bool:
    """Whether one of the arrays is sparse."""
    return any(isinstance(array, BaseSparseNDArray) for array in arrays)


def gives_sparse(application: Application) -> bool:
    """Whether an operator returns a sparse array for dense inputs."""
    if application.op.name not in OF_DENSE:
        return False
    return given_kind(application, (DEFAULT,) * len(application.inputs)) not in (None, DEFAULT)


def invoke_elsewhere(
    application: Application, inputs: Sequence[NDArray], kind: type[NDArray] | None = None
) -> list[NDArray]:
    """What `gluonic.ndarray.invoke.invoke` does if one of the arrays is on a device, or sparse."""
    for x in inputs:
        if x.on_device:
            return on_devices().invoke_there(application, inputs, kind)  # type: ignore[no-any-return]
    return invoke_stored(application, inputs)


def invoke_stored(application: Application, inputs: Sequence[NDArray]) -> list[NDArray]:
    """Run an operator on arrays of any storage kinds; see `gluonic.ndarray.invoke.invoke`."""
    own_way = _OWN_WAYS.get(application.op.name)
    if own_way is not None:
        return own_way(application, inputs)
    values = as_read(application, [value_of(x) for x in inputs])
    expected = signature_of(application, values)  # type: ignore[arg-type]
    kind = given_kind(application, [kind_of(value) for value in values])
    if not isinstance(kind, str):
        return _densely(application, inputs, values, expected)
    found = FORMS[application.op.name].compute(application, *values)
    output = made(_conformed(found, kind, expected, values), inputs[0].stated_context)
    if STATE.recording:
        record_stored(application, inputs, values, [output])
    return [output]


def _conformed(found: Value, kind: str, expected: Signature, values: Sequence[Value]) -> Value:
    """Convert a result to the storage kind, dtype and shape that inference gives."""
    found = as_type(stored_as(found, kind), expected.dtypes[0])
    if not isinstance(found, np.ndarray):
        return found
    if expected.shapes[0] is not None and found.shape != expected.shapes[0]:
        found = found.reshape(expected.shapes[0])
    return own(found, [value for value in values if isinstance(value, np.ndarray)])


def _densely(
    application: Application,
    inputs: Sequence[NDArray],
    values: Sequence[Value],
    expected: Signature,
) -> list[NDArray]:
    """Run an operator that does not support the storage kinds on dense copies, with a warning."""
    _warn(application, values)
    arrays = [dense(value) for value in values]
    context = inputs[0].stated_context
    outputs = [made(array, context) for array in compute(application, arrays, expected)]
    for name, x, array in zip(application.inputs, inputs, arrays, strict=True):
        if name in application.states and isinstance(x, BaseSparseNDArray):
            x.overwrite_stored(array)
    if STATE.recording:
        entries = [entry_of(x) for x in inputs]
        if any(entry is not None for entry in entries):
            kept = [*arrays, *[x.elements for x in outputs]]
            put(FallbackRecord(application, entries, kept, STATE.training), inputs, outputs)
    return outputs


def _warn(application: Application, values: Sequence[Value]) -> None:
    if STATE.going_back or os.environ.get("MXNET_STORAGE_FALLBACK_LOG_VERBOSE", "1") == "0":
        return
    kinds = ", ".join(kind_of(value) for value in values)
    settings = ", ".join(f"{name}={value}" for name, value in application.settings.items())
    warn(
        describe(
            "Storage type fallback detected: the operator is computed with dense copies",
            where=application.op.name,
            facts=[f"input storage types = [{kinds}]", *([settings] if settings else [])],
            hint="MXNET_STORAGE_FALLBACK_LOG_VERBOSE=0 in the environment, if that is as it should be",
        )
    )


class StoredRecord(OperatorRecord):
    """An operator that ran on sparse arrays, or returned one; its `arrays` are values of any kind."""

    __slots__ = ()

    def gradients(self, heads: list[NDArray | None], *, train: bool) -> Sequence[NDArray | None]:
        """Apply the operator's gradient rule to arrays of these kinds."""
        entries = [*self.inputs, *((self, i) for i in range(self.output_count))]
        arrays = [
            made(value, None, entry) for value, entry in zip(self.arrays, entries, strict=True)
        ]
        wanted = [entry is not None for entry in self.inputs]
        with GoingBack():
            return input_gradients(
                self.namespace, self.application, arrays, heads, train=self.train, wanted=wanted
            )


class FallbackRecord(OperatorRecord):
    """An operator that ran on dense copies; so does its gradient rule, as in MXNet."""

    __slots__ = ()
    takes_stored = False


def record_stored(
    application: Application,
    inputs: Sequence[NDArray],
    values: list[Value],
    outputs: Sequence[NDArray],
) -> None:
    """Put an operator on the tape, if it depends on anything there."""
    entries = [entry_of(x) for x in inputs]
    if any(entry is not None for entry in entries):
        kept: list[Any] = [*values, *map(value_of, outputs)]
        put(StoredRecord(application, entries, kept, STATE.training), inputs, outputs)


def assign(target: NDArray, value: Value) -> None:
    """Write a value into an array of any storage kind."""
    if isinstance(target, BaseSparseNDArray):
        target.overwrite_stored(value)
    else:
        overwrite(target, dense(value))


def copy_value(source: NDArray, target: NDArray) -> None:
    """Copy the elements of an operator's output into an array of any storage kind.

    Raises
    ------
    InferenceError
        if the shapes differ
    """
    if source.shape != target.shape:
        raise InferenceError(
            describe(f"out has the shape {target.shape}, but the result {source.shape}")
        )
    assign(target, value_of(source))
    if STATE.recording:
        target.tape_entry = source.tape_entry


class StoredLeaf(Leaf):
    """A variable whose gradient buffer is sparse."""

    __slots__ = ()
    takes_stored = True

    def buffer(self) -> Array | None:
        """None: nothing is written into a sparse buffer in place."""
        return None

    def receive(self, gradient: NDArray | None) -> None:
        """Replace the buffer's value by a gradient, or add it."""
        if self.grad is None or self.req == "null":
            return
        self.fresh = True
        buffer = self.grad
        assert isinstance(buffer, BaseSparseNDArray)
        if gradient is None:
            if self.req == "write":
                zeros = storage_values.stored_zeros(buffer.kind, buffer.shape, buffer.dtype)
                buffer.overwrite_stored(zeros)
            return
        new = value_of(gradient)
        if isinstance(new, np.ndarray):
            new = new.reshape(buffer.shape)
        new = as_type(stored_as(new, buffer.kind), np.dtype(buffer.dtype))
        if self.req == "add":
            new = quietly(_sum, buffer.stored, new)
        elif isinstance(new, (storage_values.Csr, storage_values.RowSparse)):
            buffer.stored = new  # nobody else writes to it
            return
        buffer.overwrite_stored(new)


def _sum(held: Any, new: Any) -> Value:
    return FORMS["elemwise_add"].compute(REGISTRY["elemwise_add"].apply({}), held, new)


def leaf_of(buffer: NDArray, req: str) -> Leaf:
    """A variable with a gradient buffer of any storage kind."""
    if buffer.on_device:
        return on_devices().DeviceLeaf(buffer, req)  # type: ignore[no-any-return]
    kind = StoredLeaf if isinstance(buffer, BaseSparseNDArray) else Leaf
    return kind(buffer, req)
