"""Calls on a device while the profiler runs: its clock is read before and after each kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from time import perf_counter_ns
from typing import Any

from gluonic.codegen.cuda.device_runs import CallMemory, CopyRun, HostRun, LaunchRun
from gluonic.device.device import Device
from gluonic.graph import Node, Run
from gluonic.graph.events import EVENTS, described

_ROWS = 1 << 20
"""The index of the profile's row for gpu(0), beside those of threads."""


def run_timed(
    device: Device,
    runs: Sequence[LaunchRun | CopyRun | HostRun],
    memory: CallMemory,
    run: Run,
) -> None:
    """Do what the runs do, wait for it, and report kernels, copies and the host's operators to the profiler."""
    device.synchronize()
    begin, start, place = perf_counter_ns(), device.mark(), EVENTS.place()
    spans = []
    for name, details, work in chain.from_iterable(_parts(each, memory, run) for each in runs):
        before = device.mark()
        work()
        spans.append((name, {**place, **details}, before, device.mark()))
    for name, details, *marks in spans:
        first, last = (begin + int(1e9 * mark.seconds_since(start)) for mark in marks)
        EVENTS.add("X", name, "operator", first, last, details, _ROWS + device.ordinal)


def _parts(
    each: LaunchRun | CopyRun | HostRun, memory: CallMemory, run: Run
) -> Iterator[tuple[str, dict[str, Any], Callable[[], object]]]:
    """What a run does, step by step: names, details for the profiler, and functions."""
    if isinstance(each, LaunchRun):
        each.draw(memory, run)
        for launch, nodes, queue in each.one_by_one():
            kernel = {"kernel": launch.function.name, "grid": launch.grid, "threads": launch.block}
            yield _name(nodes), {**described(nodes), **kernel}, partial(queue, *memory.values)
    elif isinstance(each, HostRun):
        details = {**described([each.node]), "on": "the host", "reason": each.reason}
        yield each.node.operator_name, details, partial(each, memory, run)
    else:
        yield "copy", {"bytes": each.size}, partial(each, memory, run)


def _name(nodes: Sequence[Node]) -> str:
    return ".".join(node.operator_name.strip("_") for node in nodes)
