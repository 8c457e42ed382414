"""The launch arguments of machine code for a set of shapes: the contents of a binding."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from gluonic.codegen.loops.steps import Step
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph import Entry
from gluonic.graph.attributes import Shape
from gluonic.support.record import record

Integers: TypeAlias = npt.NDArray[np.int64]


@record
class LaunchSpec:
    """The parts of a graph that have launch arguments.

    Attributes
    ----------
    steps : the native steps, in execution order
    buffers : results and workspaces in the memory of frames
    computed : the results that calls return
    """

    steps: Sequence[Step]
    buffers: Sequence[Any]
    computed: Sequence[Entry]


@record
class LaunchArguments:
    """The run-time numbers for shapes, or expressions of sizes.

    Attributes
    ----------
    numbers : those of all native steps, concatenated: displacements, then run-time numbers
    units : the units of work of each phase of each step
    nanoseconds : the estimated time of each step on one thread; empty if there is only one thread
    workspaces : the bytes of scratch memory that each step, or each of its threads, needs
    sizes : the bytes of each result in the memory of frames; 0 for a workspace
    results : the shapes of the computed results
    """

    numbers: list[Any]
    units: list[Any]
    nanoseconds: list[Any]
    workspaces: list[Any]
    sizes: list[Any]
    results: list[Shape]


def launch_arguments(launch: LaunchSpec, facts: Facts) -> LaunchArguments:
    """Collect the numbers of all steps of a graph, and their estimated times."""
    found = LaunchArguments([], [], [], [], [], [])
    for step in launch.steps:
        found.numbers.extend(step.displacements(facts))
        found.numbers.extend(step.numbers(facts))
        found.units.extend(step.phase_units(facts))
        found.nanoseconds.append(step.nanoseconds(facts))
        found.workspaces.append(step.workspace(facts) if step.uses_workspace else 0)
    found.sizes.extend(
        facts.bytes_of(buffer) if isinstance(buffer, Entry) else 0 for buffer in launch.buffers
    )
    found.results.extend(facts.shapes[entry] for entry in launch.computed)
    return found
