"""Memory that knows, for each byte, whether it is allocated and whether anybody wrote it."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

import numpy as np

from gluonic.device.emulated.formats import Array

GLOBAL_START = 1 << 40
SHARED_WINDOW, LOCAL_WINDOW = 1 << 36, 1 << 37  # where generic addresses of these spaces start
WINDOW_SIZE = 1 << 32

ALLOCATED, WRITTEN = 1, 3
LARGEST_ACCESS = 16
_ALIGNMENT = 256
_FIRST_CAPACITY = 1 << 22

DTYPES = {1: "u1", 2: "u2", 4: "u4", 8: "u8", 16: "c16"}  # NumPy has no integers of 16 bytes
_EVERY_BYTE = {1: 0x01, 2: 0x0101, 4: 0x01010101, 8: 0x0101010101010101, 16: 0x0101010101010101}
_ALL_WRITTEN = {
    size: np.full(LARGEST_ACCESS, WRITTEN, "u1").view(dtype)[0] for size, dtype in DTYPES.items()
}


class Bytes:
    """Flat memory. An access has 1, 2, 4, 8 or 16 bytes, and an index that counts such units."""

    def __init__(self, size: int, state: int) -> None:
        size = -(-size // LARGEST_ACCESS) * LARGEST_ACCESS
        self.size = size
        self.data = np.zeros(size, "u1")
        self.state = np.full(size, state, "u1") if state else np.zeros(size, "u1")
        self._view()

    def _view(self) -> None:
        self._datas = {size: self.data.view(dtype) for size, dtype in DTYPES.items()}
        self._states = {size: self.state.view(dtype) for size, dtype in DTYPES.items()}

    def grow(self, size: int) -> None:
        """Become larger."""
        grown = Bytes(size, 0)
        grown.data[: self.size], grown.state[: self.size] = self.data, self.state
        self.size, self.data, self.state = grown.size, grown.data, grown.state
        self._view()

    def view(self, size: int) -> Array:
        """All of it as unsigned integers of a size."""
        return self._datas[size]

    def flawed(self, index: Array, size: int, state: int) -> Array:
        """Which accesses touch a byte that isn't in a state; of 16 bytes, with an axis of the two halves."""
        states = self._states[size].take(index)
        if size == LARGEST_ACCESS:
            states = states[..., None].view("u8")
        expected = states.dtype.type(_EVERY_BYTE[size] * state)
        if state == ALLOCATED:
            states &= expected
        return np.asarray(states != expected)

    def gather(self, index: Array, size: int) -> Array:
        """The bits of accesses."""
        return self._datas[size].take(index)

    def scatter(self, index: Array, size: int, values: Array) -> None:
        """Set the bits of accesses, and mark them as written."""
        self._datas[size][index] = values
        self._states[size][index] = _ALL_WRITTEN[size]


_REMEMBERED = 200
"""The allocations given back latest are named where one of them is used."""


class Allocation(NamedTuple):
    """A piece of memory; offset and size are in bytes."""

    offset: int
    size: int
    label: str


class GlobalMemory:
    """The memory of a device: allocations with gaps between them.

    Space that was given back is used again as late as possible, so that a late access is noticed.

    Attributes
    ----------
    total, used : in bytes
    """

    def __init__(self, total: int) -> None:
        self.total, self.used = total, 0
        self.bytes = Bytes(_FIRST_CAPACITY, 0)
        self._allocations: dict[int, Allocation] = {}
        self._starts: list[int] = []
        self._freed: dict[int, Allocation] = {}
        self._next = 0

    def allocate(self, size: int, label: str = "") -> int:
        """The address of new memory, or -1 where there is not enough."""
        if self.used + size > self.total:
            return -1
        space = -(-max(size, 1) // _ALIGNMENT) * _ALIGNMENT
        offset = self._gap(self._next, space)
        if offset < 0:
            offset = self._gap(0, space)
        while offset < 0 or (self.used + size) * 2 > self.bytes.size:
            self.bytes.grow(self.bytes.size * 2)
            offset = self._gap(self._next, space)
        self._next = offset + space
        self._allocations[offset] = Allocation(offset, size, label)
        self._starts.insert(bisect_right(self._starts, offset), offset)
        for late in [o for o in self._freed if offset - _ALIGNMENT <= o < offset + space]:
            del self._freed[late]
        self.used += size
        self.bytes.state[offset : offset + size] = ALLOCATED
        return GLOBAL_START + offset

    def _gap(self, start: int, space: int) -> int:
        """The first offset from `start` on with a gap that is large enough, or -1."""
        at = bisect_right(self._starts, start) - 1
        if at >= 0:
            start = max(start, self._end(self._starts[at]))
        start = max(start, _ALIGNMENT)
        for other in self._starts[at + 1 :]:
            if start + space + _ALIGNMENT <= other:
                return start
            start = max(start, self._end(other))
        return start if start + space + _ALIGNMENT <= self.bytes.size else -1

    def _end(self, offset: int) -> int:
        """Where the gap behind an allocation ends."""
        size = max(self._allocations[offset].size, 1)
        return offset + -(-size // _ALIGNMENT) * _ALIGNMENT + _ALIGNMENT

    def release(self, address: int) -> None:
        """Take memory back."""
        offset = address - GLOBAL_START
        allocation = self._allocations.pop(offset)
        del self._starts[bisect_right(self._starts, offset) - 1]
        self.bytes.state[offset : offset + allocation.size] = 0
        self.used -= allocation.size
        if len(self._freed) == _REMEMBERED:
            del self._freed[next(iter(self._freed))]
        self._freed[offset] = allocation

    def part(self, address: int, size: int) -> slice:
        """The bytes of one allocation at an address.

        Raises
        ------
        IndexError
            if they aren't within one
        """
        offset = address - GLOBAL_START
        inside = self.allocation_at(offset)
        if inside is None or offset + size > inside.offset + inside.size:
            raise IndexError(self.whereabouts(offset))
        return slice(offset, offset + size)

    def allocation_at(self, offset: int) -> Allocation | None:
        """The allocation with the byte at an offset."""
        at = bisect_right(self._starts, offset) - 1
        if at < 0:
            return None
        allocation = self._allocations[self._starts[at]]
        return allocation if offset < allocation.offset + allocation.size else None

    def whereabouts(self, offset: int) -> str:
        """What is at an offset, or near it, in words."""
        inside = self.allocation_at(offset)
        if inside is not None:
            return f"byte {offset - inside.offset} of {_named(inside)}"
        for freed in self._freed.values():
            if freed.offset <= offset < freed.offset + freed.size:
                return f"byte {offset - freed.offset} of {_named(freed)}, which was given back"
        near = [
            (offset - a.offset - a.size, f"{offset - a.offset - a.size} bytes behind the end of")
            if offset >= a.offset
            else (a.offset - offset, f"{a.offset - offset} bytes before the start of")
            for a in self._allocations.values()
        ]
        if not near or offset < 0:
            return "in no buffer"
        which, (_, words) = min(enumerate(near), key=lambda item: item[1][0])
        return f"{words} {_named(list(self._allocations.values())[which])}"


def _named(allocation: Allocation) -> str:
    name = allocation.label or "a buffer"
    return f"{name} of {allocation.size} bytes at {GLOBAL_START + allocation.offset:#x}"
