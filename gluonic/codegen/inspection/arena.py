"""What lies in the arena of a compiled graph, and from which step to which."""

import math
from typing import TYPE_CHECKING

from gluonic.graph import Entry
from gluonic.support.record import record

if TYPE_CHECKING:
    from gluonic.codegen.runtime.binding import Binding


@record
class ArenaSpan:
    """What lies in the arena from one step to another.

    Attributes
    ----------
    name : of the node whose result it is, or ``workspace``
    offset : where it begins, in bytes
    size : how many bytes it takes
    first, last : the steps that write it first and use it last
    """

    name: str
    offset: int
    size: int
    first: int
    last: int


def arena_of(binding: "Binding") -> tuple[ArenaSpan, ...]:
    """List what shares the arena, in the order in which it is written."""
    spec = binding.specialization
    first: dict[object, int] = {}
    last: dict[object, int] = {}
    for number, group in enumerate(spec.groups):
        for entry in (*spec.written_by(group), group.step):
            first.setdefault(spec.root.get(entry, entry), number)
        for entry in (*group.inputs, *spec.written_by(group), group.step):
            last[spec.root.get(entry, entry)] = number
    offsets, ends = (
        binding.transient.offsets,
        [*sorted(set(binding.transient.offsets)), binding.transient.size],
    )
    spans = []
    for buffer, offset in zip(spec.buffers.transient, offsets, strict=True):
        known = isinstance(buffer, Entry)
        size = (
            bytes_of(binding.facts.shapes[buffer], binding.facts.dtypes[buffer].itemsize)
            if known
            else ends[ends.index(offset) + 1] - offset
        )
        name = buffer.node.name if known else "workspace"
        spans.append(ArenaSpan(name, offset, size, first.get(buffer, 0), last.get(buffer, 0)))
    return tuple(spans)


def bytes_of(shape: tuple[int, ...], itemsize: int) -> int:
    """How many bytes an array takes."""
    return math.prod(shape) * itemsize
