"""What a set of shapes means for a graph, in numbers: all that a binding is made of."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from gluonic.codegen.loops.steps import Step
from gluonic.codegen.machine.workers import most_threads
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph.attributes import Shape
from gluonic.graph.node import Entry
from gluonic.support.record import record

Integers: TypeAlias = npt.NDArray[np.int64]


@record
class Measured:
    """What of a graph depends on shapes.

    Attributes
    ----------
    steps : what machine code does, in order
    residents : results and workspaces in the memory of frames
    computed : the results that calls return
    """

    steps: Sequence[Step]
    residents: Sequence[Any]
    computed: Sequence[Entry]


@record
class Figures:
    """The numbers that go with one set of shapes.

    Attributes
    ----------
    numbers : of all native steps, one after the other: displacements, then run-time numbers
    units : of each phase of each step
    nanoseconds : that each step takes one thread, where there are several
    workspaces : the bytes of scratch memory that each step, or each of its threads, needs
    sizes : the bytes of each result in the memory of frames; 0 for a workspace
    results : the shapes of what is computed
    """

    numbers: Integers
    units: Integers
    nanoseconds: npt.NDArray[np.float64]
    workspaces: Integers
    sizes: Integers
    results: list[Shape]


@record
class Listed:
    """Figures as they are collected, each a list."""

    numbers: list[Any]
    units: list[Any]
    nanoseconds: list[Any]
    workspaces: list[Any]
    sizes: list[Any]
    results: list[Any]


def listed(measured: Measured, facts: Facts, *, timed: bool) -> Listed:
    """Ask all steps of a graph for their numbers; if `timed`, also for their times."""
    found = Listed([], [], [], [], [], [])
    for step in measured.steps:
        found.numbers.extend(step.displacements(facts))
        found.numbers.extend(step.numbers(facts))
        found.units.extend(step.phase_units(facts))
        found.nanoseconds.append(step.nanoseconds(facts) if timed else 0)
        found.workspaces.append(step.workspace(facts) if step.uses_workspace else 0)
    found.sizes.extend(
        facts.bytes_of(resident) if isinstance(resident, Entry) else 0
        for resident in measured.residents
    )
    found.results.extend(facts.shapes[entry] for entry in measured.computed)
    return found


def figures_of(measured: Measured, facts: Facts) -> Figures:
    """The figures for shapes that are known."""
    found = listed(measured, facts, timed=most_threads() > 1)
    return Figures(
        integers(found.numbers),
        integers(found.units),
        np.array(found.nanoseconds, np.float64),
        integers(found.workspaces),
        integers(found.sizes),
        found.results,
    )


def integers(numbers: Sequence[int]) -> Integers:
    """An array of them."""
    return np.array(numbers, np.int64)
