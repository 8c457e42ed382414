"""Memory between pages that nothing may touch: a read or write beside an array ends the process."""

from __future__ import annotations

import ctypes
import mmap
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest

from gluonic.codegen.launch import buffer_assignment
from gluonic.codegen.machine.memory import NOTHING, Lifetimes, MemoryPlan, Room
from gluonic.codegen.runtime import arena, frame

Array = np.ndarray[Any, Any]
PAGE = mmap.PAGESIZE
_NO_ACCESS, _READING = 0, 1  # PROT_NONE, PROT_READ


def _pages(size: int) -> int:
    """The bytes of the pages that hold a number of bytes."""
    return -(-size // PAGE) * PAGE


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _protect(array: Array, offset: int, size: int, access: int) -> None:
    """Forbid writes, or all access, to some pages."""
    address = ctypes.c_void_p(array.ctypes.data + offset)
    if size and _libc().mprotect(address, ctypes.c_size_t(size), access):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), "mprotect")


@dataclass(frozen=True)
class Placement:
    """Where arrays lie on their pages.

    Attributes
    ----------
    at_end : whether they end where the pages end, or begin where these begin
    """

    at_end: bool

    def empty(self, shape: Sequence[int], dtype: Any) -> Array:
        """An array of zeros."""
        size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
        room = _pages(max(size, 1))
        made = np.frombuffer(mmap.mmap(-1, room + 2 * PAGE), np.uint8)
        for offset in (0, PAGE + room):
            _protect(made, offset, PAGE, _NO_ACCESS)
        begin = PAGE + (room - size if self.at_end else 0)
        found: Array = made[begin : begin + size].view(dtype).reshape(shape)
        return found

    def copy(self, array: Array, *, writable: bool) -> Array:
        """A copy; if it is not writable, writing to it ends the process."""
        made = self.empty(array.shape, array.dtype)
        made[...] = array
        if not writable and made.size:
            begin = -(made.ctypes.data % PAGE)
            _protect(made.reshape(-1), begin, _pages(made.nbytes), _READING)
        return made

    def plan(
        self, sizes: Sequence[int], within: Mapping[int, tuple[int, int]] = NOTHING
    ) -> MemoryPlan:
        """A plan that gives each buffer pages of its own, and a page that nothing may touch before it."""
        hosts: dict[int, int] = {}
        guards, total = [0], PAGE
        for number, size in enumerate(map(int, sizes)):
            if number not in within:
                room = _pages(size)
                hosts[number] = total + (room - size if self.at_end else 0)
                guards.append(total + room)
                total += room + PAGE
        offsets = []
        for number in range(len(sizes)):
            host, begin = number, 0
            while host in within:
                host, offset = within[host]
                begin += offset
            offsets.append(hosts[host] + begin)
        return MemoryPlan(offsets, GuardedSize(total, guards))


class GuardedSize(int):
    """The size of a memory with the offsets of the pages in it that nothing may touch."""

    guards: Sequence[int]

    def __new__(cls, size: int, guards: Sequence[int]) -> GuardedSize:
        """A size."""
        made = super().__new__(cls, size)
        made.guards = guards
        return made


class GuardedMemory:
    """The memory of a frame; see `gluonic.codegen.runtime.arena.Memory`."""

    def __init__(self, size: int, *, zeroed: bool = False) -> None:
        self.size, self.start = size, 0
        self.bytes = np.frombuffer(mmap.mmap(-1, max(size, PAGE)), np.uint8)
        self.address = self.bytes.ctypes.data
        for offset in getattr(size, "guards", ()):
            _protect(self.bytes, offset, PAGE, _NO_ACCESS)

    def view(self, offset: int, size: int) -> Array:
        """A range of the bytes."""
        return self.bytes[offset : offset + size]


def _reserved(self: arena.Arena, size: int) -> GuardedMemory:
    """Memory for this plan alone."""
    self.memory = made = GuardedMemory(size)  # type: ignore[assignment]
    return made


@contextmanager
def guarded(placement: Placement) -> Iterator[None]:
    """Meanwhile, results of compiled graphs lie between pages that nothing may touch."""

    def allocated(make: Callable[..., Array], shape: Any, dtype: Any, what: str) -> Array:
        return placement.empty(shape, dtype)

    def plan(
        self: Lifetimes, sizes: Sequence[int], within: Mapping[int, tuple[int, int]] = NOTHING
    ) -> MemoryPlan:
        return placement.plan(sizes, within)

    with pytest.MonkeyPatch.context() as patch:
        for module in (arena, frame):
            patch.setattr(module, "Memory", GuardedMemory)
        patch.setattr(arena.Arena, "reserved", _reserved)
        patch.setattr(frame, "allocated", allocated)
        patch.setattr(buffer_assignment, "side_by_side", placement.plan)
        patch.setattr(Lifetimes, "plan", plan)
        patch.setattr(Room, "note", lambda self, size: None)  # no plan is kept for smaller buffers
        yield
