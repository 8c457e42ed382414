"""Axes of a random graph's inputs that become longer or shorter together, as a batch does."""

from collections.abc import Collection, Sequence
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from gluonic.codegen.shapes.abstract_arrays import AbstractArray
from tests.codegen.growing import RandomGraph

Axis = tuple[int, int]
"""The number of an input, and of one of its axes."""


def varying_axes(random: RandomGraph, data: st.DataObject) -> tuple[int, set[Axis]]:
    """Draw the extent of some axis, and which of the axes of that extent vary."""
    axes = [(i, axis) for i, a in enumerate(random.arrays) for axis in range(a.ndim)]
    assume(axes)
    i, axis = data.draw(st.sampled_from(axes))
    size = random.arrays[i].shape[axis]
    alike = [(j, k) for j, k in axes if random.arrays[j].shape[k] == size]
    return size, {(i, axis), *data.draw(st.sets(st.sampled_from(alike)))}


def resized(arrays: Sequence[Any], size: int, varying: Collection[Axis]) -> list[AbstractArray]:
    """Arrays without elements, some of whose axes have another extent."""
    return [
        AbstractArray(
            tuple(size if (i, axis) in varying else n for axis, n in enumerate(a.shape)), a.dtype
        )
        for i, a in enumerate(arrays)
    ]
