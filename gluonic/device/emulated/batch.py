"""Some blocks of a launch, which run together: their memory, and their threads' numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gluonic.device.device import Dimensions
from gluonic.device.emulated.flow import Flow, Mask
from gluonic.device.emulated.formats import Array, unsigned
from gluonic.device.emulated.memory import (
    ALLOCATED,
    GLOBAL_START,
    LARGEST_ACCESS,
    LOCAL_WINDOW,
    SHARED_WINDOW,
    WINDOW_SIZE,
    WRITTEN,
    Bytes,
    GlobalMemory,
)
from gluonic.device.emulated.races import SIMULTANEOUS, Accessors, Conflict, Races
from gluonic.device.errors import DeviceError
from gluonic.graph.errors import describe

_NOTHING = np.zeros((1, 1), "u8")


class Launch:
    """What all blocks of a launch share.

    Parameters
    ----------
    name, lines : of the kernel: its name, and those of its text
    memory, races : that of the device, and who touched it
    thread_base, block_base : the stamps before those of the first thread and block
    shared_size, local_size : of a block and of a thread, in bytes
    """

    def __init__(
        self,
        name: str,
        lines: Sequence[str],
        memory: GlobalMemory,
        races: Races,
        grid: Dimensions,
        block: Dimensions,
        thread_base: int,
        block_base: int,
        shared_size: int,
        local_size: int,
    ) -> None:
        self.name, self.lines, self.memory, self.races = name, lines, memory, races
        self.grid, self.block = grid, block
        self.threads = block[0] * block[1] * block[2]
        self.thread_base, self.block_base = thread_base, block_base
        self.shared_size, self.local_size = shared_size, local_size


class _Copy(NamedTuple):
    """A copy that was asked for and is not made yet."""

    target: Array
    source: Array
    size: int
    used: Array | None
    active: Mask
    line: int


class Batch:
    """Consecutive blocks of a launch.

    Attributes
    ----------
    special : the special registers
    flow : that of the kernel
    """

    def __init__(self, launch: Launch, first: int, count: int) -> None:
        self.launch, self.first = launch, first
        self.shape = count, launch.threads
        self._shared = Bytes(count * _padded(launch.shared_size), ALLOCATED)
        self._local = Bytes(count * launch.threads * _padded(launch.local_size), ALLOCATED)
        self._shared_races = Races(self._shared.size)
        self._shared_races.allows_equal_values = launch.races.allows_equal_values
        rows, columns = (
            np.arange(count, dtype="u8")[:, None],
            np.arange(launch.threads, dtype="u8")[None],
        )
        self._shared_starts = rows * np.uint64(_padded(launch.shared_size))
        self._local_starts = (rows * np.uint64(launch.threads) + columns) * np.uint64(
            _padded(launch.local_size)
        )
        blocks = (np.arange(first, first + count, dtype="u4"))[:, None]
        threads = np.arange(launch.threads, dtype="u4")[None]
        one = np.ones((1, 1), "u4")
        self._threads = threads + one
        self._global_accessors = Accessors(
            one * np.uint32(launch.thread_base),
            np.uint32(launch.thread_base + 1) + blocks * np.uint32(launch.threads) + threads,
            one * np.uint32(launch.block_base),
            np.uint32(launch.block_base + 1) + blocks,
            launch.threads,
        )
        self.epochs = np.ones((count,), "u4")
        self.flow = Flow(self.shape, None, self.epochs, self.fault)
        self.special = self._special(blocks, threads)
        self._groups: list[list[_Copy]] = [[]]

    def _special(self, blocks: Array, threads: Array) -> dict[str, Array]:
        launch = self.launch
        special: dict[str, Array] = {}
        for index, name in enumerate("xyz"):
            for text, dimensions, numbers in (
                ("ctaid", launch.grid, blocks),
                ("tid", launch.block, threads),
            ):
                before = int(np.prod(dimensions[:index], dtype=int))
                special[f"%{text}.{name}"] = (
                    numbers // np.uint32(before) % np.uint32(dimensions[index])
                )
                special[f"%n{text}.{name}"] = np.full((1, 1), dimensions[index], "u4")
        lanes = threads % np.uint32(32)
        special["%laneid"], special["%warpid"] = lanes, threads // np.uint32(32)
        special["%nwarpid"] = np.full((1, 1), -(-launch.threads // 32), "u4")
        bit = np.uint32(1) << lanes
        special["%lanemask_eq"], special["%lanemask_lt"] = bit, bit - np.uint32(1)
        special["%lanemask_le"] = special["%lanemask_lt"] | bit
        special["%lanemask_gt"] = ~special["%lanemask_le"]
        special["%lanemask_ge"] = ~special["%lanemask_lt"]
        for name in ("%clock", "%clock_hi", "%smid", "%globaltimer_lo", "%globaltimer_hi"):
            special[name] = np.zeros((1, 1), "u4")
        special["%nsmid"] = np.ones((1, 1), "u4")
        special["%clock64"] = special["%globaltimer"] = _NOTHING
        return special

    # -- errors -----------------------------------------------------------------------------------

    def fault(self, line: int, lane: int, what: str, facts: Sequence[str] = ()) -> DeviceError:
        """An error at a line, by a thread: its index among all of the batch."""
        block, thread = divmod(lane, self.shape[1])
        launch = self.launch
        return DeviceError(
            describe(
                f"{launch.name}: {what} (block {_at(self.first + block, launch.grid)}, "
                f"thread {_at(thread, launch.block)})",
                facts=[*facts, f"line {line} of the PTX: {launch.lines[line - 1].strip()}"],
            )
        )

    def trap(self, threads: npt.NDArray[np.bool_], line: int) -> None:
        """Some threads give up."""
        if threads.any():
            raise self.fault(line, int(np.argmax(threads)), "trap")

    # -- memory -----------------------------------------------------------------------------------

    def load(
        self, space: str, address: Array, size: int, count: int, active: Mask, line: int, mode: str
    ) -> Sequence[Array]:
        """Read `count` neighbours of `size` bytes at each address.

        Parameters
        ----------
        mode : ``nc`` for memory that no thread writes, ``ordered`` for accesses that others may race with
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
        parts = np.ascontiguousarray(values)[..., None].view(unsigned(size * 8))
        return list(np.ascontiguousarray(np.moveaxis(parts, -1, 0)))

    def _load(
        self, space: str, address: Array, size: int, active: Mask, line: int, mode: str
    ) -> Array:
        if active is not None:
            chosen = np.broadcast_to(address, self.shape)[active]
            lanes = np.flatnonzero(active)
        else:
            chosen, lanes = address, None
        if space == "":
            space = self._space_of(chosen)
            if space == "mixed":
                return self._load_mixed(address, size, active, line, mode)
        memory, offsets = self._offsets(space, chosen, size, lanes, line)
        flaws = memory.flawed(offsets, size, WRITTEN)
        if flaws.any():
            raise self._flaw(space, memory, offsets, flaws, size, lanes, line, "reads")
        races = self._races(space)
        if races is not None and mode != "ordered":
            by = self._accessors(space, lanes)
            shape = np.broadcast_shapes(offsets.shape, by.parties.shape)
            conflict = races.load(np.broadcast_to(offsets, shape), size, by, mode != "nc")
            if conflict is not None:
                raise self._race(space, conflict, np.broadcast_to(offsets, shape), lanes, line)
        values = memory.gather(offsets, size)
        if active is None:
            return values
        result = np.zeros(self.shape, values.dtype)
        result[active] = values
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
        full = [np.broadcast_to(value, self.shape) for value in values]
        if len(full) > 1:
            dtype = "c16" if total == LARGEST_ACCESS else unsigned(total * 8)
            together = np.stack(full, -1).view(dtype)[..., 0]
        else:
            together = full[0]
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
            space = self._space_of(address if active is None else address[active])
        if space == "mixed":
            for part, where in self._parts(address, active):
                self._store(part, address, size, values, where, line, mode)
            return
        lanes = None
        if active is not None:
            address, values, lanes = address[active], values[active], np.flatnonzero(active)
        memory, offsets = self._offsets(space, address, size, lanes, line)
        flaws = memory.flawed(offsets, size, ALLOCATED)
        if flaws.any():
            raise self._flaw(space, memory, offsets, flaws, size, lanes, line, "writes")
        races = self._races(space)
        if races is None or mode == "ordered":
            memory.scatter(offsets, size, values)
            return
        equal = memory.gather(offsets, size) == values if races.allows_equal_values else None
        conflict = races.store(offsets, size, self._accessors(space, lanes), equal)
        memory.scatter(offsets, size, values)
        if conflict is None and equal is not None:
            different = memory.gather(offsets, size) != values
            if different.any():
                conflict = Conflict(int(np.argmax(different)), -1, SIMULTANEOUS)
        if conflict is not None:
            raise self._race(space, conflict, offsets, lanes, line)

    def exclusive(
        self, space: str, address: Array, size: int, active: Mask, line: int
    ) -> tuple[Bytes, Array, Array]:
        """For atomic operations: the memory, the checked offsets there, and the indices of the threads."""
        address = np.broadcast_to(address, self.shape)
        lanes = np.arange(address.size) if active is None else np.flatnonzero(active)
        chosen = address.reshape(-1)[lanes]
        if space == "":
            space = self._space_of(chosen)
        memory, offsets = self._offsets(space, chosen, size, lanes, line)
        flaws = memory.flawed(offsets, size, WRITTEN)
        if flaws.any():
            raise self._flaw(space, memory, offsets, flaws, size, lanes, line, "reads")
        return memory, offsets, lanes

    # -- asynchronous copies ----------------------------------------------------------------------

    def copy(
        self, target: Array, source: Array, size: int, used: Array | None, active: Mask, line: int
    ) -> None:
        """Ask for a copy from global to shared memory; it is made when a thread waits for it.

        Parameters
        ----------
        used : how many of the bytes are read, the others are zeros; None for all
        """
        self._groups[-1].append(_Copy(target, source, size, used, active, line))

    def commit_copies(self) -> None:
        """Close a group of copies."""
        self._groups.append([])

    def finish_copies(self, pending: int) -> None:
        """Make the copies of all groups but the last ones."""
        while len(self._groups) - 1 > pending:
            for copy in self._groups.pop(0):
                self._finish(copy)

    def _finish(self, copy: _Copy) -> None:
        size = min(copy.size, 4)
        reads = copy.active
        if copy.used is not None:
            wanted = np.broadcast_to(copy.used, self.shape)
            partial = (wanted != 0) & (wanted != copy.size)
            if partial.any():
                raise NotImplementedError("cp.async of a part of the bytes")
            reads = (wanted != 0) if reads is None else reads & (wanted != 0)
        count = copy.size // size
        if reads is not None and not reads.any():
            values: Sequence[Array] = [np.zeros((1, 1), unsigned(size * 8))] * count
        else:
            values = self.load("global", copy.source, size, count, reads, copy.line, "nc")
        self.store("shared", copy.target, size, values, copy.active, copy.line, "")

    def _space_of(self, address: Array) -> str:
        """The space of generic addresses."""
        low, high = int(address.min()), int(address.max())
        for space, start in (("shared", SHARED_WINDOW), ("local", LOCAL_WINDOW)):
            if start <= low and high < start + WINDOW_SIZE:
                return f"generic {space}"
        return "global" if low >= GLOBAL_START or high < SHARED_WINDOW else "mixed"

    def _parts(self, address: Array, active: Mask) -> list[tuple[str, Array]]:
        """The spaces of generic addresses, and the threads whose addresses are there."""
        parts = []
        rest = np.ones(self.shape, bool) if active is None else active
        for space, start in (("shared", SHARED_WINDOW), ("local", LOCAL_WINDOW)):
            here = rest & (address >= start) & (address < start + WINDOW_SIZE)
            parts.append((f"generic {space}", here))
            rest = rest & ~here
        return [(space, where) for space, where in (*parts, ("global", rest)) if where.any()]

    def _load_mixed(self, address: Array, size: int, active: Mask, line: int, mode: str) -> Array:
        address = np.broadcast_to(address, self.shape)
        parts = self._parts(address, active)
        values = [self._load(space, address, size, where, line, mode) for space, where in parts]
        result = values[0]
        for value, (_, where) in zip(values[1:], parts[1:], strict=True):
            result[where] = value[where]
        return result

    def _offsets(
        self, space: str, address: Array, size: int, lanes: Array | None, line: int
    ) -> tuple[Bytes, Array]:
        """The memory of a space, and the checked offsets there that addresses mean."""
        if space.startswith("generic "):
            space = space.removeprefix("generic ")
            address = address - np.uint64(SHARED_WINDOW if space == "shared" else LOCAL_WINDOW)
        start: Array | None = None
        if space in ("global", "const"):
            memory, limit = self.launch.memory.bytes, self.launch.memory.bytes.size
            address = address - np.uint64(GLOBAL_START)
        elif space == "shared":
            memory, start, limit = self._shared, self._shared_starts, self.launch.shared_size
        elif space == "local":
            memory, start, limit = self._local, self._local_starts, self.launch.local_size
        else:
            raise NotImplementedError(f"memory space .{space}")
        if address.size and (limit < size or int(address.max()) > limit - size):
            beyond = (
                address > np.uint64(max(limit - size, 0))
                if limit >= size
                else np.ones(address.shape, bool)
            )
            raise self._bad_access(space, address, beyond, size, lanes, line, "is out of bounds")
        if int(np.bitwise_or.reduce(address, axis=None)) % size:
            bad = address % np.uint64(size) != 0
            raise self._bad_access(
                space, address, bad, size, lanes, line, f"is not aligned to {size} bytes"
            )
        if start is not None and lanes is None:
            address = address + start
        elif start is not None:
            address = address + np.broadcast_to(start, self.shape).reshape(-1)[lanes]
        return memory, address

    def _races(self, space: str) -> Races | None:
        if space == "global":
            return self.launch.races
        return self._shared_races if "shared" in space else None

    def _accessors(self, space: str, lanes: Array | None) -> Accessors:
        if space == "global":
            by = self._global_accessors
        else:
            base = self.epochs[:, None] * np.uint32(self.launch.threads + 1)
            by = Accessors(base, base + self._threads, base, base + self._threads, 1)
        if lanes is None:
            return by
        rows = lanes // self.shape[1]
        base, party_base = (x[rows, 0] if len(x) > 1 else x[0] for x in (by.base, by.party_base))
        parties = by.parties[rows, 0] if by.parties.shape[1] == 1 else by.parties.reshape(-1)[lanes]
        return Accessors(
            base, by.stamps.reshape(-1)[lanes], party_base, parties, by.threads_per_party
        )

    # -- errors of accesses -----------------------------------------------------------------------

    def _lane(self, where: int, shape: tuple[int, ...], lanes: Array | None) -> int:
        """The index of the thread of an access."""
        if lanes is not None:
            return int(lanes[where])
        row, column = divmod(where, shape[1])
        return row * self.shape[1] + column

    def _bad_access(
        self,
        space: str,
        address: Array,
        bad: Array,
        size: int,
        lanes: Array | None,
        line: int,
        what: str,
    ) -> DeviceError:
        where = int(np.argmax(bad))
        offset = int(np.ascontiguousarray(address).flat[where])
        return self.fault(
            line,
            self._lane(where, address.shape, lanes),
            f"an access of {size} bytes {what}",
            self._place(space, offset),
        )

    def _place(self, space: str, offset: int) -> list[str]:
        if space in ("global", "const"):
            address = (offset + GLOBAL_START) % 2**64
            return [
                f"address {address:#x}: {self.launch.memory.whereabouts(address - GLOBAL_START)}"
            ]
        size = self.launch.shared_size if space == "shared" else self.launch.local_size
        return [f"offset {offset} of {size} bytes of {space} memory"]

    def _inner_offset(self, space: str, offset: int) -> tuple[str, int]:
        """The space, and the offset in the block's or thread's part of it."""
        space = space.removeprefix("generic ")
        if space == "shared":
            return space, offset % _padded(self.launch.shared_size)
        if space == "local":
            return space, offset % _padded(self.launch.local_size)
        return space, offset

    def _flaw(
        self,
        space: str,
        memory: Bytes,
        offsets: Array,
        flaws: Array,
        size: int,
        lanes: Array | None,
        line: int,
        verb: str,
    ) -> DeviceError:
        where = int(np.argmax(flaws))
        offset = int(np.ascontiguousarray(offsets).flat[where])
        states = memory.state[offset : offset + size]
        expected = WRITTEN if verb == "reads" and states.all() else ALLOCATED
        offset += int(np.argmax(states & expected != expected))
        space, inner = self._inner_offset(space, offset)
        what = (
            f"{verb} {size} bytes out of bounds"
            if expected == ALLOCATED
            else f"reads {size} bytes that nobody wrote"
        )
        return self.fault(
            line, self._lane(where, offsets.shape, lanes), what, self._place(space, inner)
        )

    def _race(
        self, space: str, conflict: Conflict, offsets: Array, lanes: Array | None, line: int
    ) -> DeviceError:
        lane = self._lane(conflict.which, offsets.shape, lanes)
        space, inner = self._inner_offset(
            space, int(np.ascontiguousarray(offsets).flat[conflict.which])
        )
        facts = self._place(space, inner)
        if conflict.other >= 0:
            launch = self.launch
            if space == "global":
                block, thread = divmod(conflict.other - launch.thread_base - 1, launch.threads)
            else:
                block, thread = (
                    self.first + lane // self.shape[1],
                    conflict.other % (launch.threads + 1) - 1,
                )
            facts.append(
                f"the other: block {_at(block, launch.grid)}, thread {_at(thread, launch.block)}"
            )
        return self.fault(line, lane, f"a race: it {conflict.what}", facts)


def _padded(size: int) -> int:
    return -(-size // LARGEST_ACCESS) * LARGEST_ACCESS


def _at(index: int, dimensions: Dimensions) -> tuple[int, int, int]:
    """The three numbers of the block or thread with an index."""
    return (
        index % dimensions[0],
        index // dimensions[0] % dimensions[1],
        index // (dimensions[0] * dimensions[1]),
    )
