"""Calls on a device that are nothing but launches, with little work besides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from gluonic.codegen.cuda.device_binding import DeviceBinding
from gluonic.codegen.cuda.device_runs import LaunchRun
from gluonic.device.array import DeviceArray, DeviceForm, form_of
from gluonic.device.device import Buffer

QuickCall: TypeAlias = Callable[[Sequence[DeviceArray]], list[DeviceArray]]
"""Computes the outputs from arrays of the forms that it was made for, all of which are aligned."""


def quick_call(binding: DeviceBinding) -> QuickCall | None:
    """A function that does what a binding does; None if that is more than launches with new memory."""
    run = binding.runs[0] if len(binding.runs) == 1 else None
    if not isinstance(run, LaunchRun) or run.seeds or binding.copied:
        return None
    device, inputs, queue = binding.device, len(binding.inputs), run.queue
    allocators = [device.allocator(size) for size in binding.layout.blocks]
    outputs = [
        (each.place.number - inputs, each.place.offset, form_of(device, each.shape, each.dtype))
        for each in binding.outputs
    ]
    if len(outputs) == len(allocators) == 1:
        return _of_one_block(queue, allocators[0], outputs[0][2])

    def call(arrays: Sequence[DeviceArray]) -> list[DeviceArray]:
        blocks = [allocate() for allocate in allocators]
        queue(*[array.address for array in arrays], *[block.address for block in blocks])
        return [form.array(blocks[i], blocks[i].address + offset) for i, offset, form in outputs]

    return call


def _of_one_block(
    queue: Callable[..., None], allocate: Callable[[], Buffer], form: DeviceForm
) -> QuickCall:
    """The same for the most frequent case: the only memory is that of the only output."""

    def call(arrays: Sequence[DeviceArray]) -> list[DeviceArray]:
        block = allocate()
        address = block.address
        queue(*[array.address for array in arrays], address)
        return [form.array(block, address)]

    return call
