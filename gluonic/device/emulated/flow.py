"""Which threads run: those that stand at the same instruction, and of such sets the one that stands first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from gluonic.device.emulated.formats import Array

Mask = npt.NDArray[np.bool_] | None
Place = tuple[int, Mask, Mask]
END = -1


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

    def callee(self) -> Flow:
        """The flow of a function that the running set calls."""
        return Flow(self.shape, self.mask, self.passed, self.fault)

    def full(self) -> npt.NDArray[np.bool_]:
        """The running set as an array."""
        return np.ones(self.shape, bool) if self.mask is None else self.mask

    def go(self, target: int) -> Place:
        """The running set goes to a block of instructions."""
        if not self.waiting:
            return target, self.mask if self.parked else None, self.mask
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

    def _add(self, target: int, mask: npt.NDArray[np.bool_]) -> None:
        before = self.waiting.get(target)
        self.waiting[target] = mask if before is None else before | mask

    def _first(self) -> Place:
        """Choose the set that runs next."""
        if not self.waiting and self.parked:
            self._release()
        if not self.waiting:
            return END, None, None
        place = min(self.waiting)
        mask = self.waiting.pop(place)
        self.mask = None if mask.all() else mask
        return place, self.mask if self.waiting or self.parked else None, self.mask

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
