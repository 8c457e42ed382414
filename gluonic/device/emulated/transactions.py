"""Barriers that count arrivals and bytes (``mbarrier``), and copies of boxes of matrices that they wait for.

A copy is made when a thread waits for it, so that nobody reads it before. What these copies write is not looked
at for races, but a copy to memory that others still read shows in their results.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from gluonic.device.emulated.accesses import BlockMemory
from gluonic.device.emulated.flow import Mask
from gluonic.device.emulated.formats import Array, unsigned
from gluonic.device.tensor_maps import WORDS, Element, TensorMap

_LINE, _CHUNK = 128, 16
"""The bytes of a row of a box, and of a chunk of it, whose place the swizzle changes."""
_ELEMENTS: Sequence[Element] = get_args(Element)


def described(tensor: TensorMap) -> tuple[int, ...]:
    """See `Device.tensor_map`."""
    numbers = [_ELEMENTS.index(tensor.element), tensor.columns, tensor.rows, tensor.pitch]
    numbers.append(tensor.box_rows)
    return (0, *numbers, *[0] * (WORDS - 1 - len(numbers)))


def _described(words: Sequence[int]) -> TensorMap:
    element, columns, rows, pitch, box_rows, *_ = words
    return TensorMap(_ELEMENTS[element], columns, rows, pitch, box_rows)


@dataclass
class _Barrier:
    """For each block: how many arrive in a phase, what is left of it, and how many phases are over."""

    count: npt.NDArray[np.int64]
    arrivals: npt.NDArray[np.int64]
    bytes: npt.NDArray[np.int64]
    phase: npt.NDArray[np.int64]

    def complete(self) -> None:
        """Begin the next phase where nothing is left of this one."""
        done = (self.arrivals == 0) & (self.bytes == 0) & (self.count > 0)
        self.phase[done] += 1
        self.arrivals[done] = self.count[done]


class _Copy(NamedTuple):
    """A copy that was asked for and is not made yet; numbers are those of each thread."""

    tensor: TensorMap
    base: int
    target: Array
    coordinates: tuple[Array, Array]
    active: npt.NDArray[np.bool_]
    line: int


class Transactions:
    """The barriers of some blocks, by their addresses in shared memory, and the copies that they wait for."""

    def __init__(
        self,
        shape: tuple[int, int],
        memory: BlockMemory,
        fault: Callable[[int, int, str], Exception],
    ) -> None:
        self._shape, self._memory, self._fault = shape, memory, fault
        self._barriers: dict[int, _Barrier] = {}
        self._copies: dict[int, list[_Copy]] = {}

    def _threads(self, values: Array) -> Array:
        return np.broadcast_to(values, self._shape)

    def _each(
        self, where: Array, active: Mask, line: int
    ) -> list[tuple[int, npt.NDArray[np.bool_]]]:
        """The addresses of barriers, which must be in use, and the threads that name each."""
        where, running = self._threads(where), self._running(active)
        named = [
            (int(address), running & (where == address)) for address in np.unique(where[running])
        ]
        for address, threads in named:
            barrier = self._barriers.get(address)
            unused = threads if barrier is None else threads & (barrier.count == 0)[:, None]
            if unused.any():
                raise self._fault(line, int(np.argmax(unused)), "no barrier is there")
        return named

    def _running(self, active: Mask) -> npt.NDArray[np.bool_]:
        return np.ones(self._shape, bool) if active is None else active

    def initialize(self, where: Array, count: Array, active: Mask) -> None:
        """Begin to use barriers, at each of which so many threads arrive in a phase."""
        where, count, running = self._threads(where), self._threads(count), self._running(active)
        for address in np.unique(where[running]):
            threads = running & (where == address)
            counts = np.where(threads, count, 0).max(1).astype("i8")
            zeros = [np.zeros(self._shape[0], "i8") for _ in range(4)]
            barrier = self._barriers.setdefault(int(address), _Barrier(*zeros))
            here = counts > 0
            barrier.count[here] = barrier.arrivals[here] = counts[here]
            barrier.bytes[here] = barrier.phase[here] = 0

    def arrive(self, where: Array, size: Array | int, active: Mask, line: int) -> None:
        """Threads arrive at barriers, and let them wait for so many bytes besides."""
        for address, threads in self._each(where, active, line):
            barrier = self._barriers[address]
            barrier.arrivals -= threads.sum(1)
            barrier.bytes += np.where(threads, np.asarray(size, "i8"), 0).sum(1)
            if (barrier.arrivals < 0).any():
                what = "more threads than expected are at the barrier"
                raise self._fault(line, int(np.argmax(threads)), what)
            barrier.complete()

    def copy(
        self,
        target: Array,
        where: Array,
        parameters: Mapping[tuple[str, int], Array],
        names: Sequence[str],
        tensor: Array,
        coordinates: tuple[Array, Array],
        active: Mask,
        line: int,
    ) -> None:
        """Ask for copies of boxes to shared memory, for which barriers wait.

        Parameters
        ----------
        names, tensor : the parameters, and the number of the one that describes the matrix
        coordinates : the column and row where the box begins
        """
        name = names[int(tensor.flat[0])]
        base, *words = (int(parameters[name, 8 * number].flat[0]) for number in range(WORDS))
        column, row = (self._threads(number).view("i4") for number in coordinates)
        for address, threads in self._each(where, active, line):
            copy = _Copy(
                _described(words), base, self._threads(target), (column, row), threads, line
            )
            self._copies.setdefault(address, []).append(copy)

    def are_past(self, where: Array, parity: Array, line: int) -> npt.NDArray[np.bool_]:
        """For each thread, whether the phase with this parity is over; copies for its barrier are made."""
        where, parity = self._threads(where), self._threads(parity)
        result = np.zeros(self._shape, bool)
        for address in map(int, np.unique(where)):
            barrier = self._barriers.get(address)
            if barrier is None:
                continue
            for copy in self._copies.pop(address, []):
                barrier.bytes -= copy.active.sum(1) * copy.tensor.box_rows * _LINE
                self._make(copy)
            barrier.complete()
            past = (barrier.phase % 2)[:, None] != parity
            result |= (where == address) & past & (barrier.count > 0)[:, None]
        return result

    def _make(self, copy: _Copy) -> None:
        """Copy a box for each thread that asked for one; beyond the matrix, there are zeros."""
        tensor, load = copy.tensor, self._memory.load
        size, together = tensor.size, _CHUNK // tensor.size
        threads = np.arange(self._shape[1])
        for asking in np.flatnonzero(copy.active.any(0)):
            own = [values[:, asking : asking + 1] for values in (copy.active, copy.target)]
            column, row = (values[:, asking : asking + 1] for values in copy.coordinates)
            target = own[1].astype("i8")
            for first in range(0, tensor.box_rows * _LINE // _CHUNK, self._shape[1]):
                number = first + threads
                line, chunk = np.divmod(number, _LINE // _CHUNK)
                inside = own[0] & (line < tensor.box_rows)
                there = inside & (row + line >= 0) & (row + line < tensor.rows)
                left = tensor.columns - column - chunk * together
                source = copy.base + (row + line).astype("i8") * tensor.pitch
                source = (source + (column + chunk * together) * size).astype("u8")
                whole = there & (left >= together)
                values = [np.zeros(self._shape, unsigned(size * 8))] * together
                if whole.any():
                    values = [*load("global", source, size, together, whole, copy.line, "")]
                some = there & (left > 0) & ~whole
                for i in range(together if some.any() else 0):
                    where, at = some & (left > i), source + np.uint64(i * size)
                    if where.any():
                        (value,) = load("global", at, size, 1, where, copy.line, "")
                        values[i] = np.where(where, value, values[i])
                if tensor.element == "tf32":
                    values = [_rounded(value) for value in values]
                flat = target + number * _CHUNK
                place = (flat ^ (flat // _LINE % 8 * _CHUNK)).astype("u8")
                if inside.any():
                    self._memory.store("shared", place, size, values, inside, copy.line, "ordered")


def _rounded(bits: Array) -> Array:
    """Numbers of float32 rounded to 11 significant bits, halves away from zero."""
    return (bits + np.uint32(0x1000)) & np.uint32(0xFFFFE000)
