"""The table of numbers that machine code reads: its layout, and how it is filled."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic.codegen.loops.steps import Step

SHARE = 0
"""Where in the table the address of the function stands that shares a step among threads."""
FIRST = 1
"""Where the numbers of the first step stand."""
UNITS, CHUNK, THREADS, WORKSPACE, NEXT = range(5)
"""What follows the numbers of a step's phase."""


class ArgumentTable:
    """How the table of a graph is filled.

    A step's displacements come first, then for each of its phases its numbers, and how its units are shared.

    Parameters
    ----------
    steps : the steps, in the order in which their numbers stand in the table
    counts : how many numbers each of their phases has

    Attributes
    ----------
    size : how many numbers the table has
    begins : for each step where its numbers begin
    phases : for each phase of each step where it stands how its units are shared
    first_phases : for each step which of all phases is its first
    step_of_phase : for each phase whose it is
    own_workspaces : where it stands of how much scratch memory each thread needs, where each has its own
    """

    def __init__(self, steps: Sequence[Step], counts: Sequence[int]) -> None:
        self.size = FIRST
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
        self.own_workspaces = np.array([place for place, _ in self._owners], np.intp)

    def listed(
        self, numbers: Sequence[Any], units: Sequence[Any], workspaces: Sequence[Any]
    ) -> list[Any]:
        """The numbers of a table in which one thread does all units of each phase.

        Parameters
        ----------
        numbers : of all steps, one after the other
        units : of each phase
        workspaces : the bytes of scratch memory of each step
        """
        table: list[Any] = [0] * self.size
        for place, number in zip(self._numbers, numbers, strict=True):
            table[place] = number
        for place, count in zip(self.phases.tolist(), units, strict=True):
            table[place : place + WORKSPACE] = count, count, 1
        for place, step in self._owners:
            table[place] = workspaces[step]
        return table
