"""What a kernel computes, apart from any graph and any size.

A kernel runs over an iteration space; some of its axes may be reduced. Each operand is an array
that is read or written at the point the loops are at; which axes it moves along is part of the
kernel, extents and strides are given when it is called. What happens is a list of stages: a
*sweep* visits all positions of the reduced axes (or the one position there is, if none are
reduced), stores elements and reduces others; a *point* stage runs once for each position of the
axes that are kept, between or after sweeps. Later stages know what earlier ones reduced, so softmax
or layer norm is one kernel, run row by row while the row is in the cache.

The last axis is the vector axis. If it is reduced, registers hold neighbours in a row and are
combined in the end; if it is kept, registers hold neighbouring results, and reducing the other
axes needs no combining.

Machine code has the signature ``void kernel(char** operands, const int64_t* table, int64_t begin,
int64_t end)``. The table is what :meth:`Kernel.table` returns; ``begin`` and ``end`` select among
:meth:`Kernel.units` of work, which may run in any order and on any thread with the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from math import prod
from typing import Any, Literal

from gluonic.codegen.maths.values import Dtype
from gluonic.support.record import record

Way = Literal["repeat", "unit", "stride", "chunk"]
Body = Callable[..., Sequence[Any]]


@record
class Operand:
    """An array that a kernel reads or writes.

    Parameters
    ----------
    dtype : numpy.dtype
        Of the elements in memory.
    ways : tuple of str
        For each axis how the array moves along it: ``"repeat"`` (not at all), ``"unit"`` (to the
        next element; only along the last axis), ``"stride"`` (by a stride given at run time) or
        ``"chunk"`` (by a stride for each chunk of the last axis, see :class:`Kernel`).
    """

    dtype: Dtype
    ways: tuple[Way, ...]

    def varies(self, axis: int) -> bool:
        """Whether the array moves along an axis."""
        return self.ways[axis] != "repeat"


@record
class Store:
    """A result that is written to the operand numbered `operand`."""

    operand: int


@record
class Carry:
    """A result of a point stage that later stages get, after all earlier reduced values."""


@record
class Reduce:
    """A result that is reduced over the reduced axes and given to later stages.

    Parameters
    ----------
    kind : str
        ``sum``, ``prod``, ``max`` or ``min``. float32 is summed in float64, integers in int64;
        NaN wins in max and min.
    dtype : numpy.dtype, optional
        Of the reduced value; by default that of the element.
    """

    kind: Literal["sum", "prod", "max", "min"]
    dtype: Dtype | None = None


Result = Store | Reduce | Carry


@record
class Stage:
    """One pass over the reduced axes, or one step per point.

    Parameters
    ----------
    body : callable
        ``body(m, x, r)`` returns a value for each of `results`. ``x[k]`` is the element of operand
        `k`, read when it is first asked for; ``r`` holds what earlier stages reduced or carried.
        ``m.extent(axes)`` is the number of elements along axes of the space.
    results : tuple of Store, Reduce or Carry
        What becomes of the values.
    point : bool, default False
        Whether it runs once per point rather than once per element.
    """

    body: Body
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
        The arrays, in the order in which their addresses are passed. An output may be the very
        array an input is (same address, same strides) if no later stage reads that input.
    stages : tuple of Stage
        What is done, in order.
    reduced : frozenset of int
        The axes that are reduced.
    chunked : bool, default False
        Whether a reduced last axis is cut to chunks that are reduced apart, so that threads can
        share a long row: there is then one point per chunk, and the outputs move by ``"chunk"``.
    streamed : int, optional
        The number of an operand that is only written, by ``"unit"``, and too large to be found in
        the caches again: it is written past them.
    scratch : tuple of numpy.dtype
        What one stage leaves for later ones at every position, numbered on from the operands. Such
        a kernel reduces nothing; its stages run one after the other over blocks of the last axis,
        so short that all this stays in the nearest cache.
    short : bool, default False
        Whether the last axis has so few elements that loops over several registers at a time, which
        take LLVM longest, are not worth their code.
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
        if self.rank < 1 or any(len(operand.ways) != self.rank for operand in self.operands):
            raise ValueError(f"every operand needs a way for each of {self.rank} axes")
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
        """Return how many units of work there are, each of at most `grain` along the last axis."""
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
            Of the axes of the space.
        strides : sequence of sequences of int
            For each operand its stride along each axis; those it does not move along are ignored.
        grain : int
            How far along the last axis one unit of work goes at most.
        """
        numbers = [*extents, grain]
        for operand_strides in strides:
            numbers.extend(operand_strides)
        return numbers
