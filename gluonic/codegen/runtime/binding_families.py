"""The bindings of machine code for batches of any size, derived from the graph once.

Inferring shapes, checking guards and asking the steps for their numbers takes longer than many calls do. A
*family* does it once with a symbolic batch size: what it holds are expressions, and the guards under which they
are valid; see :mod:`gluonic.codegen.shapes.symbolic`.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from gluonic.codegen.launch.arguments import ArgumentLists, LaunchArguments, collect_arguments
from gluonic.codegen.machine.workers import most_threads
from gluonic.codegen.native.specialization import Specialization
from gluonic.codegen.rewriting.preparation import Preparation
from gluonic.codegen.runtime.binding import Binding
from gluonic.codegen.shapes.abstract_arrays import AbstractArray
from gluonic.codegen.shapes.facts import Facts
from gluonic.codegen.shapes.symbolic import (
    NotUniform,
    ShapeEnv,
    SymbolicDim,
    valued,
    varies,
    written,
)
from gluonic.graph import Graph
from gluonic.graph.attributes import Shape
from gluonic.graph.errors import MXNetError

_MOST_FAMILIES = 8
Lines: TypeAlias = list[list[tuple[int, int] | None]]
"""For each axis of each input how it follows from the batch size: a factor, and what is added; None if not."""


class Family:
    """Bindings of one specialization that differ in the batch size.

    Parameters
    ----------
    specialization : the machine code
    arrays : the inputs, with extents in their shapes
    facts : the shapes and dtypes of all results, with extents
    arguments : what the steps answered
    env : the guards
    timed : whether the steps were asked for their times
    """

    def __init__(
        self,
        specialization: Specialization,
        arrays: Sequence[AbstractArray],
        facts: Facts,
        arguments: ArgumentLists,
        env: ShapeEnv,
        *,
        timed: bool,
    ) -> None:
        self.specialization, self._env, self._timed = specialization, env, timed
        self._shapes = _Shapes([array.shape for array in arrays])
        self._dtypes = [array.dtype for array in arrays]
        self._facts = Facts(facts.shapes, facts.dtypes)
        self._given = _Shapes([facts.shapes.get(entry) for entry in specialization.input_entries])
        self._numbers = _Column(arguments.numbers)
        self._units, self._workspaces = _Column(arguments.units), _Column(arguments.workspaces)
        self._nanoseconds = _Column(arguments.nanoseconds, np.float64)
        self._sizes = _Column(arguments.sizes)
        self._results = _Shapes(arguments.results)
        self._first = next(i for i, array in enumerate(arrays) if varies(array.shape))
        first = arrays[self._first].shape
        self._axis = [varies([extent]) for extent in first].index(True)
        self._extent = cast(SymbolicDim, first[self._axis])

    def binding(self, arrays: Sequence[Any]) -> Binding | None:
        """The binding for such arrays, if it belongs to the family."""
        values = self._values_for(arrays)
        if values is None:
            return None
        arguments = LaunchArguments(
            self._numbers.at(values),
            self._units.at(values),
            self._nanoseconds.at(values),
            self._workspaces.at(values),
            self._sizes.at(values),
            self._results.at(values),
        )
        given = self._given.at(values)
        return Binding(self.specialization, arguments, given, lambda: self._facts_at(values))

    def _values_for(self, arrays: Sequence[Any]) -> list[Any] | None:
        """The values of all atoms for such arrays, if these belong to the family."""
        size = self._size_of(arrays)
        if size is None or size < 1 or (most_threads() > 1 and not self._timed):
            return None
        values = self._env.values_at(size)
        return values if values is not None and self._has_shapes(arrays, values) else None

    def _size_of(self, arrays: Sequence[Any]) -> int | None:
        """The batch size that such arrays would have."""
        shape = arrays[self._first].shape
        if len(shape) <= self._axis:
            return None
        ((_, factor),) = self._extent.terms
        size, rest = divmod(shape[self._axis] - self._extent.constant, factor)
        return None if rest else int(size)

    def _has_shapes(self, arrays: Sequence[Any], values: Sequence[Any]) -> bool:
        """Whether the arrays are what the family is for, with a batch of this size."""
        if [a.dtype for a in arrays] != self._dtypes:
            return False
        return [a.shape for a in arrays] == self._shapes.at(values)

    def _facts_at(self, values: Sequence[Any]) -> Facts:
        shapes = {entry: _shape_at(shape, values) for entry, shape in self._facts.shapes.items()}
        return Facts(shapes, self._facts.dtypes)


class _Column:
    """A column of numbers and extents, each of which is valued once for all its places."""

    def __init__(self, listed: Sequence[Any], dtype: type = np.int64) -> None:
        self._fixed: npt.NDArray[Any] = np.array(
            [0 if type(x) is SymbolicDim else x for x in listed], dtype
        )
        open_places = [(place, x) for place, x in enumerate(listed) if type(x) is SymbolicDim]
        self._places = np.array([place for place, _ in open_places], np.intp)
        self._extents, self._which = _distinct([x for _, x in open_places], written)

    def at(self, values: Sequence[Any]) -> npt.NDArray[Any]:
        """The column, given the values of the atoms."""
        found = self._fixed.copy()
        if self._extents:
            own = np.array([valued(extent, values) for extent in self._extents], found.dtype)
            found[self._places] = own[self._which]
        return found


class _Shapes:
    """Shapes with extents, of which equal ones are valued once; None where nothing is known."""

    def __init__(self, shapes: Sequence[Shape | None]) -> None:
        self._fixed = list(shapes)
        self._places = [i for i, shape in enumerate(shapes) if shape and varies(shape)]
        self._open, self._which = _distinct([shapes[i] for i in self._places], _written_shape)

    def at(self, values: Sequence[Any]) -> list[Any]:
        """The shapes, given the values of the atoms."""
        found = self._fixed.copy()
        own = [_shape_at(shape, values) for shape in self._open]
        for place, which in zip(self._places, self._which, strict=True):
            found[place] = own[which]
        return found


def _distinct(
    all_of_them: Sequence[Any], key: Callable[[Any], Hashable]
) -> tuple[list[Any], list[int]]:
    """Those that differ, and for each which of them it is."""
    numbers: dict[Hashable, int] = {}
    which = [numbers.setdefault(key(x), len(numbers)) for x in all_of_them]
    first = dict(reversed([*zip(which, all_of_them, strict=True)]))
    return [first[number] for number in range(len(first))], which


def _written_shape(shape: Shape) -> Hashable:
    return tuple(map(written, shape))


def _shape_at(shape: Shape, values: Sequence[Any]) -> Shape:
    return tuple([valued(extent, values) for extent in shape])


def is_uniform(graph: Graph) -> bool:
    """Whether shapes follow from rules of our own, which do nothing else, and no code of others is asked."""
    operators = [node.application.op for node in graph.nodes if node.application is not None]
    return not any(op.calls_back or op.native or op.arguments or op.dynamic for op in operators)


class Families:
    """The families of a graph in one mode.

    Parameters
    ----------
    preparation : of the graph
    train : whether it runs in training mode
    """

    def __init__(self, preparation: Preparation, train: bool) -> None:
        self._preparation, self._train = preparation, train
        self._found: list[Family] = []
        self._trials = _MOST_FAMILIES if is_uniform(preparation.graph) else 0

    def bind(self, arrays: Sequence[Any]) -> Binding | None:
        """The binding for such arrays, if it belongs to a family; the latest is asked first."""
        for family in reversed(self._found):
            if (binding := family.binding(arrays)) is not None:
                return binding
        return None

    def find_leading(
        self, made: Specialization, arrays: Sequence[Any], data: Sequence[int]
    ) -> Family | None:
        """Find the family of arrays in which the first axes of `data` are the batch."""
        return self._find(made, arrays, leading_lines(arrays, data))

    def find_between(
        self, known: Specialization, before: Sequence[Shape], arrays: Sequence[Any]
    ) -> Family | None:
        """Find the family that shapes of an earlier call and these arrays belong to."""
        return self._find(known, arrays, lines_between(before, [a.shape for a in arrays]))

    def _find(
        self, made: Specialization, arrays: Sequence[Any], batch: tuple[Lines, int] | None
    ) -> Family | None:
        """Look for a family, unless that was in vain too often."""
        if batch is None or batch[1] < 1 or self._trials == 0:
            return None
        self._trials -= 1
        abstract_arrays = [AbstractArray(a.shape, a.dtype) for a in arrays]
        found = find_family(self._preparation, made, abstract_arrays, *batch, train=self._train)
        if found is not None:
            self._trials = _MOST_FAMILIES
            self._found.append(found)
            del self._found[:-_MOST_FAMILIES]
        return found


def find_family(
    preparation: Preparation,
    specialization: Specialization,
    arrays: Sequence[AbstractArray],
    lines: Lines,
    size: int,
    *,
    train: bool,
) -> Family | None:
    """Find the family of a specialization; None if there is none.

    Parameters
    ----------
    preparation : of the graph
    specialization : machine code that serves the arrays
    arrays : the inputs
    lines : how their axes follow from the batch size
    size : the batch size of the arrays
    """
    env = ShapeEnv(size)
    opened = [
        AbstractArray(
            tuple(
                extent if line is None else env.size * line[0] + line[1]
                for extent, line in zip(array.shape, own, strict=True)
            ),
            array.dtype,
        )
        for array, own in zip(arrays, lines, strict=True)
    ]
    try:
        facts = preparation.facts_of(specialization.prepared, opened, train)
        if facts is None or not specialization.guards.hold(facts):
            return None
        timed = most_threads() > 1
        arguments = collect_arguments(specialization.launch, facts, timed=timed)
    except (NotUniform, MXNetError):
        return None
    if env.failed or not env.is_general:
        return None
    env.answers.clear()
    return Family(specialization, opened, facts, arguments, env, timed=timed)


def leading_lines(arrays: Sequence[Any], data: Sequence[int]) -> tuple[Lines, int]:
    """The first axes that are as long as that of the first array of data, or, of matrices, a multiple of it.

    These may be the batch, or the batch with another axis folded into it.

    >>> leading_lines([AbstractArray((4, 3), "float32"), AbstractArray((4, 4), "float32")], [0])
    ([[(1, 0), None], [None, None]], 4)
    """
    sizes = [arrays[i].shape[0] for i in data if len(arrays[i].shape)]
    size = sizes[0] if sizes else 0
    lines: Lines = [[None] * len(array.shape) for array in arrays]
    for i in data:
        shape = arrays[i].shape
        factor, rest = divmod(shape[0], size) if size and shape else (0, 0)
        if factor and not rest and (factor == 1 or len(shape) > 1):
            lines[i][0] = (factor, 0)
    return lines, size


def lines_between(before: Sequence[Shape], after: Sequence[Shape]) -> tuple[Lines, int] | None:
    """How axes follow from one that differs between two calls; None if none does, or they do not.

    >>> lines_between([(4, 3), (12,)], [(5, 3), (15,)])
    ([[(1, 0), None], [(3, 0)]], 5)
    """
    if [len(shape) for shape in before] != [len(shape) for shape in after]:
        return None
    pairs = [pair for a, b in zip(before, after, strict=True) for pair in zip(a, b, strict=True)]
    differing = [(old, new) for old, new in pairs if old != new]
    if not differing:
        return None
    start, end = min(differing, key=lambda pair: (abs(pair[1] - pair[0]), pair[1]))
    lines: Lines = []
    for old_shape, new_shape in zip(before, after, strict=True):
        own: list[tuple[int, int] | None] = []
        for old, new in zip(old_shape, new_shape, strict=True):
            factor, rest = divmod(new - old, end - start)
            if rest:
                return None
            own.append((factor, new - factor * end) if factor else None)
        lines.append(own)
    return lines, end
