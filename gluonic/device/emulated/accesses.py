"""The memory that some blocks of a launch see, and the checks of each access to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gluonic.device.emulated.flow import Mask
from gluonic.device.emulated.formats import Array, unsigned
from gluonic.device.emulated.launches import BlockRange
from gluonic.device.emulated.memory import (
    ALLOCATED,
    DTYPES,
    GLOBAL_START,
    LARGEST_ACCESS,
    LOCAL_WINDOW,
    SHARED_WINDOW,
    WINDOW_SIZE,
    WRITTEN,
    Bytes,
)
from gluonic.device.emulated.races import SIMULTANEOUS, Accessors, Conflict, NotedRead, Races
from gluonic.device.errors import DeviceError

_SHIFTS = {size: np.uint64(size.bit_length() - 1) for size in DTYPES}


class _Space(NamedTuple):
    """A kind of memory.

    Attributes
    ----------
    bytes : all of it
    start : the address of its first byte
    limit : how many bytes a thread may access there
    parts : where each thread's or block's part starts
    races : who accessed it, unless each thread has its own
    """

    name: str
    bytes: Bytes
    start: int
    limit: int
    parts: Array | None
    races: Races | None


class _Access(NamedTuple):
    """Accesses: where, in units of `size` bytes, and the indices of the threads, None for all."""

    space: _Space
    places: Array
    size: int
    lanes: Array | None
    line: int


class BlockMemory:
    """The memory of consecutive blocks that run together: the device's, and their own shared and local one."""

    def __init__(self, blocks: BlockRange) -> None:
        launch = blocks.launch
        self.blocks, self.shape = blocks, blocks.shape
        count, threads = blocks.shape
        rows, columns = np.arange(count, dtype="u8")[:, None], np.arange(threads, dtype="u8")[None]
        shared_size, local_size = _padded(launch.shared_size), _padded(launch.local_size)
        shared = Bytes(count * shared_size, ALLOCATED)
        local = Bytes(count * threads * local_size, ALLOCATED)
        shared_races = Races(shared.size, launch.races.allows_equal_values)
        memory = launch.memory.bytes
        shared_starts = rows * np.uint64(shared_size)
        local_starts = (rows * np.uint64(threads) + columns) * np.uint64(local_size)
        sizes = launch.shared_size, launch.local_size
        self._spaces = {
            "global": _Space("global", memory, GLOBAL_START, memory.size, None, launch.races),
            "const": _Space("global", memory, GLOBAL_START, memory.size, None, launch.races),
        }
        for prefix, starts in (("", (0, 0)), ("generic ", (SHARED_WINDOW, LOCAL_WINDOW))):
            self._spaces[f"{prefix}shared"] = _Space(
                "shared", shared, starts[0], sizes[0], shared_starts, shared_races
            )
            self._spaces[f"{prefix}local"] = _Space(
                "local", local, starts[1], sizes[1], local_starts, None
            )
        self._epochs = np.ones((count, 1), "u4")
        self._numbers = np.arange(1, threads + 1, dtype="u4")[None]
        self._among_blocks = blocks.accessors
        self._within_blocks = self._accessors_within()

    def _accessors_within(self) -> Accessors:
        threads = self.shape[1]
        base = self._epochs * np.uint32(threads + 1)
        return Accessors(base, base + self._numbers, threads, 1)

    def pass_barrier(self, here: Mask) -> None:
        """All threads of some blocks have waited for one another; None for all blocks."""
        self.finish_reads("shared")
        if here is None:
            self._epochs += np.uint32(1)
        else:
            self._epochs[here] += np.uint32(1)
        self._within_blocks = self._accessors_within()
        if here is None or here.all():
            races = self._spaces["shared"].races
            if races is not None:
                races.forget()

    def finish_reads(self, space: str) -> None:
        """Compare the reads so far with the writes so far."""
        races = self._spaces[space].races
        conflicting = races and races.conflicting_read()
        if conflicting:
            read, conflict = conflicting
            blocks = self.blocks.launch.blocks_from(read.first, read.blocks)
            raise _race(blocks, self._spaces[space], conflict, read.lanes, read.line)

    # -- loads and stores -------------------------------------------------------------------------

    def load(
        self, space: str, address: Array, size: int, count: int, active: Mask, line: int, mode: str
    ) -> Sequence[Array]:
        """Read `count` neighbours of `size` bytes at each address.

        Parameters
        ----------
        mode : ``ordered`` for accesses that others may race with
        """
        if size * count > LARGEST_ACCESS:
            half = count // 2
            upper = address + np.uint64(half * size)
            return [
                *self.load(space, address, size, half, active, line, mode),
                *self.load(space, upper, size, half, active, line, mode),
            ]
        values = self._load(space, address, size * count, active, line, mode)
        if count == 1:
            return [values]
        parts = values[..., None].view(unsigned(size * 8))
        return [np.ascontiguousarray(parts[..., number]) for number in range(count)]

    def _load(
        self, space: str, address: Array, size: int, active: Mask, line: int, mode: str
    ) -> Array:
        lanes = None
        if active is not None:
            lanes = np.flatnonzero(active)
            chosen = (
                np.broadcast_to(address, self.shape)[active]
                if address.size > 1
                else address.reshape(1)
            )
        else:
            chosen = address
        if space == "":
            space = _space_of(chosen)
            if space == "mixed":
                return self._load_mixed(address, size, active, line, mode)
        access = self._access(space, chosen, size, lanes, line)
        self._check(access, WRITTEN)
        races = access.space.races
        if races is not None and mode != "ordered":
            within = access.space.name == "shared"
            by = self._within_blocks if within else self._among_blocks
            races.note(
                NotedRead(access.places, size, by, lanes, self.blocks.first, self.shape[0], line)
            )
            if races.is_full:
                self.finish_reads(access.space.name)
                races.forget_reads()
        values = access.space.bytes.gather(access.places, size)
        if active is None:
            return values
        result = np.zeros(self.shape, values.dtype)
        result[active] = values
        return result

    def _load_mixed(self, address: Array, size: int, active: Mask, line: int, mode: str) -> Array:
        address = np.broadcast_to(address, self.shape)
        parts = self._parts(address, active)
        values = [self._load(space, address, size, where, line, mode) for space, where in parts]
        result = values[0]
        for value, (_, where) in zip(values[1:], parts[1:], strict=True):
            result[where] = value[where]
        return result

    def store(
        self,
        space: str,
        address: Array,
        size: int,
        values: Sequence[Array],
        active: Mask,
        line: int,
        mode: str,
    ) -> None:
        """Write neighbours of `size` bytes at each address."""
        if size * len(values) > LARGEST_ACCESS:
            half = len(values) // 2
            upper = address + np.uint64(half * size)
            self.store(space, address, size, values[:half], active, line, mode)
            self.store(space, upper, size, values[half:], active, line, mode)
            return
        total = size * len(values)
        together = values[0]
        if len(values) > 1:
            full = np.empty((*self.shape, len(values)), unsigned(size * 8))
            for number, value in enumerate(values):
                full[..., number] = value
            together = full.view(DTYPES[total])[..., 0]
        together = np.broadcast_to(together, self.shape)
        self._store(
            space, np.broadcast_to(address, self.shape), total, together, active, line, mode
        )

    def _store(
        self,
        space: str,
        address: Array,
        size: int,
        values: Array,
        active: Mask,
        line: int,
        mode: str,
    ) -> None:
        if space == "":
            space = _space_of(address if active is None else address[active])
        if space == "mixed":
            for part, where in self._parts(address, active):
                self._store(part, address, size, values, where, line, mode)
            return
        lanes = None
        if active is not None:
            address, values, lanes = address[active], values[active], np.flatnonzero(active)
        access = self._access(space, address, size, lanes, line)
        self._check(access, ALLOCATED)
        memory, races = access.space.bytes, access.space.races
        if races is None or mode == "ordered":
            memory.scatter(access.places, size, values)
            return
        by = self._within_blocks if access.space.name == "shared" else self._among_blocks
        equal = memory.gather(access.places, size) == values if races.allows_equal_values else None
        conflict = races.store(access.places, size, by.of(lanes), equal)
        memory.scatter(access.places, size, values)
        if conflict is None and equal is not None:
            different = memory.gather(access.places, size) != values
            if different.any():
                which = int(np.argmax(different))
                conflict = Conflict(which, int(access.places.flat[which]), size, -1, SIMULTANEOUS)
        if conflict is not None:
            raise _race(self.blocks, access.space, conflict, lanes, line)

    def exclusive(
        self, space: str, address: Array, size: int, active: Mask, line: int
    ) -> tuple[Bytes, Array, Array]:
        """For atomic operations: the memory, the checked index of each access, and those of the threads."""
        address = np.broadcast_to(address, self.shape)
        lanes = np.arange(address.size) if active is None else np.flatnonzero(active)
        chosen = address.reshape(-1)[lanes]
        access = self._access(space or _space_of(chosen), chosen, size, lanes, line)
        self._check(access, WRITTEN)
        return access.space.bytes, access.places, lanes

    def _parts(self, address: Array, active: Mask) -> list[tuple[str, Array]]:
        """The spaces of generic addresses, and the threads whose addresses are there."""
        parts = []
        rest = np.ones(self.shape, bool) if active is None else active
        for space, start in (("shared", SHARED_WINDOW), ("local", LOCAL_WINDOW)):
            here = rest & (address >= start) & (address < start + WINDOW_SIZE)
            parts.append((f"generic {space}", here))
            rest = rest & ~here
        return [(space, where) for space, where in (*parts, ("global", rest)) if where.any()]

    # -- checks -----------------------------------------------------------------------------------

    def _access(
        self, space: str, address: Array, size: int, lanes: Array | None, line: int
    ) -> _Access:
        """Accesses at addresses, which must be within the space and aligned."""
        if space not in self._spaces:
            raise NotImplementedError(f"memory space .{space}")
        of = self._spaces[space]
        if of.start:
            address = address - np.uint64(of.start)
        if int(address.max()) > of.limit - size:
            within = np.uint64(max(0, of.limit - size + 1))
            raise self._refused(
                of, address, address >= within, size, lanes, line, "is out of bounds"
            )
        if int(np.bitwise_or.reduce(address, axis=None)) & (size - 1):
            unaligned = address & np.uint64(size - 1) != 0
            raise self._refused(
                of, address, unaligned, size, lanes, line, f"is not aligned to {size} bytes"
            )
        if of.parts is not None:
            parts = (
                of.parts
                if lanes is None
                else np.broadcast_to(of.parts, self.shape).reshape(-1)[lanes]
            )
            address = address + parts
        return _Access(of, (address >> _SHIFTS[size]).view("i8"), size, lanes, line)

    def _refused(
        self,
        space: _Space,
        address: Array,
        bad: Array,
        size: int,
        lanes: Array | None,
        line: int,
        what: str,
    ) -> DeviceError:
        which = int(np.argmax(bad))
        place = int(np.ascontiguousarray(address).flat[which])
        lane = _lane(which, address.shape, self.shape, lanes)
        facts = [_place(self.blocks, space, place, inner=True)]
        return self.blocks.fault(line, lane, f"an access of {size} bytes {what}", facts)

    def _check(self, access: _Access, state: int) -> None:
        """All bytes must be allocated, or written."""
        flawed = access.space.bytes.flawed(access.places, access.size, state)
        if not flawed.any():
            return
        size = access.size
        which = int(np.argmax(flawed.any(-1) if flawed.ndim > access.places.ndim else flawed))
        start = int(access.places.flat[which]) * size
        states = access.space.bytes.state[start : start + size]
        beyond = states & ALLOCATED == 0
        bad = beyond if beyond.any() else states != WRITTEN
        verb = "writes" if state == ALLOCATED else "reads"
        fault = "out of bounds" if beyond.any() else "that nobody wrote"
        raise self.blocks.fault(
            access.line,
            _lane(which, access.places.shape, self.shape, access.lanes),
            f"it {verb} {size} bytes {fault}",
            [_place(self.blocks, access.space, start + int(np.argmax(bad)))],
        )


