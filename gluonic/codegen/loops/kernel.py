"""The description of a kernel, independent of any graph and any size.

A kernel runs over an iteration space; some of its axes may be reduced. Each operand is an array that
is read or written at the current point of the loops. The axes that it varies along are part of the
kernel; extents and strides are arguments of a call. The computation is a list of stages. A *sweep*
visits all positions of the reduced axes (one position if none are reduced), stores elements and
reduces others. A *point* stage runs once for each position of the other axes, between or after
sweeps. Later stages can read the values that earlier ones reduced, so softmax or layer norm is one
kernel, which runs row by row while the row is in the cache.

The last axis is the vector axis. If it is reduced, registers hold consecutive elements of a row and
are combined at the end. If not, registers hold consecutive results, and reducing the other axes needs
no combining.

Machine code has the signature ``void kernel(char** operands, const int64_t* table, int64_t begin,
int64_t end)``. The table is what :meth:`Kernel.table` returns; ``begin`` and ``end`` are a range of
:meth:`Kernel.units` of work, which may run in any order and on any thread with the same result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from math import prod
from typing import Literal

from gluonic.codegen.maths.values import Dtype
from gluonic.codegen.scalar.program import ScalarProgram
from gluonic.support.record import record

AccessPattern = Literal["repeat", "unit", "stride", "chunk"]


@record
class Operand:
    """An array that a kernel reads or writes.

    Parameters
    ----------
    dtype : numpy.dtype
        Of the elements in memory.
    patterns : tuple of str
        For each axis, its access pattern: ``"repeat"`` (the same element), ``"unit"`` (the
        next element; only along the last axis), ``"stride"`` (a stride given at run time) or
        ``"chunk"`` (a stride from each chunk of the last axis to the next, see :class:`Kernel`).
    """

    dtype: Dtype
    patterns: tuple[AccessPattern, ...]

    def varies(self, axis: int) -> bool:
        """Whether the element depends on the index along an axis."""
        return self.patterns[axis] != "repeat"


@record
class Store:
    """A result that is written to the operand with index `operand`."""

    operand: int


@record
class Carry:
    """A result of a point stage, passed to later stages after all earlier reduced values."""


@record
class Reduce:
    """A result that is reduced over the reduced axes and passed to later stages.

    Parameters
    ----------
    kind : str
        ``sum``, ``prod``, ``max`` or ``min``. float32 is summed in float64, integers in int64;
        max and min propagate NaN.
    dtype : numpy.dtype, optional
        The dtype of the reduced value; by default that of the element.
    """

    kind: Literal["sum", "prod", "max", "min"]
    dtype: Dtype | None = None


Result = Store | Reduce | Carry


@record
class Stage:
    """One pass over the reduced axes, or one step per point.

    Parameters
    ----------
    program : ScalarProgram
        What it computes: a value for each of `results`. An ``element`` is that of the operand of this
        number, loaded on first use; a ``value`` is one that earlier stages reduced or carried.
    results : tuple of Store, Reduce or Carry
        For each value, its destination.
    point : bool, default False
        Whether it runs once per point, not once per element.
    """

    program: ScalarProgram
    results: tuple[Result, ...]
    point: bool = False


@record
class Kernel:
    """A loop nest over a space of a given rank.

    Parameters
    ----------
    rank : int
        Number of axes, at least 1; axis 0 is the outermost.
    operands : tuple of Operand
        The arrays, in the order of the addresses passed. An output may be the same
        array as an input (same address, same strides) if no later stage reads that input.
    stages : tuple of Stage
        The stages, in order.
    reduced : frozenset of int
        The axes that are reduced.
    chunked : bool, default False
        Whether a reduced last axis is divided into chunks that are reduced separately, so that threads can
        share a long row: there is then one point per chunk, and the outputs have the access ``"chunk"``.
    streamed : int, optional
        The index of an operand that is only written, by ``"unit"``, and is too large to stay in the
        caches: it is written with streaming (non-temporal) stores.
    scratch : tuple of numpy.dtype
        The dtypes of the values that one stage stores for later ones at every position; their indices
        follow those of the operands. Such a kernel reduces nothing; its stages run one after the other
        over blocks of the last axis, short enough for the scratch to stay in the level 1 cache.
    short : bool, default False
        Whether the last axis has too few elements for loops over several registers at a time; these
        take LLVM longest to compile.
    """

    rank: int
    operands: tuple[Operand, ...]
    stages: tuple[Stage, ...]
    reduced: frozenset[int] = field(default_factory=frozenset)
    chunked: bool = False
    streamed: int | None = None
    scratch: tuple[Dtype, ...] = ()
    short: bool = False

    def __post_init__(self) -> None:
        if self.rank < 1 or any(len(operand.patterns) != self.rank for operand in self.operands):
            raise ValueError(f"every operand needs an access pattern for each of {self.rank} axes")
        if self.chunked and not self.row:
            raise ValueError("only a kernel whose last axis is reduced can be chunked")
        if self.scratch and self.reduced:
            raise ValueError("a kernel with scratch reduces nothing")
        if self.chunked and sum(not stage.point for stage in self.stages) > 1:
            raise ValueError("a chunked kernel has one sweep: later ones need the whole row")

    @property
    def row(self) -> bool:
        """Whether the vector axis is reduced."""
        return self.rank - 1 in self.reduced

    @property
    def kept(self) -> tuple[int, ...]:
        """The axes other than the vector axis that are not reduced: the outer loops."""
        return tuple(a for a in range(self.rank - 1) if a not in self.reduced)

    @property
    def swept(self) -> tuple[int, ...]:
        """The axes other than the vector axis that are reduced: the loops of a sweep."""
        return tuple(a for a in range(self.rank - 1) if a in self.reduced)

    def units(self, extents: Sequence[int], grain: int) -> int:
        """Return the number of units of work, each of at most `grain` elements along the last axis."""
        outer = prod(extents[axis] for axis in self.kept)
        if self.row and not self.chunked:
            return outer
        return outer * -(-extents[-1] // grain)

    def table(
        self, extents: Sequence[int], strides: Sequence[Sequence[int]], grain: int
    ) -> list[int]:
        """Return the run-time numbers: extents, grain, and each operand's strides in bytes.

        Parameters
        ----------
        extents : sequence of int
            The extents of the axes of the space.
        strides : sequence of sequences of int
            For each operand, its stride in bytes along each axis; ignored where its access is ``"repeat"``.
        grain : int
            The most elements of one unit of work along the last axis.
        """
        numbers = [*extents, grain]
        for operand_strides in strides:
            numbers.extend(operand_strides)
        return numbers
