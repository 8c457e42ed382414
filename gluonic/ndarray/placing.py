"""New arrays on their contexts; `ndarray.device` is imported for the first one on a GPU."""

import os
from functools import cache
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from gluonic.graph import Array
from gluonic.graph.memory import copied
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.context import Context, devices, is_served_by_cpu

if TYPE_CHECKING:
    from gluonic.device import Device

GPU, _PINNED = Context.devstr2type["gpu"], Context.devstr2type["cpu_pinned"]


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
    if context is None or context.device_typeid != GPU:
        return None
    device: Device | None = devices().in_use(context.device_id)
    if device is None and not is_served_by_cpu(context):
        device = devices().device(context.device_id)
    return device


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
    if context is None or context.device_typeid != GPU:
        return kind(page_locked(elements, context) if is_pinned(context) else elements, context)
    device = device_of(context)
    if device is None:
        return kind(elements, context)
    return on_devices().of_host(elements, device, kind)  # type: ignore[no-any-return]


def is_pinned(context: Context | None) -> TypeGuard[Context]:
    """Whether a context is that of page-locked memory."""
    return context is not None and context.device_typeid == _PINNED


def page_locked(elements: Array, context: Context) -> Array:
    """A copy in memory that a GPU copies from while it computes; without a GPU, in ordinary memory.

    Parameters
    ----------
    context : ``cpu_pinned(i)``, for the GPU ``gpu(i)``
    """
    number = context.device_id
    device = devices().in_use(number)
    if device is None and os.environ.get("GLUONIC_GPU") != "cpu" and number < devices().count():
        device = devices().device(number)
    if device is None:
        return copied(elements)
    target: Array = device.host_array(elements.nbytes).view(elements.dtype).reshape(elements.shape)
    target[...] = elements
    return target


def placed_if_there(elements: Array, context: Context) -> NDArray:
    """An array of a file, on the GPU that it was on if there is one with that number, else on the host."""
    is_of_gpu = context.device_typeid == GPU and os.environ.get("GLUONIC_GPU") != "cpu"
    if is_of_gpu and context.device_id < devices().count():
        there = devices().device(context.device_id)
        return on_devices().of_host(elements, there)  # type: ignore[no-any-return]
    return NDArray(elements)


def memory_is_shared(a: NDArray, b: NDArray) -> bool:
    """Whether two dense arrays may share memory."""
    if a.on_device or b.on_device:
        return a.on_device and b.on_device and a.device_array.buffer is b.device_array.buffer  # type: ignore[attr-defined]
    return np.may_share_memory(a.elements, b.elements)
