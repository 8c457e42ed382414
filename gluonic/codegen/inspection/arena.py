"""The contents of a compiled graph's arena, and their lifetimes in steps."""

import math
from typing import TYPE_CHECKING

from gluonic.graph import Entry
from gluonic.support.record import record

if TYPE_CHECKING:
    from gluonic.codegen.runtime.binding import Binding


@record
class ArenaSpan:
    """A buffer in the arena, from one step to another.

    Attributes
    ----------
    name : the name of the node whose result it is, or ``workspace``
    offset : its offset, in bytes
    size : its size, in bytes
    first, last : the first step that writes it and the last that uses it
    """

    name: str
    offset: int
    size: int
    first: int
    last: int


def arena_of(binding: "Binding") -> tuple[ArenaSpan, ...]:
    """List the buffers in the arena, in the order in which they are written."""
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
    """The size of an array in bytes."""
    return math.prod(shape) * itemsize
