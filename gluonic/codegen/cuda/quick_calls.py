"""Calls on a device that are nothing but launches, with little work besides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from gluonic.codegen.cuda.device_binding import DeviceBinding
from gluonic.codegen.cuda.device_runs import LaunchRun
from gluonic.device.array import DeviceArray, DeviceForm, form_of
from gluonic.device.device import Buffer

QuickCall: TypeAlias = Callable[..., list[DeviceArray]]
"""Computes the outputs from a sequence of arrays, and perhaps one of arrays that outputs may be written to.

The arrays are of the forms that it was made for, all of which are aligned. See `DeviceBinding.__call__`.
"""


def quick_call(binding: DeviceBinding) -> QuickCall | None:
    """A function that does what a binding does; None if that is more than launches and copies of outputs."""
    run = binding.runs[0] if len(binding.runs) == 1 else None
    if not isinstance(run, LaunchRun) or run.seeds:
        return None
    device = binding.device
    allocators = [device.allocator(size) for size in binding.layout.blocks]
    outputs = [
        (each.place.number, each.place.offset, form_of(device, each.shape, each.dtype))
        for each in binding.outputs
    ]
    if len(outputs) == len(allocators) == len(binding.alone) == 1:
        return _of_one_block(run.queue, allocators[0], outputs[0][2])
    return _of_blocks(binding, run.queue, allocators, outputs)


def _of_one_block(
    queue: Callable[..., None], allocate: Callable[[], Buffer], form: DeviceForm
) -> QuickCall:
    """The most frequent case: the only memory is that of the only output."""

    def call(
        arrays: Sequence[DeviceArray], into: Sequence[DeviceArray | None] | None = None
    ) -> list[DeviceArray]:
        if into is not None:
            (target,) = into
            if target is not None and target.form is form:
                queue(*[array.address for array in arrays], target.address)
                return [target]
        block = allocate()
        address = block.address
        queue(*[array.address for array in arrays], address)
        return [form.array(block, address)]

    return call


def _of_blocks(
    binding: DeviceBinding,
    queue: Callable[..., None],
    allocators: Sequence[Callable[[], Buffer]],
    outputs: Sequence[tuple[int, int, DeviceForm]],
) -> QuickCall:
    """All other cases; an output has the number of an input or block, its offset there in bytes, and a form."""
    device, given, copied = binding.device, len(binding.inputs), set(binding.copied)
    blocks = [(allocate, binding.alone.get(i)) for i, allocate in enumerate(allocators)]
    places = [(number - given, offset, form) for number, offset, form in outputs]
    written = copied.union(binding.alone.values())
    forms = [form if i in written else None for i, (_, _, form) in enumerate(outputs)]
    no_targets = [None] * len(outputs)

    def call(
        arrays: Sequence[DeviceArray], into: Sequence[DeviceArray | None] | None = None
    ) -> list[DeviceArray]:
        if copied or into is not None:
            return write(arrays, into or no_targets)
        buffers = [allocate() for allocate in allocators]
        queue(*[array.address for array in arrays], *[buffer.address for buffer in buffers])
        return [form.array(buffers[i], buffers[i].address + offset) for i, offset, form in places]

    def write(
        arrays: Sequence[DeviceArray], into: Sequence[DeviceArray | None]
    ) -> list[DeviceArray]:
        targets = [
            target if target is not None and target.form is form else None
            for target, form in zip(into, forms, strict=True)
        ]
        buffers, addresses = list[Buffer](), [array.address for array in arrays]
        for allocate, i in blocks:
            target = None if i is None else targets[i]
            buffer = allocate() if target is None else target.buffer
            buffers.append(buffer)
            addresses.append(buffer.address if target is None else target.address)
        queue(*addresses)
        for i in copied:
            number, offset, form = outputs[i]
            target = targets[i] = targets[i] or DeviceArray.empty(device, form.shape, form.dtype)
            if form.nbytes:
                device.copy_within(target.address, addresses[number] + offset, form.nbytes)
        return [
            form.array(buffers[number - given], addresses[number] + offset)
            if target is None
            else target
            for target, (number, offset, form) in zip(targets, outputs, strict=True)
        ]

    return call
