"""Steps that a device runs as one: recorded when their memory is that of earlier calls, then replayed.

A launch takes the host 4 µs, a replay of any number of them as much. What is recorded has addresses in it, so
it can be replayed only where a call has the same memory as the one that was recorded. That is common: the pool
hands out the block that was freed last, so calls in a row get the same blocks, or take turns with a few.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TypeAlias

from gluonic.codegen.cuda.device_runs import CopyRun, DrawRun, HostRun, LaunchRun, Owners
from gluonic.device.device import Device, Recording
from gluonic.device.errors import DeviceMemoryError
from gluonic.graph import Node, Run

QueuedRun: TypeAlias = LaunchRun | CopyRun
Arguments: TypeAlias = tuple[tuple[tuple[int, ...], ...], ...]

_LEAST_RUNS = 2
_CALLS_BEFORE = 2
"""So many calls with the same memory come before one is recorded, which takes the time of some."""
_MOST_RECORDINGS, _MOST_COUNTED = 4, 64


class RecordedRuns:
    """Steps that follow each other, none of which the host computes.

    Parameters
    ----------
    device : the device, which records
    runs : the steps
    """

    def __init__(self, device: Device, runs: Sequence[QueuedRun]) -> None:
        self._device, self.runs = device, tuple(runs)
        self.nodes: list[Node] = [node for run in runs for node in run.nodes]
        self._calls: dict[Arguments, int] = {}
        self._recordings: dict[Arguments, Recording] = {}

    def __call__(self, owners: Owners, addresses: list[int], run: Run) -> None:
        """Queue the steps; if memory is lacking, one after the other."""
        with self._device.alone():
            arguments = self._placed(owners, addresses)
            recording = self._recordings.get(arguments)
            if recording is None and len(arguments) == len(self.runs):
                recording = self._recorded(arguments)
            if recording is None:
                self._queue(arguments)
            else:
                recording.replay()
        for each in self.runs[len(arguments) :]:
            each(owners, addresses, run)

    def _placed(self, owners: Owners, addresses: list[int]) -> Arguments:
        """The arguments of the steps, as far as there is memory.

        What a step frees may become another thread's before the step is queued, but the work of that thread
        waits meanwhile.
        """
        arguments = []
        try:
            for run in self.runs:
                arguments.append(run.place(owners, addresses))
                for slot in run.freed:
                    owners[slot] = None
        except DeviceMemoryError:
            pass  # the step tries again, when memory can be given back to the driver
        return tuple(arguments)

    def _queue(self, arguments: Arguments) -> None:
        for run, values in zip(self.runs, arguments, strict=False):
            run.queue(values)

    def _recorded(self, arguments: Arguments) -> Recording | None:
        """What was recorded now; None if this memory has not been seen often enough."""
        calls = self._calls.get(arguments, 0)
        if calls < _CALLS_BEFORE:
            if len(self._calls) >= _MOST_COUNTED:
                self._calls.clear()
            self._calls[arguments] = calls + 1
            return None
        recording = self._device.record(lambda: self._queue(arguments))
        if recording is not None:
            if len(self._recordings) >= _MOST_RECORDINGS:
                del self._recordings[next(iter(self._recordings))]
            self._recordings[arguments] = recording
        return recording


def joined(
    runs: Sequence[QueuedRun | HostRun], device: Device
) -> Iterator[QueuedRun | HostRun | RecordedRuns]:
    """The steps, those together that the device can record: no draws, whose numbers change."""
    for alone, group in groupby(runs, lambda run: isinstance(run, HostRun | DrawRun)):
        together = list(group)
        if alone or not device.records or len(together) < _LEAST_RUNS:
            yield from together
        else:
            yield RecordedRuns(device, [run for run in together if not isinstance(run, HostRun)])
