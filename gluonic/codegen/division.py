"""Which steps threads share, and in which pieces.

A step is divided when it takes so long that waking a worker pays. Its units are the same for any number of
threads, and may run in any order, so results are too, bit by bit.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from gluonic.codegen.loops.facts import Facts
from gluonic.codegen.loops.steps import Step
from gluonic.codegen.machine.memory import aligned
from gluonic.codegen.machine.workers import most_threads

_WORTH = 30_000
"""A step is divided if it takes one thread so many nanoseconds."""
_LEAST = 4_000
"""A chunk takes so many nanoseconds at least: claiming one costs a hundred."""
_CHUNKS = 8
"""So many chunks for each thread: the last one that a thread still does is as much shorter than its share."""


@dataclass(frozen=True)
class Division:
    """How threads share a phase of a step.

    Attributes
    ----------
    units : how many units of work there are
    chunk : how many of them a thread claims at a time; all of them if it is not shared
    threads : how many threads may take part
    workspace : how many bytes of scratch memory each of them has of its own
    """

    units: int
    chunk: int
    threads: int
    workspace: int

    @property
    def is_shared(self) -> bool:
        """Whether more than one thread works on it."""
        return self.threads > 1


def divide(step: Step, facts: Facts) -> tuple[Division, ...]:
    """How each phase of a step is shared for these shapes, by as many threads as there may be now."""
    found, threads = step.phase_units(facts), most_threads()
    own = step.uses_workspace and not step.has_common_workspace
    workspace = aligned(step.workspace(facts)) if own else 0
    large = sum(units > 1 for units in found)
    time = step.nanoseconds(facts) / large if large and threads > 1 else 0
    return tuple(_divided(units, time, threads, workspace) for units in found)


def _divided(units: int, nanoseconds: float, threads: int, workspace: int) -> Division:
    """How units are shared that take so long together."""
    if threads > 1 and units > 1 and nanoseconds >= _WORTH:
        least = -(-units * _LEAST // int(nanoseconds))
        chunk = max(least, units // (_CHUNKS * threads), 1)
        if chunk < units:
            return Division(units, chunk, threads, workspace)
    return Division(units, units, 1, workspace)


def workspace_bytes(step: Step, facts: Facts, divisions: Sequence[Division]) -> int:
    """The bytes of scratch memory that a step needs, whoever works on it."""
    own = max(division.workspace * division.threads for division in divisions)
    return own or step.workspace(facts)
