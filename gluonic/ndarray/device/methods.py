"""Methods of arrays on devices that need operators: copies, casts, views, variables."""

from collections.abc import Sequence
from typing import Any

from gluonic.device import DeviceArray
from gluonic.graph import REGISTRY
from gluonic.graph.errors import MXNetError, NotThereError, describe, warn
from gluonic.graph.memory import copied
from gluonic.ndarray.array import GRADIENT_REQUESTS, GradientRequestError, NDArray
from gluonic.ndarray.context import Context, usable
from gluonic.ndarray.device.arrays import DeviceNDArray, made, method, of_host
from gluonic.ndarray.device.assigning import copy_into
from gluonic.ndarray.device.tape import DeviceLeaf, DeviceRecord, zeros_on
from gluonic.ndarray.placing import device_of, is_pinned, page_locked
from gluonic.ndarray.recording import check_writable, put
from gluonic.ndarray.state import STATE
from gluonic.ndarray.tape import FunctionRecord, entry_of

# ------------------------------------------------------------------------------------------ copies


def copied_to(source: NDArray, context: Context) -> NDArray:
    """A copy of an array on a context, of which at least one is a device's; recorded, while recording."""
    device = device_of(context)
    if isinstance(source, DeviceNDArray) and device is not None:
        copy: NDArray = made(source.device_array.copy(device), type(source))
    elif device is not None:
        copy = of_host(source.asnumpy(), device, source.derived_class)
    else:
        copy = (
            source.on_host()
            if isinstance(source, DeviceNDArray)
            else NDArray(copied(source.elements))
        )
        if is_pinned(context):
            copy = NDArray(page_locked(copy.elements, context))
        copy = copy.as_np_ndarray() if source.of_numpy else copy
        copy.stated_context = context
    entry = entry_of(source) if STATE.recording else None
    if entry is not None:
        origin = source.context

        def back(heads: list[NDArray | None]) -> Sequence[NDArray | None]:
            return [None if head is None else head.as_in_context(origin) for head in heads]

        put(FunctionRecord([entry], 1, back), (source,), (copy,))
    return copy


@method("copy")
def copy(self: DeviceNDArray, order: str = "C") -> NDArray:
    """Return a copy."""
    if order != "C":
        raise NotImplementedError(f"copy: only order='C' is supported, not {order!r}")
    return copied_to(self, self.context)


@method("copyto")
def copyto(self: DeviceNDArray, other: Any) -> NDArray:
    """Copy the elements to another array, or to a new one on another context; see `NDArray.copyto`."""
    if isinstance(other, Context):
        return copied_to(self, usable(other))
    if not isinstance(other, NDArray):
        raise TypeError(f"copyto does not support type {type(other)}: an NDArray or a Context")
    return other if other is self else copy_between(self, other)


def copy_between(source: NDArray, target: NDArray) -> NDArray:
    """Copy an array into another one, of which at least one is on a device; recorded, while recording."""
    if target.shape != source.shape:
        raise MXNetError(
            describe(
                f"an array of shape {source.shape} does not fit into {target.shape}", where="copyto"
            )
        )
    check_writable(target)
    copy_into(source, target)
    if STATE.recording and source.tape_entry is not None:
        there = source if source.context == target.context else copied_to(source, target.context)
        target.tape_entry = there.astype(target.dtype).tape_entry
    return target


@method("as_in_context")
def as_in_context(self: DeviceNDArray, context: Context) -> NDArray:
    """Return the array itself if it is on that context, else a copy there."""
    return self if self.context == context else copied_to(self, usable(context))


@method("as_in_ctx")
def as_in_ctx(self: DeviceNDArray, ctx: Context) -> NDArray:
    """Return the array itself if it is on that context, else a copy there."""
    return as_in_context(self, ctx)


@method("__copy__")
def shallow_copy(self: DeviceNDArray) -> NDArray:
    """Return a copy, off the tape."""
    return made(self.device_array.copy(), type(self))


@method("__deepcopy__")
def deep_copy(self: DeviceNDArray, memo: dict[int, Any]) -> NDArray:
    """Return a copy, off the tape."""
    return made(self.device_array.copy(), type(self))


@method("tostype")
def tostype(self: DeviceNDArray, stype: str) -> NDArray:
    """Return a copy; sparse arrays are on the host only."""
    if stype == "default":
        return self.copy()
    raise NotThereError(
        describe(
            f"there are no {stype} arrays on a GPU",
            where="tostype",
            hint="x.as_in_context(mx.cpu()).tostype(…)",
        )
    )


# ------------------------------------------------------------------------------------------- views


def view(
    source: DeviceNDArray, array: DeviceArray, name: str, attributes: dict[str, Any]
) -> DeviceNDArray:
    """An NDArray around a part of `source`, recorded as the operator that computes the same."""
    part = made(array, type(source))
    entry = entry_of(source) if STATE.recording and source.tape_entry is not None else None
    if entry is not None:
        application, values = REGISTRY[name].apply(attributes), [source.device_array, array]
        record = DeviceRecord(application, [entry], values, STATE.training)  # type: ignore[arg-type]
        put(record, (source,), (part,))
    return part


def with_shape(source: DeviceNDArray, shape: tuple[int, ...]) -> DeviceNDArray:
    """Reshape to a shape without codes."""
    return view(source, source.device_array.reshaped(shape), "Reshape", {"shape": shape})


# --------------------------------------------------------------------------------------- gradients


@method("attach_grad")
def attach_grad(self: DeviceNDArray, grad_req: str = "write", stype: str | None = None) -> None:
    """Mark the array as a variable and give it a gradient buffer of zeros; see `NDArray.attach_grad`."""
    if stype not in (None, "default"):
        warn(
            describe(
                f"there are no {stype} arrays on a GPU: the gradient is dense, and updates are not lazy",
                where="attach_grad",
                facts=[f"the array: shape {self.shape}"],
            )
        )
    if grad_req not in GRADIENT_REQUESTS:
        raise GradientRequestError(
            f"grad_req={grad_req!r} must be one of {', '.join(GRADIENT_REQUESTS)}"
        )
    held = self.device_array
    buffer = zeros_on(held.device, held.shape, held.dtype, type(self))
    self.tape_entry = (DeviceLeaf(buffer, grad_req), 0)
