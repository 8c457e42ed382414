"""The launch of machine code for one set of shapes."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic.codegen.machine.memory import MemoryPlan
from gluonic.graph.attributes import Shape
from gluonic.support.record import record

SHARE = 0
"""The index in the table of the address of the function that shares a step among threads."""


@record
class Launch:
    """The launch arguments and the memory plan for one set of shapes.

    Attributes
    ----------
    table : the run-time numbers of all native steps
    persistent, transient : the memory plans of results that persist after a call, and of the others
    results : the shapes of the computed results
    """

    table: np.ndarray[Any, np.dtype[np.int64]]
    persistent: MemoryPlan
    transient: MemoryPlan
    results: Sequence[Shape]

    @property
    def is_shared(self) -> bool:
        """Whether several threads share some step."""
        return bool(self.table[SHARE])
