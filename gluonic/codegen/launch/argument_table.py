"""The table of numbers that machine code reads: its layout, and how it is filled."""

from collections.abc import Sequence

import numpy as np

from gluonic.codegen.launch.arguments import Integers
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
    first_numbers : for each step where its numbers begin among those of all
    first_phases : for each step which of all phases is its first
    step_of_phase : for each phase whose it is
    has_own_workspace : for each step whether each thread needs scratch memory of its own
    """

    def __init__(self, steps: Sequence[Step], counts: Sequence[int]) -> None:
        self.size = FIRST
        self.begins: list[int] = []
        self.first_numbers: list[int] = []
        numbers: list[int] = []
        shares: list[int] = []
        for step, count in zip(steps, counts, strict=True):
            self.begins.append(self.size)
            numbers += range(self.size, self.size + len(step.displaced))
            self.size += len(step.displaced)
            self.first_numbers.append(len(numbers))
            for _ in range(step.phases):
                numbers += range(self.size, self.size + count)
                shares.append(self.size + count)
                self.size += count + NEXT
        phases = np.array([step.phases for step in steps], np.int64)
        self.first_phases = np.cumsum(phases) - phases
        self.step_of_phase = np.repeat(np.arange(len(steps)), phases)
        self.has_own_workspace = np.array(
            [step.uses_workspace and not step.has_common_workspace for step in steps], bool
        )
        self._numbers, self._shares = np.array(numbers, np.intp), np.array(shares, np.intp)

    def filled(self, numbers: Integers, shares: Sequence[Integers], share: int) -> Integers:
        """A table.

        Parameters
        ----------
        numbers : of all steps, one after the other
        shares : what follows the numbers of each phase: its units, its chunks, …
        share : the address of the function that shares a step among threads
        """
        table = np.zeros(self.size, np.int64)
        table[SHARE] = share
        table[self._numbers] = numbers
        for position, column in enumerate(shares):
            table[self._shares + position] = column
        return table
