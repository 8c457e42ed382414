"""Runs of steps, divided where outputs are finished, so that these can be used while the rest runs."""

from collections.abc import Iterator
from itertools import pairwise

from gluonic.codegen.native.specialization import Segment, Specialization
from gluonic.support.record import record


@record
class RunPart:
    """Consecutive steps of a run.

    Attributes
    ----------
    first, end : the range of their indices
    operand : the index of the first one's operands
    finished : the outputs, numbered as in `Specialization.computed`, that no later step reads or writes
    """

    first: int
    end: int
    operand: int
    finished: tuple[int, ...]


def divided(spec: Specialization) -> dict[int, list[RunPart]]:
    """For each native function that a call runs, its parts.

    An output whose last access is by Python is in none of them, nor is one that may still be discarded.
    """
    ends: dict[tuple[int, int], list[int]] = {}
    if spec.call.bail_out is None and not spec.call.has_foreign_steps:
        last = {slot: position for position, slot in _touched(spec)}
        native = {i: segment.number for i, segment in enumerate(spec.segments) if segment.native}
        for number, (slot, _) in enumerate(spec.call.results):
            position = None if slot is None else last.get(slot)
            if position is not None and position[0] in native:
                ends.setdefault((native[position[0]], position[1] + 1), []).append(number)
    return {
        segment.number: _parts(spec, segment, ends) for segment in spec.segments if segment.native
    }


def _touched(spec: Specialization) -> Iterator[tuple[tuple[int, int], int]]:
    """For each step, its position (its segment, and its index there) and a slot that it reads or writes."""
    for number, segment in enumerate(spec.segments):
        if segment.native:
            for index, call in enumerate(spec.code.calls[segment.number]):
                yield from (((number, index), slot) for slot in call.slots)
        else:
            for index, group in enumerate(segment.groups):
                entries = [*group.inputs, *spec.written_by(group)]
                slots = [spec.slot(e) for e in entries if spec.root.get(e, e) in spec.slots]
                yield from (((number, index), slot) for slot in slots)


def _parts(
    spec: Specialization, segment: Segment, ends: dict[tuple[int, int], list[int]]
) -> list[RunPart]:
    calls = spec.code.calls[segment.number]
    bounds = sorted({0, len(calls), *(end for run, end in ends if run == segment.number)})
    begins = [0]
    for call in calls:
        begins.append(begins[-1] + len(call.operands()))
    return [
        RunPart(first, end, begins[first], tuple(ends.get((segment.number, end), ())))
        for first, end in pairwise(bounds)
    ]
