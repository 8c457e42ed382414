"""The steps of a call on a device for some shapes: work that is queued, operators that the host computes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gluonic.codegen.cuda.fallbacks import note_fallback
from gluonic.codegen.cuda.memory_layout import BlockPlace
from gluonic.device.array import DeviceArray
from gluonic.device.device import Buffer, Device, PreparedLaunch
from gluonic.graph import Node, Run
from gluonic.graph.attributes import Shape
from gluonic.graph.kernel_runs import run_in_graph
from gluonic.support.record import record


class HostValue:
    """An array of what is no number, in the place of a buffer: it stays on the host.

    Parameters
    ----------
    array : the array
    """

    address, device = 0, None

    def __init__(self, array: npt.NDArray[np.object_]) -> None:
        self.array = array


class CallMemory(NamedTuple):
    """The memory of one call.

    Attributes
    ----------
    arrays : the inputs
    blocks : memory that the call has allocated, or was given for outputs
    values : the addresses of the inputs, then those of the blocks, then the seeds of random numbers
    others : results that are no numbers, each by the number of its place
    """

    arrays: Sequence[DeviceArray]
    blocks: Sequence[Buffer]
    values: list[int]
    others: dict[int, HostValue]


@record
class ResultPlace:
    """Where a result is.

    Attributes
    ----------
    place : its address; the number of a result that stays on the host is negative
    shape, dtype : of it
    """

    place: BlockPlace
    shape: Shape
    dtype: np.dtype[Any]

    def array(self, memory: CallMemory) -> DeviceArray:
        """The array there."""
        number, given = self.place.number, len(memory.arrays)
        if number < 0:
            host: Any = memory.others[number]
            return DeviceArray(host, 0, self.shape, self.dtype)
        buffer = memory.arrays[number].buffer if number < given else memory.blocks[number - given]
        address = memory.values[number] + self.place.offset
        return DeviceArray(buffer, address - buffer.address, self.shape, self.dtype)


class LaunchRun:
    """Launches that follow each other.

    Parameters
    ----------
    device : the device
    launches : their values are those of `CallMemory`
    nodes : the operators of each
    count : the number of values
    seeds : the numbers of those that are seeds of these launches, in the order of the draws

    Attributes
    ----------
    queue : queues the launches, for such values
    """

    def __init__(
        self,
        device: Device,
        launches: Sequence[PreparedLaunch],
        nodes: Sequence[Sequence[Node]],
        count: int,
        seeds: Sequence[int],
    ) -> None:
        self._device, self._launches, self._nodes, self._count = device, launches, nodes, count
        self.queue, self.seeds = device.prepared(launches, count), seeds

    def __call__(self, memory: CallMemory, run: Run) -> None:
        """Draw seeds, and queue the launches."""
        self.draw(memory, run)
        self.queue(*memory.values)

    def draw(self, memory: CallMemory, run: Run) -> None:
        """Draw the seeds."""
        for number in self.seeds:
            low, high = run.random.words(2).tolist()
            memory.values[number] = (high - (1 << 32) if high >> 31 else high) << 32 | low

    def one_by_one(self) -> Iterator[tuple[PreparedLaunch, Sequence[Node], Callable[..., None]]]:
        """The launches, each with its operators and with what queues it alone."""
        for launch, nodes in zip(self._launches, self._nodes, strict=True):
            yield launch, nodes, self._device.prepared([launch], self._count)


class CopyRun:
    """A copy of an array under another shape.

    Parameters
    ----------
    device : the device
    target, source : where
    size : in bytes
    """

    def __init__(self, device: Device, target: BlockPlace, source: BlockPlace, size: int) -> None:
        self._device, self._target, self._source, self.size = device, target, source, size

    def __call__(self, memory: CallMemory, run: Run) -> None:
        """Queue the copy."""
        target, source = (
            memory.values[place.number] + place.offset for place in (self._target, self._source)
        )
        self._device.copy_within(target, source, self.size)


class HostRun:
    """An operator that the host computes.

    Parameters
    ----------
    node : the operator
    reason : why the device does not
    reads, results : where its inputs and results are
    """

    def __init__(
        self, node: Node, reason: str, reads: Sequence[ResultPlace], results: Sequence[ResultPlace]
    ) -> None:
        self.node, self.reason = node, reason
        self._reads, self._results = reads, results

    def __call__(self, memory: CallMemory, run: Run) -> None:
        """Copy its inputs to the host, run its kernel, and copy the results back."""
        note_fallback(self.node, self.reason)
        read = [self._read(where, memory) for where in self._reads]
        results = run_in_graph(self.node, read, run)
        application = self.node.applied
        for name, where, array in zip(application.inputs, self._reads, read, strict=True):
            if name in application.states:
                where.array(memory).copy_from_host(array)
        for where, array in zip(self._results, results, strict=True):
            if array.dtype.hasobject:
                memory.others[where.place.number] = HostValue(array)
            else:
                where.array(memory).copy_from_host(array)

    def _read(self, where: ResultPlace, memory: CallMemory) -> Any:
        """An input, on the host; if only its shape is read, an array without memory of its own."""
        if self.node.applied.op.reads_shapes:
            return np.broadcast_to(np.zeros((), where.dtype), where.shape)
        array: Any = where.array(memory)
        return array.buffer.array if where.dtype.hasobject else array.to_host()
