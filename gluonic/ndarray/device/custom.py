"""`Custom` on a device: the user's methods get arrays of the context, as in MXNet."""

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from gluonic.device import Device
from gluonic.graph import Application
from gluonic.graph.carried import carried
from gluonic.graph.errors import MXNetError
from gluonic.graph.kernel_runs import signature_of
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.custom import is_written, unwritten
from gluonic.ndarray.custom_call import CustomCallRecord, call_backward, site_of
from gluonic.ndarray.custom_node import KeptCustom, op_of
from gluonic.ndarray.device.arrays import DeviceNDArray, context_of, made
from gluonic.ndarray.device.calls import runs_in_its_own_way
from gluonic.ndarray.device.tape import zeros_on
from gluonic.ndarray.invoke import result_class
from gluonic.ndarray.recording import put, wrap
from gluonic.ndarray.state import STATE
from gluonic.ndarray.tape import FunctionRecord, TapeEntry, entry_of


@runs_in_its_own_way("Custom")
def invoke_custom(
    device: Device, application: Application, inputs: Sequence[DeviceNDArray]
) -> list[NDArray]:
    """Run an operator written in Python on arrays of a device; see `invoke`."""
    arrays = [x.device_array for x in inputs]
    signature_of(application, arrays)  # type: ignore[arg-type]  # shapes and dtypes are read
    site = site_of(application.settings, arrays)  # type: ignore[arg-type]
    with context_of(device):
        kept = application.made if isinstance(application, KeptCustom) else None
        op = site.new_op() if kept is None else op_of(site, kept)
        if not is_written(op, "forward"):
            raise unwritten(op, "forward", site.name)
        kind = result_class(application, inputs)
        outputs: list[NDArray] = [zeros_on(device, *like) for like in site.results]
        site.call_forward(op, [made(array) for array in arrays], outputs, STATE.training)
    results = [x.device_array for x in outputs]  # type: ignore[attr-defined]
    outputs = [made(array, kind) for array in results]
    outputs.append(wrap(carried(op)))
    if STATE.recording:
        entries = [entry_of(x) for x in inputs]
        if any(entry is not None for entry in entries):
            values: list[Any] = [*arrays, *results, None]
            put(DeviceCustomRecord(application, entries, values, site, op), inputs, outputs)
    return outputs


def _entry(head: NDArray | None) -> TapeEntry | None:
    return None if head is None else entry_of(head)


def _put_refusal(entries: Sequence[TapeEntry | None], found: Sequence[NDArray | None]) -> None:
    """Let the gradients refuse to be differentiated."""
    outputs = [x for x in found if x is not None]
    put(FunctionRecord(entries, len(outputs), _refuse), (), outputs)


def _refuse(heads: list[NDArray | None]) -> NoReturn:
    raise MXNetError(
        "_backward_Custom: the operator _backward_Custom has no gradient: the backward of an operator in "
        "Python is not recorded"
    )


class DeviceCustomRecord(CustomCallRecord):
    """A recorded call on a device; its `arrays` are there."""

    takes_stored = False

    __slots__ = ()

    def gradients(self, heads: list[NDArray | None], *, train: bool) -> Sequence[NDArray | None]:
        """Call the user's backward, unrecorded."""
        site, arrays = self.site, [None if a is None else made(a) for a in self._held]
        reads, count, states = site.dependency, site.count, len(site.shapes)
        device = self._held[states].device
        unread = zeros_on(device, (0,), np.float32)
        gradients = [zeros_on(device, a.shape, a.dtype) for a in self._held[:count]]
        given = [
            zeros_on(device, *like) if head is None else head
            for head, like in zip(heads, site.results, strict=False)
        ]
        with context_of(device):
            call_backward(
                self.op,
                site.name,
                [i for i, entry in enumerate(self.inputs[:count]) if entry is not None],
                [x if i in reads.heads else unread for i, x in enumerate(given)],
                [x if i in reads.inputs else unread for i, x in enumerate(arrays[:count])],  # type: ignore[misc]
                [x if i in reads.outputs else unread for i, x in enumerate(arrays[states:-1])],  # type: ignore[misc]
                gradients,
                arrays[count:states],  # type: ignore[arg-type]
            )
        found = [
            None if entry is None else gradient.of_program()
            for gradient, entry in zip(gradients, self.inputs[:count], strict=True)
        ]
        if STATE.recording:
            _put_refusal([*self.inputs, *map(_entry, heads)], found)
        return [*found, *[None] * (states - count)]

    @property
    def _held(self) -> list[Any]:
        return self.arrays
