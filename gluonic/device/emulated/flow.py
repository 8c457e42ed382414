"""Which threads run: those that stand at the same instruction, and of such sets the one that stands first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from gluonic.device.emulated.formats import Array

Mask = npt.NDArray[np.bool_] | None
Place = tuple[int, Mask, Mask]
Condition = Callable[[], npt.NDArray[np.bool_]]
END = -1
WARP = 32


class Flow:
    """The threads of some blocks in one call of a function.

    The running set is described twice: `mask` says which threads of the blocks it has (None: all), and the
    first mask of a `Place` which registers an instruction may change (None: all, since only threads that
    have ended are missing).

    Parameters
    ----------
    shape : the number of blocks, and of threads in each
    mask : the threads that run
    passed : is told which blocks' threads have all waited at a barrier; None for all
    fault : what makes an error of a line, a thread's index and what it did
    """

    def __init__(
        self,
        shape: tuple[int, int],
        mask: Mask,
        passed: Callable[[Mask], None],
        fault: Callable[[int, int, str], Exception],
    ) -> None:
        self.shape, self.mask, self.passed, self.fault = shape, mask, passed, fault
        self.waiting: dict[int, npt.NDArray[np.bool_]] = {}
        self.parked: dict[int, npt.NDArray[np.bool_]] = {}
        self.lines: dict[int, int] = {}
        self.arrived: dict[int, npt.NDArray[np.int64]] = {}
        self.held: dict[tuple[int, int], npt.NDArray[np.bool_]] = {}
        self.stalled: list[tuple[int, npt.NDArray[np.bool_], Condition]] = []

    def callee(self) -> Flow:
        """The flow of a function that the running set calls."""
        return Flow(self.shape, self.mask, self.passed, self.fault)

    def full(self) -> npt.NDArray[np.bool_]:
        """The running set as an array."""
        return np.ones(self.shape, bool) if self.mask is None else self.mask

    def go(self, target: int) -> Place:
        """The running set goes to a block of instructions."""
        if not self.waiting:
            others = self.parked or self.held or self.stalled
            return target, self.mask if others else None, self.mask
        self._add(target, self.full())
        return self._first()

    def branch(self, condition: Array, target: int, following: int) -> Place:
        """Where a condition holds go to one block, else to another."""
        if condition.size == 1:
            return self.go(target if condition[0, 0] else following)
        if self.mask is None:
            taken, other = condition, ~condition
        else:
            taken, other = condition & self.mask, ~condition & self.mask
        if not other.any():
            return self.go(target)
        if not taken.any():
            return self.go(following)
        self._add(target, np.broadcast_to(taken, self.shape))
        self._add(following, np.broadcast_to(other, self.shape))
        return self._first()

    def jump(self, index: Array, targets: Sequence[int]) -> Place:
        """Go to the block with an index."""
        index, active = np.broadcast_to(index, self.shape), self.full()
        for number in np.unique(index[active]):
            self._add(targets[int(number)], active & (index == number))
        return self._first()

    def end(self) -> Place:
        """The running set has ended."""
        return self._first()

    def barrier(self, line: int, following: int) -> Place:
        """The running set waits until all threads of its blocks are there."""
        mask = self.mask
        if mask is None:
            self.passed(None)
            return self.go(following)
        here, some = np.all(mask, axis=1), np.any(mask, axis=1)
        if (here == some).all():
            self.passed(here)
            return self.go(following)
        self.lines[following] = line
        before = self.parked.get(following)
        self.parked[following] = mask if before is None else before | mask
        return self._first()

    def meet(
        self, numbers: Array, expected: Array, line: int, following: int, *, waits: bool
    ) -> Place:
        """The running set arrives at barriers with numbers, and waits for as many threads as expected."""
        here = self.full()
        numbers, expected = (np.broadcast_to(value, self.shape) for value in (numbers, expected))
        for number in np.unique(numbers[here]):
            arriving = here & (numbers == number)
            self.lines[following] = line
            if waits:
                key = int(number), following
                self.held[key] = self.held.get(key, np.zeros(self.shape, bool)) | arriving
            self._arrive(int(number), arriving, expected, line)
        return self._first() if waits else self.go(following)

    def stall(self, condition: Condition, line: int, following: int) -> Place:
        """Each thread of the running set waits until a condition holds for it."""
        here = self.full()
        ready = here & condition()
        if ready.all():
            return self.go(following)
        self.lines[following] = line
        self.stalled.append((following, here & ~ready, condition))
        if ready.any():
            self._add(following, ready)
        return self._first()

    def _resume(self) -> None:
        """Let those go on whose conditions hold by now."""
        before, self.stalled = self.stalled, []
        for following, mask, condition in before:
            ready = mask & condition()
            if ready.any():
                self._add(following, ready)
            if (mask & ~ready).any():
                self.stalled.append((following, mask & ~ready, condition))

    def converge(self, line: int, following: int) -> Place:
        """The running set waits for the other threads of its warps."""
        warps = np.arange(self.shape[1]) // WARP
        expected = np.bincount(warps)[warps]
        if self.mask is None:
            return self.go(following)
        return self.meet(-1 - warps, expected, line, following, waits=True)

    def _arrive(
        self, number: int, arriving: npt.NDArray[np.bool_], expected: Array, line: int
    ) -> None:
        count = self.arrived.setdefault(number, np.zeros(self.shape[0], np.int64))
        count += arriving.sum(1)
        goal = np.where(arriving, expected, 0).max(1)
        if ((count > goal) & (goal > 0)).any():
            thread = int(np.argmax(arriving))
            raise self.fault(line, thread, "more threads than expected are at the barrier")
        complete = (count == goal) & (goal > 0)
        if not complete.any():
            return
        count[complete] = 0
        if number >= 0:
            self.passed(complete)
        for (other, following), mask in list(self.held.items()):
            released = mask & complete[:, None]
            if other == number and released.any():
                self._add(following, released)
                self.held[other, following] = mask & ~complete[:, None]
                if not self.held[other, following].any():
                    del self.held[other, following]

    def _add(self, target: int, mask: npt.NDArray[np.bool_]) -> None:
        before = self.waiting.get(target)
        self.waiting[target] = mask if before is None else before | mask

    def _first(self) -> Place:
        """Choose the set that runs next."""
        if not self.waiting:
            self._resume()
        if not self.waiting and self.parked:
            self._release()
        if not self.waiting:
            for following, mask, _ in self.stalled:
                thread = int(np.argmax(mask))
                raise self.fault(self.lines[following], thread, "it waits for ever")
            for (_, following), held in self.held.items():
                thread = int(np.argmax(held))
                raise self.fault(self.lines[following], thread, "it waits at a barrier for ever")
            return END, None, None
        place = min(self.waiting)
        mask = self.waiting.pop(place)
        self.mask = None if mask.all() else mask
        others = self.waiting or self.parked or self.held or self.stalled
        return place, self.mask if others else None, self.mask

    def _release(self) -> None:
        """All threads wait at barriers or have ended: let them pass if each block is complete."""
        for following, mask in self.parked.items():
            incomplete = mask.any(axis=1) & ~mask.all(axis=1)
            if incomplete.any():
                block = int(np.argmax(incomplete))
                thread = int(np.argmin(mask[block]))
                missing = int((~mask[block]).sum())
                raise self.fault(
                    self.lines[following],
                    block * self.shape[1] + thread,
                    f"{missing} of the block's {self.shape[1]} threads do not reach the barrier; the first is",
                )
        here = [mask.any(axis=1) for mask in self.parked.values()]
        self.passed(np.asarray(np.logical_or.reduce(here)))
        self.waiting, self.parked = self.parked, {}
