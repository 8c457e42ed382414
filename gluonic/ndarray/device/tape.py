"""The tape's records and variables for arrays on a device."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from gluonic.codegen import GradientUse, gradient_on_device
from gluonic.device import Device, DeviceArray
from gluonic.graph import REGISTRY
from gluonic.graph.gradient import input_gradients
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.device.arrays import DeviceNDArray, made
from gluonic.ndarray.device.assigning import copy_into, fill
from gluonic.ndarray.invoke import EAGER
from gluonic.ndarray.recording import OperatorRecord
from gluonic.ndarray.state import STATE, current_run
from gluonic.ndarray.tape import Leaf
from gluonic.support.references import holds_alone


def filled(
    device: Device, shape: tuple[int, ...], dtype: Any, number: float, kind: type[NDArray] = NDArray
) -> DeviceNDArray:
    """A new array with one number everywhere."""
    array = made(DeviceArray.empty(device, shape, dtype), kind)
    fill(array.device_array, number)
    return array


def zeros_on(
    device: Device, shape: tuple[int, ...], dtype: Any, kind: type[NDArray] = NDArray
) -> DeviceNDArray:
    """An array of zeros."""
    return filled(device, shape, dtype, 0, kind)


def filled_like(array: DeviceNDArray, number: float) -> DeviceNDArray:
    """A new array of `mx.nd` like another one, with one number everywhere."""
    held = array.device_array
    return filled(held.device, held.shape, held.dtype, number)


class DeviceLeaf(Leaf):
    """A variable whose gradient buffer is on a device."""

    __slots__ = ()

    def buffer(self) -> Any:
        """The memory of `grad`, an array of the device, if nothing else refers to it; see `Leaf.buffer`."""
        if self.req != "write" or self.grad is None or not holds_alone(self.grad, "device_array"):
            return None
        array = self.grad.device_array  # type: ignore[attr-defined]
        return array if holds_alone(array, "buffer") else None

    def receive(self, gradient: NDArray | None) -> None:
        """Write a gradient into the buffer, or add it to what is there; None is a gradient of zeros."""
        if self.grad is None or self.req == "null":
            return
        self.fresh = True
        buffer = self.grad
        assert isinstance(buffer, DeviceNDArray)
        if gradient is None:
            if self.req == "write":
                fill(buffer.device_array, 0)
            return
        if gradient.on_device and gradient.device_array is buffer.device_array:  # type: ignore[attr-defined]
            return
        if self.req == "write" and _can_take(buffer, gradient):
            buffer.device_array = gradient.device_array  # type: ignore[attr-defined]
            return
        gradient = gradient.detach().as_nd_ndarray()
        if gradient.shape != buffer.shape:
            gradient = gradient.reshape(buffer.shape)
        if self.req == "add":
            held = buffer.detach().as_nd_ndarray()
            gradient = EAGER.elemwise_add(held, gradient.astype(buffer.dtype, copy=False))
        copy_into(gradient, buffer)


class DeviceRecord(OperatorRecord):
    """An operator that ran on a device; its `arrays` are there."""

    takes_stored, takes_memory = False, True

    __slots__ = ()

    def gradients(self, heads: list[NDArray | None], *, train: bool) -> Sequence[NDArray | None]:
        """Apply the operator's gradient rule."""
        return self.gradients_into(heads, None, train=train)

    def gradients_into(
        self,
        heads: list[NDArray | None],
        into: Sequence[Any] | None,
        *,
        train: bool,
        finished: Callable[[int], None] | None = None,
    ) -> Sequence[NDArray | None]:
        """Like `gradients`, written to the memory given for some of the inputs.

        The rule runs as one graph, unless its computation may be differentiated.
        """
        if STATE.recording:
            return self._recorded(heads)
        flowing: list[Any] = [head for head in heads if head is not None]
        use = GradientUse(
            tuple([entry is not None for entry in self.inputs]),
            tuple([head is not None for head in heads]),
            self.train,
        )
        arrays: list[Any] = [*self.arrays, *[head.device_array for head in flowing]]
        found = gradient_on_device(self.application, use)(arrays, current_run(), into)
        return [None if array is None else made(array) for array in found]

    def _recorded(self, heads: list[NDArray | None]) -> Sequence[NDArray | None]:
        """The gradients as a recorded computation, for higher orders."""
        held: Sequence[Any] = self.arrays
        entries: list[Any] = [*self.inputs, *((self, i) for i in range(self.output_count))]
        values = [made(a, entry=entry) for a, entry in zip(held, entries, strict=True)]
        return input_gradients(
            eager_on(held[0].device),
            self.application,
            values,
            heads,
            train=self.train,
            wanted=[entry is not None for entry in self.inputs],
        )


def _can_take(buffer: DeviceNDArray, gradient: NDArray) -> bool:
    """Whether a buffer can take a gradient's memory for its own: nothing else has either."""
    if not isinstance(gradient, DeviceNDArray):
        return False
    old, new = buffer.device_array, gradient.device_array
    if old.form is not new.form or new.offset:
        return False
    is_whole = new.nbytes == new.buffer.size
    del old, new
    return is_whole and all(
        holds_alone(x, "device_array") and holds_alone(x.device_array, "buffer")
        for x in (buffer, gradient)
    )


class EagerOn:
    """`F` for gradient rules while the tape runs on a device: operators without inputs give arrays there."""

    def __init__(self, device: Device) -> None:
        self._device = device

    def __getattr__(self, name: str) -> Callable[..., Any]:
        usual: Callable[..., Any] = getattr(EAGER, name)
        op, device = REGISTRY[name], self._device

        def call(*inputs: Any, **attributes: Any) -> Any:
            if any(x is not None for x in inputs):
                return usual(*inputs, **attributes)
            from gluonic.ndarray.device.calls import invoke_on  # it needs the records above

            outputs = invoke_on(device, op.apply(attributes), (), NDArray)
            return outputs[0] if len(outputs) == 1 else outputs

        setattr(self, name, call)
        return call


@cache
def eager_on(device: Device) -> EagerOn:
    """`F` for gradient rules on a device."""
    return EagerOn(device)
