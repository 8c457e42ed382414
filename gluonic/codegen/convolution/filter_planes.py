"""Filters of volumes as filters of images, with their planes as further channels: operators and steps."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from gluonic.codegen.convolution.steps import BlockStep
from gluonic.codegen.loops.inner_operators import inner_operator
from gluonic.codegen.lowerings.entry import lower
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.shapes.facts import Facts
from gluonic.codegen.writers.writer import Writer
from gluonic.graph import Array, Node
from gluonic.graph.view import NodeView, complete


@inner_operator("_join_planes")
def join_planes(weight: Array) -> Any:
    """Filters (filters, channels, planes, rows, columns) with planes and channels merged into one axis."""
    planes = weight.transpose(0, 2, 1, 3, 4)
    return np.ascontiguousarray(planes).reshape(len(weight), -1, *weight.shape[3:])


@join_planes.infer_shape
def _(n: NodeView) -> None:
    filters, channels, planes, *spatial = complete(n.weight)
    n.output = (filters, planes * channels, *spatial)


@inner_operator("_split_planes")
def split_planes(weight: Array, *, planes: int) -> Any:
    """Undo `join_planes`."""
    split = weight.reshape(len(weight), planes, -1, *weight.shape[2:])
    return np.ascontiguousarray(split.transpose(0, 2, 1, 3, 4))


@split_planes.infer_shape
def _(n: NodeView) -> None:
    filters, channels, *spatial = complete(n.weight)
    n.output = (filters, channels // n.planes, n.planes, *spatial)


def emit_swap_axes(module: LLVMModule, name: str, row: int) -> None:
    """Write the function that swaps two axes of each unit of work; each of their elements has `row` bytes.

    Numbers are the extents of the axes.
    """
    w = Writer(module, name)
    outer, inner = w.number(0), w.number(1)
    source, goal, by_unit = w.operand(0), w.operand(1), w.times(w.times(outer, inner), row)
    with w.f.loop("%begin", "%end") as unit:
        start, end = w.moved(source, unit, by_unit), w.moved(goal, unit, by_unit)
        with w.f.loop("0", outer) as first, w.f.loop("0", inner) as second:
            here = w.moved(start, w.plus(w.times(first, inner), second), row)
            there = w.moved(end, w.plus(w.times(second, outer), first), row)
            w.f.copy(there, here, str(row))
    w.f.finish()


class _PlanesStep(BlockStep):
    """The base of these steps.

    Attributes
    ----------
    whole : the index of the operand with an axis of planes
    """

    whole: int

    def __init__(self, node: Node, facts: Facts) -> None:
        super().__init__(node, facts)
        plane = prod(self.shape(facts, self.whole)[3:])
        self.code = emit_swap_axes, 4 * plane

    def units(self, facts: Facts) -> int:
        """One unit per filter."""
        return self.shape(facts, 0)[0]


class JoinPlanesStep(_PlanesStep):
    """Planes to channels."""

    whole = 0

    def numbers(self, facts: Facts) -> Sequence[int]:
        """Channels and planes."""
        return self.shape(facts, 0)[1:3]


class SplitPlanesStep(_PlanesStep):
    """Channels to planes."""

    whole = 1

    def numbers(self, facts: Facts) -> Sequence[int]:
        """Planes and channels."""
        return self.shape(facts, 1)[2:0:-1]


lower(join_planes, step=JoinPlanesStep)
lower(split_planes, step=SplitPlanesStep)
