"""The table of run-time numbers that machine code reads: its layout and contents."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic.codegen.launch.launch import SHARE
from gluonic.codegen.loops.steps import Step

FIRST = SHARE + 1
"""The index of the first step's numbers."""
UNITS, CHUNK, THREADS, WORKSPACE, NEXT = range(5)
"""The offsets of the entries after the numbers of a step's phase."""


class ArgumentTable:
    """The layout of a graph's table.

    A step's displacements come first, then, for each of its phases, its numbers and the division of its units.

    Parameters
    ----------
    steps : the steps, in the order of their numbers in the table
    counts : for each step, the number of numbers of each of its phases

    Attributes
    ----------
    size : length of the table
    counts : the same
    begins : for each step, the index of its first number
    phases : for each phase of each step, the index of the entries on the division of its units
    first_phases : for each step, the index of its first phase among all phases
    step_of_phase : for each phase, the index of its step
    own_workspaces : the indices of the sizes of the threads' own scratch memory, where they have any
    """

    def __init__(self, steps: Sequence[Step], counts: Sequence[int]) -> None:
        self.size, self.counts = FIRST, counts
        self.begins: list[int] = []
        self._numbers: list[int] = []
        shares: list[int] = []
        self._owners: list[tuple[int, int]] = []
        for number, (step, count) in enumerate(zip(steps, counts, strict=True)):
            self.begins.append(self.size)
            self._numbers += range(self.size, self.size + len(step.displaced))
            self.size += len(step.displaced)
            for _ in range(step.phases):
                self._numbers += range(self.size, self.size + count)
                shares.append(self.size + count)
                if step.uses_workspace and not step.has_common_workspace:
                    self._owners.append((self.size + count + WORKSPACE, number))
                self.size += count + NEXT
        phases = np.array([step.phases for step in steps], np.int64)
        self.first_phases = np.cumsum(phases) - phases
        self.step_of_phase = np.repeat(np.arange(len(steps)), phases)
        self.phases = np.array(shares, np.intp)
        self.own_workspaces = np.array([index for index, _ in self._owners], np.intp)

    def listed(
        self, numbers: Sequence[Any], units: Sequence[Any], workspaces: Sequence[Any]
    ) -> list[Any]:
        """The numbers of a table with which one thread runs all units of each phase.

        Parameters
        ----------
        numbers : the numbers of all steps, concatenated
        units : the number of units of each phase
        workspaces : the bytes of scratch memory of each step
        """
        table: list[Any] = [0] * self.size
        for index, number in zip(self._numbers, numbers, strict=True):
            table[index] = number
        for index, count in zip(self.phases.tolist(), units, strict=True):
            table[index : index + WORKSPACE] = count, count, 1
        for index, step in self._owners:
            table[index] = workspaces[step]
        return table
