"""The machine code of a library: specializations that together serve all its batch sizes."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from gluonic.codegen.launch.arguments import launch_arguments
from gluonic.codegen.launch.launches import sizes_of, table_of
from gluonic.codegen.library.extents import can_be_written
from gluonic.codegen.library.refusals import LibraryError, check
from gluonic.codegen.library.variant import Variant
from gluonic.codegen.runtime.binding_families import find_arguments
from gluonic.codegen.shapes.abstract_arrays import AbstractArray
from gluonic.codegen.shapes.facts import NotCompiledError
from gluonic.codegen.shapes.lines import Lines, is_uniform, with_extents
from gluonic.codegen.shapes.symbolic import ShapeEnv
from gluonic.codegen.specializer import Specializer
from gluonic.graph import Graph, Node
from gluonic.graph.errors import describe
from gluonic.support.pieces import finish

MOST_VARIANTS = 16
"""The most specializations of a library."""


class BatchedInputs:
    """The inputs of a graph for batches of any size.

    Parameters
    ----------
    arrays : all inputs, for one size
    axes : for each input, the axis of the batch; None if it has none

    Attributes
    ----------
    size : the size of the arrays; 1 if none has a batch axis
    varies : whether some has one
    """

    def __init__(self, arrays: Sequence[AbstractArray], axes: Sequence[int | None]) -> None:
        self._arrays = arrays
        sizes = [a.shape[x] for a, x in zip(arrays, axes, strict=True) if x is not None]
        self.varies = bool(sizes)
        self.size: int = sizes[0] if sizes else 1
        self._lines: Lines = [
            [(1, 0) if axis == number else None for number in range(len(array.shape))]
            for array, axis in zip(arrays, axes, strict=True)
        ]

    def of(self, size: Any) -> list[AbstractArray]:
        """The inputs for a size."""
        arrays = []
        for array, lines in zip(self._arrays, self._lines, strict=True):
            pairs = zip(array.shape, lines, strict=True)
            shape = tuple([extent if line is None else size for extent, line in pairs])
            arrays.append(AbstractArray(shape, array.dtype))
        return arrays

    def opened(self, size: int) -> tuple[list[AbstractArray], ShapeEnv]:
        """The inputs for an unknown size, and its environment with a size as the hint."""
        env = ShapeEnv(size)
        return with_extents(self.of(size), self._lines, env), env


def find_variants(
    graph: Graph,
    inputs: Sequence[Node],
    parameters: Collection[Node],
    batches: BatchedInputs,
    most: int,
) -> list[Variant]:
    """Make machine code for all batch sizes up to one; without a batch axis for the shapes alone.

    Raises
    ------
    LibraryError
        if something in the graph is no machine code, or too many sizes need code of their own
    """
    data = [node for node in inputs if node not in parameters]
    specializer = Specializer(graph, inputs, parameters, data, None, {})
    if not batches.varies:
        return [_variant(specializer, batches, batches.size)]
    found: list[Variant] = []
    sizes, size = np.arange(1, most + 1), max(batches.size, min(2, most))
    while len(sizes):
        if len(found) == MOST_VARIANTS:
            raise _too_many(found, most)
        # Code for several elements mostly serves one, too.
        found.append(_variant(specializer, batches, size))
        sizes = sizes[~found[-1].served(sizes)]
        size = int(sizes[0]) if len(sizes) else 0
    return found


def _variant(specializer: Specializer, batches: BatchedInputs, size: int) -> Variant:
    """New machine code for a size, and for others if possible."""
    arrays = batches.of(size)
    try:
        spec, facts = finish(specializer.specialized(arrays, False))
    except NotCompiledError as error:
        where = "export_library"
        raise LibraryError(describe(error.args[0], where=where)) from error
    check(spec)
    if batches.varies and is_uniform(specializer.graph):
        opened, env = batches.opened(size)
        found = find_arguments(specializer.preparation, spec, opened, env, train=False)
        if found is not None:
            arguments = found[1]
            table, sizes = table_of(arguments, spec.table), sizes_of(arguments, spec.buffers)
            shapes = [array.shape for array in opened]
            if can_be_written(env, [*table, *sizes, *(x for s in arguments.results for x in s)]):
                given = table, sizes, shapes, arguments.results
                return Variant(spec, facts, size, env, False, *given)
    arguments = launch_arguments(spec.launch, facts)
    table, sizes = table_of(arguments, spec.table), sizes_of(arguments, spec.buffers)
    given = table, sizes, [array.shape for array in arrays], arguments.results
    return Variant(spec, facts, size, ShapeEnv(size), True, *given)


def _too_many(found: Sequence[Variant], most: int) -> LibraryError:
    own = [str(variant.size) for variant in found if variant.only]
    return LibraryError(
        describe(
            f"the batch sizes up to {most} need machine code of more than {MOST_VARIANTS} kinds",
            where="export_library",
            facts=[f"these sizes need code of their own: {', '.join(own)}"] if own else [],
            hint="a smaller most=, or batch_axis=None for the shapes of these inputs alone",
        )
    )
