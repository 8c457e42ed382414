"""Eager calls of operators on a device; what `gluonic.ndarray.invoke` does for arrays of the host."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from gluonic.codegen import operator_on_device
from gluonic.device import Device
from gluonic.graph import Application
from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.events import EVENTS
from gluonic.graph.infer import signature
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.device.arrays import DeviceNDArray, class_on_device, made
from gluonic.ndarray.device.assigning import copy_into
from gluonic.ndarray.device.tape import DeviceRecord
from gluonic.ndarray.invoke import result_class
from gluonic.ndarray.numpy_class import numpy_array
from gluonic.ndarray.recording import put
from gluonic.ndarray.state import STATE, current_run
from gluonic.ndarray.tape import entry_of
from gluonic.support.caches import Cache

EagerCall: TypeAlias = Callable[..., NDArray]
OwnWay: TypeAlias = Callable[[Device, Application, Sequence[DeviceNDArray]], list[NDArray]]
_OWN_WAYS: dict[str, OwnWay] = {}
_new = object.__new__


class OtherContextError(MXNetError):
    """Arrays on different contexts were given to one operator."""


def runs_in_its_own_way(name: str) -> Callable[[OwnWay], OwnWay]:
    """Declare how an operator that calls the user's code runs on a device (a decorator)."""

    def enter(run: OwnWay) -> OwnWay:
        _OWN_WAYS[name] = run
        return run

    return enter


def has_its_own_way(name: str) -> bool:
    """Whether `runs_in_its_own_way` was applied to an operator."""
    return name in _OWN_WAYS


def check_contexts(name: str, inputs: Sequence[NDArray]) -> Device:
    """The device that all inputs are on.

    Raises
    ------
    OtherContextError
        if they are on several contexts
    """
    devices = [x.device_array.buffer.device for x in inputs if isinstance(x, DeviceNDArray)]
    if len(devices) == len(inputs) and devices.count(devices[0]) == len(inputs):
        return devices[0]
    first = inputs[0].context
    for number, x in enumerate(inputs[1:], start=2):
        if x.context != first:
            raise OtherContextError(
                describe(
                    "all inputs must live on the same context, but the first argument is on "
                    f"{first} while argument {number} is on {x.context}",
                    where=name,
                    facts=[
                        f"argument {i}: shape {each.shape}, dtype {np.dtype(each.dtype)}, on {each.context}"
                        for i, each in enumerate(inputs, start=1)
                    ],
                    hint=f"x.as_in_context({first})",
                )
            )
    for x in inputs:
        if not isinstance(x, DeviceNDArray):
            raise MXNetError(
                describe(
                    f"a {x.stype} array cannot be used on a GPU",
                    where=name,
                    hint="x.tostype('default')",
                )
            )
    return devices[0]


def eager_call(application: Application, kind: type[NDArray] = NDArray) -> EagerCall:
    """A function of arrays that runs an operator with one visible output on their device, with little overhead.

    Parameters
    ----------
    application : the operator with its attributes
    kind : the class of the host that corresponds to that of the arrays
    """
    if application.op.name in _OWN_WAYS:
        return lambda *inputs: invoke_there(application, inputs)[0]
    ready, kind_there = operator_on_device(application).ready, class_on_device(kind)
    result_kind = class_on_device(numpy_array()) if application.of_numpy else kind_there

    def call(*inputs: NDArray) -> NDArray:
        nonlocal ready
        arrays = [x.device_array for x in inputs if type(x) is kind_there]
        compute = ready.get(tuple([array.form for array in arrays]))
        if compute is None or EVENTS.active:  # among others, where not all inputs are arrays there
            outputs = invoke_there(application, inputs)
            ready = operator_on_device(application).ready  # caches may have forgotten the other
            return outputs[0]
        results = compute(arrays)
        output = _new(result_kind)
        output.device_array, output.stated_context = results[0], inputs[0].stated_context
        output.tape_entry = output.last_reader = None
        if STATE.recording:
            hidden = [made(array, kind) for array in results[1:]]
            record(application, inputs, (output, *hidden))
        return output

    return call


_eager_calls: Cache[Application, dict[type[NDArray], EagerCall]] = Cache()


def eager_calls(application: Application) -> dict[type[NDArray], EagerCall]:
    """`eager_call` by the class of the arrays; nothing if the operator has several visible outputs."""
    calls = _eager_calls.get(application)
    if calls is None:
        kinds = [NDArray, numpy_array()] if application.visible == 1 else []
        calls = {class_on_device(kind): eager_call(application, kind) for kind in kinds}
        _eager_calls.remember(application, calls)
    return calls


def invoke_there(
    application: Application, inputs: Sequence[NDArray], kind: type[NDArray] | None = None
) -> list[NDArray]:
    """Run an operator on arrays of which at least one is on a device; see `gluonic.ndarray.invoke.invoke`."""
    return invoke_on(check_contexts(application.op.name, inputs), application, inputs, kind)


def invoke_on(
    device: Device,
    application: Application,
    inputs: Sequence[Any],
    kind: type[NDArray] | None = None,
) -> list[NDArray]:
    """Run an operator on a device; its inputs are there, or it has none."""
    own_way = _OWN_WAYS.get(application.op.name)
    if own_way is not None:
        return own_way(device, application, inputs)
    arrays = [x.device_array for x in inputs]
    if kind is None:
        kind = result_class(application, inputs)
    results = operator_on_device(application)(arrays, current_run(), device)
    outputs: list[NDArray] = [made(array, kind) for array in results]
    if STATE.recording:
        record(application, inputs, outputs)
    return outputs


def record(application: Application, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
    """Put an operator that has just run on the tape, if it depends on anything recorded."""
    entries = [None if x.tape_entry is None else entry_of(x) for x in inputs]
    if any(entry is not None for entry in entries):
        values: list[Any] = [x.device_array for x in (*inputs, *outputs)]
        put(DeviceRecord(application, entries, values, STATE.training), inputs, outputs)


_accepted: Cache[tuple[object, ...], bool] = Cache()
"""Operators with the forms of inputs and of arrays `out` that were checked."""


def into(
    application: Application, inputs: Sequence[NDArray], targets: Sequence[NDArray], out: Any
) -> Any:
    """Run an operator and write its outputs into the arrays `out`, of which at least one is on a device."""
    device = check_contexts(application.op.name, [*targets, *inputs])
    arrays, written = ([x.device_array for x in each] for each in (inputs, targets))  # type: ignore[attr-defined]
    key = application, *[x.form for x in arrays], *[x.form for x in written]
    if key not in _accepted:
        given = [(x.shape, x.dtype) for x in written]
        signature(application, [x.shape for x in arrays], [x.dtype for x in arrays], given)
        _accepted.remember(key, True)
    if STATE.recording or application.op.name in _OWN_WAYS:
        for target, output in zip(targets, invoke_on(device, application, inputs), strict=False):
            copy_into(output, target)
            if STATE.recording:
                target.tape_entry = output.tape_entry
        return out
    memory = [x.buffer for x in (*arrays, *written)]
    free = [x if memory.count(x.buffer) == 1 else None for x in written]
    free += [None] * (len(application.outputs) - len(free))
    results = operator_on_device(application)(arrays, current_run(), device, free)
    for target, array, result in zip(targets, written, results, strict=False):
        if result is not array:
            copy_into(made(result), target)
    return out
