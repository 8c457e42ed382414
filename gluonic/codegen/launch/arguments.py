"""The arguments that machine code is launched with for a set of shapes: all that a binding is made of."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from gluonic.codegen.loops.steps import Step
from gluonic.codegen.machine.workers import most_threads
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph import Entry
from gluonic.graph.attributes import Shape
from gluonic.support.record import record

Integers: TypeAlias = npt.NDArray[np.int64]


@record
class LaunchSpec:
    """What of a graph has launch arguments.

    Attributes
    ----------
    steps : what machine code does, in order
    buffers : results and workspaces in the memory of frames
    computed : the results that calls return
    """

    steps: Sequence[Step]
    buffers: Sequence[Any]
    computed: Sequence[Entry]


@record
class LaunchArguments:
    """The numbers that go with shapes, or expressions of sizes.

    Attributes
    ----------
    numbers : of all native steps, one after the other: displacements, then run-time numbers
    units : of each phase of each step
    nanoseconds : that each step takes one thread, where there are several; empty where there are not
    workspaces : the bytes of scratch memory that each step, or each of its threads, needs
    sizes : the bytes of each result in the memory of frames; 0 for a workspace
    results : the shapes of what is computed
    """

    numbers: list[Any]
    units: list[Any]
    nanoseconds: list[Any]
    workspaces: list[Any]
    sizes: list[Any]
    results: list[Shape]


def launch_arguments(launch: LaunchSpec, facts: Facts) -> LaunchArguments:
    """Ask all steps of a graph for their numbers, and where there are several threads for their times."""
    found, timed = LaunchArguments([], [], [], [], [], []), most_threads() > 1
    for step in launch.steps:
        found.numbers.extend(step.displacements(facts))
        found.numbers.extend(step.numbers(facts))
        found.units.extend(step.phase_units(facts))
        if timed:
            found.nanoseconds.append(step.nanoseconds(facts))
        found.workspaces.append(step.workspace(facts) if step.uses_workspace else 0)
    found.sizes.extend(
        facts.bytes_of(buffer) if isinstance(buffer, Entry) else 0 for buffer in launch.buffers
    )
    found.results.extend(facts.shapes[entry] for entry in launch.computed)
    return found
