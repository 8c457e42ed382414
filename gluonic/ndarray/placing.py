"""New arrays on the context that they belong to; the rest of `ndarray.device` is imported for the first on a GPU."""

import os
from functools import cache
from typing import TYPE_CHECKING, Any

from gluonic.graph import Array
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.context import Context

if TYPE_CHECKING:
    from gluonic.device import Device

_GPU = Context.devstr2type["gpu"]


@cache
def on_devices() -> Any:
    """The code for arrays on devices."""
    from gluonic.ndarray import device

    return device


def device_of(context: Context | None) -> "Device | None":
    """The device with the memory of a context; None if that is the host's.

    Raises
    ------
    MXNetError
        for a GPU that is not there
    """
    if context is None or context.device_typeid != _GPU or os.environ.get("GLUONIC_GPU") == "cpu":
        return None
    from gluonic.device.devices import device

    return device(context.device_id)


def placed(
    elements: Array, context: Context | None = None, kind: type[NDArray] = NDArray
) -> NDArray:
    """An array on a context, around elements that nothing else uses; a device gets a copy.

    Parameters
    ----------
    elements : contiguous, of the host
    context : one that `usable` accepts
    kind : the class of the array
    """
    device = device_of(context)
    if device is None:
        return kind(elements, context)
    return on_devices().of_host(elements, device, kind)  # type: ignore[no-any-return]


def placed_if_there(elements: Array, device_typeid: int, device_id: int) -> NDArray:
    """An array of a file, on the GPU that it was on if there is one with that number, else on the host."""
    if device_typeid == _GPU and os.environ.get("GLUONIC_GPU") != "cpu":
        from gluonic.device.devices import count, device

        if device_id < count():
            return on_devices().of_host(elements, device(device_id))  # type: ignore[no-any-return]
    return NDArray(elements)