def _padded(size: int) -> int:
    return -(-size // LARGEST_ACCESS) * LARGEST_ACCESS


def _space_of(address: Array) -> str:
    """The space of generic addresses."""
    low, high = int(address.min()), int(address.max())
    for space, start in (("shared", SHARED_WINDOW), ("local", LOCAL_WINDOW)):
        if start <= low and high < start + WINDOW_SIZE:
            return f"generic {space}"
    return "global" if low >= GLOBAL_START or high < SHARED_WINDOW else "mixed"


def _lane(which: int, shape: tuple[int, ...], all_of: tuple[int, int], lanes: Array | None) -> int:
    """The index of the thread of an access."""
    if lanes is not None:
        return int(lanes[which])
    row, column = divmod(which, shape[1])
    return row * all_of[1] + column


def _place(blocks: BlockRange, space: _Space, offset: int, inner: bool = False) -> str:
    """What is at an offset, in words; `inner` where that is within a block's or thread's part."""
    if space.parts is None:
        address = (offset + GLOBAL_START) % 2**64
        return f"address {address:#x}: {blocks.launch.memory.whereabouts(address - GLOBAL_START)}"
    if not inner:
        offset %= _padded(space.limit)
    return f"offset {offset} of {space.limit} bytes of {space.name} memory"


def _race(
    blocks: BlockRange, space: _Space, conflict: Conflict, lanes: Array | None, line: int
) -> DeviceError:
    lane = int(lanes[conflict.which]) if lanes is not None else conflict.which
    facts = [_place(blocks, space, conflict.place * conflict.size)]
    if conflict.other >= 0:
        facts.append(f"the other: {blocks.thread_of(space.name, lane, conflict.other)}")
    return blocks.fault(line, lane, f"a race: it {conflict.what}, without a barrier between", facts)
