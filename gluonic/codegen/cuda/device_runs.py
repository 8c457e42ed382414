"""The steps of a call on a device, prepared for some shapes: launches, and operators that the host computes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from gluonic.codegen.cuda.fallbacks import note_fallback
from gluonic.device.array import DeviceArray
from gluonic.device.device import Device, DeviceFunction, Dimensions
from gluonic.graph import Node, Run
from gluonic.graph.attributes import Shape
from gluonic.graph.kernel_runs import run_in_graph
from gluonic.support.record import record

Owners: TypeAlias = list[Any]
"""What keeps the memory of each slot: a buffer, or a `HostValue`."""
Launch: TypeAlias = tuple[
    DeviceFunction, Dimensions, Dimensions, tuple[int, ...], tuple[int, ...], tuple[int, ...], int
]
"""A kernel, grid and block, the slots of its addresses, their offsets in bytes, numbers, shared bytes."""


class HostValue:
    """An array of what is no number, in the place of a buffer: it stays on the host.

    Parameters
    ----------
    array : the array
    """

    address = 0

    def __init__(self, array: npt.NDArray[np.object_]) -> None:
        self.array = array


@record
class SlotPlace:
    """A result in a slot.

    Attributes
    ----------
    slot : the index of its memory
    shape, dtype : of it
    """

    slot: int
    shape: Shape
    dtype: np.dtype[Any]

    def array(self, owners: Owners, addresses: Sequence[int]) -> DeviceArray:
        """The array there."""
        buffer = owners[self.slot]
        return DeviceArray(buffer, addresses[self.slot] - buffer.address, self.shape, self.dtype)


class LaunchRun:
    """Launches that follow each other.

    Parameters
    ----------
    device : the device
    allocated : the slots that get memory first, each with its size in bytes
    launches : in order
    freed : the slots whose memory nothing needs afterwards
    nodes : the operators
    """

    def __init__(
        self,
        device: Device,
        allocated: Sequence[tuple[int, int]],
        launches: Sequence[Launch],
        freed: Sequence[int],
        nodes: Sequence[Node],
    ) -> None:
        self._allocate, self._launch = device.allocate, device.launch
        self.allocated, self.launches = tuple(allocated), tuple(launches)
        self.freed, self.nodes = tuple(freed), nodes

    def slots(self) -> list[int]:
        """All slots that it uses."""
        used = [slot for launch in self.launches for slot in launch[3]]
        return [*used, *(slot for slot, _ in self.allocated)]

    def place(self, owners: Owners, addresses: list[int]) -> tuple[tuple[int, ...], ...]:
        """Allocate memory; return the arguments of each launch."""
        for slot, size in self.allocated:
            owners[slot] = buffer = self._allocate(size)
            addresses[slot] = buffer.address
        arguments = []
        for _, _, _, slots, offsets, numbers, _ in self.launches:
            if offsets:
                places = [addresses[s] + o for s, o in zip(slots, offsets, strict=True)]
            else:
                places = [addresses[slot] for slot in slots]
            arguments.append((*places, *numbers))
        return tuple(arguments)

    def queue(self, arguments: tuple[tuple[int, ...], ...]) -> None:
        """Queue the launches."""
        for launch, values in zip(self.launches, arguments, strict=True):
            function, grid, block, _, _, _, shared = launch
            self._launch(function, grid, block, values, shared)

    def __call__(self, owners: Owners, addresses: list[int], run: Run) -> None:
        """Queue the launches, and let go of what is not needed any more."""
        self.queue(self.place(owners, addresses))
        for slot in self.freed:
            owners[slot] = None


class DrawRun(LaunchRun):
    """Launches that get a seed as their last number, a new one for each call."""

    def __call__(self, owners: Owners, addresses: list[int], run: Run) -> None:
        """Queue the launches."""
        low, high = run.random.words(2).tolist()
        seed = (high - (1 << 32) if high >> 31 else high) << 32 | low
        self.queue(tuple((*values, seed) for values in self.place(owners, addresses)))
        for slot in self.freed:
            owners[slot] = None


class CopyRun:
    """A copy of an array under another shape.

    Parameters
    ----------
    device, node : the device and the operator
    source, target : the slots
    size : in bytes

    Attributes
    ----------
    freed : the slots whose memory nothing needs afterwards
    """

    def __init__(self, device: Device, node: Node, source: int, target: int, size: int) -> None:
        self._device, self.nodes = device, [node]
        self._source, self._target, self._size = source, target, size
        self.freed: tuple[int, ...] = ()

    def slots(self) -> list[int]:
        """All slots that it uses."""
        return [self._source, self._target]

    def place(self, owners: Owners, addresses: list[int]) -> tuple[tuple[int, ...], ...]:
        """Allocate memory; return the addresses of target and source."""
        owners[self._target] = buffer = self._device.allocate(self._size)
        addresses[self._target] = buffer.address
        return ((buffer.address, addresses[self._source]),)

    def queue(self, arguments: tuple[tuple[int, ...], ...]) -> None:
        """Queue the copy."""
        if self._size:
            ((target, source),) = arguments
            self._device.copy_within(target, source, self._size)

    def __call__(self, owners: Owners, addresses: list[int], run: Run) -> None:
        """Queue the copy, and let go of what is not needed any more."""
        self.queue(self.place(owners, addresses))
        for slot in self.freed:
            owners[slot] = None


class HostRun:
    """An operator that the host computes.

    Parameters
    ----------
    device, node : the device and the operator
    reason : why the device does not
    reads, results : where its inputs and results are
    has_memory : whether a result is written to memory that is there

    Attributes
    ----------
    freed : the slots whose memory nothing needs afterwards
    """

    def __init__(
        self,
        device: Device,
        node: Node,
        reason: str,
        reads: Sequence[SlotPlace],
        results: Sequence[SlotPlace],
        has_memory: Sequence[bool],
    ) -> None:
        self._device, self.nodes, self.reason = device, [node], reason
        self._reads, self._results, self._has_memory = reads, results, has_memory
        self.freed: tuple[int, ...] = ()

    def slots(self) -> list[int]:
        """All slots that it uses."""
        return [place.slot for place in (*self._reads, *self._results)]

    def __call__(self, owners: Owners, addresses: list[int], run: Run) -> None:
        """Copy its inputs to the host, run its kernel, and copy the results back."""
        (node,) = self.nodes
        note_fallback(node, self.reason)
        read = [self._read(place, owners, addresses) for place in self._reads]
        results = run_in_graph(node, read, run)
        application = node.applied
        for name, place, array in zip(application.inputs, self._reads, read, strict=True):
            if name in application.states:
                place.array(owners, addresses).copy_from_host(array)
        for place, has_memory, array in zip(self._results, self._has_memory, results, strict=True):
            if array.dtype.hasobject:
                owners[place.slot] = HostValue(array)
                continue
            if not has_memory:
                owners[place.slot] = buffer = self._device.allocate(array.nbytes)
                addresses[place.slot] = buffer.address
            place.array(owners, addresses).copy_from_host(array)
        for slot in self.freed:
            owners[slot] = None

    def _read(self, place: SlotPlace, owners: Owners, addresses: list[int]) -> Any:
        """An input, on the host; if only its shape is read, an array without memory of its own."""
        (node,) = self.nodes
        if node.applied.op.reads_shapes:
            return np.broadcast_to(np.zeros((), place.dtype), place.shape)
        if place.dtype.hasobject:
            return owners[place.slot].array
        return place.array(owners, addresses).to_host()
