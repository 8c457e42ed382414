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
QuickWrite: TypeAlias = Callable[
    [Sequence[DeviceArray], Sequence[DeviceArray | None]], list[DeviceArray]
]
"""The same, with arrays that outputs may be written to; see `DeviceBinding.__call__`."""


def _only_launches(binding: DeviceBinding) -> Callable[..., None] | None:
    """What queues all that a binding does but copies of outputs, if that is launches."""
    run = binding.runs[0] if len(binding.runs) == 1 else None
    return run.queue if isinstance(run, LaunchRun) and not run.seeds else None


def _outputs(binding: DeviceBinding) -> list[tuple[int, int, DeviceForm]]:
    """The input or block of each output, which are numbered, its offset there, and its form."""
    device = binding.device
    return [
        (each.place.number, each.place.offset, form_of(device, each.shape, each.dtype))
        for each in binding.outputs
    ]


def quick_write(binding: DeviceBinding) -> QuickWrite | None:
    """A function that does what a binding does; None if that is more than launches."""
    queue, device, copied = _only_launches(binding), binding.device, set(binding.copied)
    if queue is None:
        return None
    given, outputs = len(binding.inputs), _outputs(binding)
    blocks = [
        (device.allocator(size), binding.alone.get(number))
        for number, size in enumerate(binding.layout.blocks)
    ]
    written = copied.union(binding.alone.values())
    forms = [form if i in written else None for i, (_, _, form) in enumerate(outputs)]

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

    return write


def quick_call(binding: DeviceBinding) -> QuickCall | None:
    """A function that does what a binding does; None if that is more than launches."""
    queue, outputs = _only_launches(binding), _outputs(binding)
    if queue is None or binding.copied:
        return _without_targets(quick_write(binding), len(outputs))
    given = len(binding.inputs)
    allocators = [binding.device.allocator(size) for size in binding.layout.blocks]
    if len(outputs) == len(allocators) == 1:
        return _of_one_block(queue, allocators[0], outputs[0][2])
    places = [(number - given, offset, form) for number, offset, form in outputs]

    def call(arrays: Sequence[DeviceArray]) -> list[DeviceArray]:
        blocks = [allocate() for allocate in allocators]
        queue(*[array.address for array in arrays], *[block.address for block in blocks])
        return [form.array(blocks[i], blocks[i].address + offset) for i, offset, form in places]

    return call


def _without_targets(write: QuickWrite | None, count: int) -> QuickCall | None:
    """A function that gives new memory to all outputs."""
    targets = [None] * count
    return None if write is None else lambda arrays: write(arrays, targets)


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
