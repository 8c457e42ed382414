"""The steps of recurrent layers: a kernel a step, which multiplies and then computes the elements.

A warp computes one element of the state, with all its gates, of a few sequences: its lanes share the products
of the rows of the weights and of the states. So a step is one launch, and additions are always in one order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from gluonic.codegen.cuda.kernel_function import WARP
from gluonic.codegen.cuda.threads.thread_steps import KernelThreads
from gluonic.codegen.maths.values import Value, scalar_type
from gluonic.codegen.threads.thread_code import ThreadVariable
from gluonic.codegen.threads.thread_plan import Operand, ThreadPlan
from gluonic.graph import Entry
from gluonic.graph.ops.rnn_cells import CELLS
from gluonic.support.record import record

_Item = TypeVar("_Item")
_MOST_SEQUENCES = 8
"""The most sequences of a warp."""
_MOST_ROWS = 8
"""The most rows of weights of a warp, each of which it multiplies with the states of all its sequences."""
LEAST_WARPS = 512
"""The number of warps below which none computes several elements of the state."""
_LANES = 4
"""How many neighbours a thread reads at once: few warps run, so each has many loads on their way."""


@record
class StepKind:
    """What the code of all kernels of a direction depends on.

    Attributes
    ----------
    mode, projects, has_lengths, backwards : see `recurrent_steps`
    names : those of the operands
    tile, each : the sequences of a warp, and the elements of the state
    lanes : how many neighbours a thread reads of a row at once
    """

    mode: str
    projects: bool
    has_lengths: bool
    backwards: bool
    names: tuple[str, ...]
    tile: int
    lanes: int
    each: int = 1

    @property
    def gates(self) -> int:
        """The number of gates."""
        return CELLS[self.mode].gates


class StepCode:
    """One kernel while it is being written.

    Parameters
    ----------
    k : the kernel
    kind : what it depends on

    Attributes
    ----------
    unit : the element of the state that the lane computes, after the products
    """

    def __init__(self, k: KernelThreads, kind: StepKind) -> None:
        self.k, self.kind = k, kind
        warp, lane = k.divided(k.thread, k.constant(WARP))
        tiles = k.divided(k["batch"] + (kind.tile - 1), k.constant(kind.tile))[0]
        group, tile = k.divided(warp, tiles)
        self.lane, self.first, self.first_unit = lane, tile * kind.tile, group * kind.each
        own, number = k.divided(lane, k.constant(kind.tile))
        self._sequence, self._unit = self.first + number, self.first_unit + own
        self._has_own = (own < kind.each) & (self._sequence < k["batch"])
        self._has_own = self._has_own & (self._unit < k["units"])
        self.unit = k.m.minimum(self._unit, k["units"] - 1)

    def operand(self, name: str) -> int:
        """The position of an operand."""
        return self.kind.names.index(name)

    def get(self, name: str, index: Value) -> Value:
        """An element of an operand."""
        return self.k.read(self.operand(name), index)

    def neighbours(self, name: str, index: Value) -> list[Value]:
        """Elements of an operand, as many as a thread reads at once."""
        return self.k.read_neighbours(self.operand(name), index, self.kind.lanes)

    def put(self, name: str, index: Value, value: Value) -> None:
        """Write an element of an operand."""
        self.k.write(self.operand(name), index, value)

    # -- sequences ----------------------------------------------------------------------------

    def length(self, sequence: Value) -> Value:
        """The number of steps of a sequence."""
        if not self.kind.has_lengths:
            return self.k["steps"]
        whole = self.k.to_index(self.get("sequence_length", sequence))
        return self.k.clipped(whole, self.k["steps"] + 1)

    def row(self, step: Value, sequence: Value) -> Value:
        """The row of a step in the order of the sequence."""
        if self.kind.backwards:
            length = self.length(sequence)
            step = self.k.m.where(step < length, length - 1 - step, step)
        return step * self.k["batch"] + sequence

    def of_each_sequence(self, body: Callable[[Value], None]) -> None:
        """Write what lanes do, one for each element of each of the warp's sequences: ``body(sequence)``."""
        with self.k.only_if(self._has_own):
            body(self._sequence)

    # -- products -----------------------------------------------------------------------------

    def dots(
        self,
        weights: str,
        rows: Sequence[Callable[[Value], Value]],
        length: Value,
        vectors: Callable[[Value], tuple[str, Value]],
    ) -> list[Value]:
        """The products of rows of weights with a vector of each sequence: those of the lane.

        Parameters
        ----------
        weights, rows : an operand, and, for each row, the first element there of an element of the state
        length : of rows and vectors
        vectors : the operand with the vector of a sequence, and its first element
        """
        k, last = self.k, self.k["batch"] - 1
        starts = [
            vectors(k.m.minimum(self.first + number, last)) for number in range(self.kind.tile)
        ]
        last_unit = k["units"] - 1
        units = [k.m.minimum(self.first_unit + i, last_unit) for i in range(self.kind.each)]
        firsts = [[row(unit) for unit in units] for row in rows]
        dtype = self.get(weights, firsts[0][0]).dtype
        sums = [[[k.variable(k.m.constant(0, dtype)) for _ in starts] for _ in units] for _ in rows]

        def add(place: Value) -> None:
            factors = [self.neighbours(weights, first + place) for first in _flat(firsts)]
            for column, (name, start) in enumerate(starts):
                numbers = self.neighbours(name, start + place)
                for each, own in zip(_flat(sums), factors, strict=True):
                    total = each[column].now
                    for factor, x in zip(own, numbers, strict=True):
                        total = k.m.fma(factor, x, total)
                    each[column].set(total)

        lanes, width = self.kind.lanes, self.kind.lanes * WARP
        rounds, rest = k.divided(length, k.constant(width))
        with k.each(0, rounds) as number:
            add(number * width + self.lane * lanes)
        with k.only_if(self.lane * lanes < rest):
            add(rounds * width + self.lane * lanes)
        return [self._of_lane([self._over_warp(each) for each in _flat(row)]) for row in sums]

    def _over_warp(self, each: ThreadVariable) -> Value:
        """The sum over the lanes."""
        k, total = self.k, each.now
        distance = WARP // 2
        while distance:
            other = k.exchanged(scalar_type(total.dtype), total.ref, distance)
            total = total + k.m.value(other, total.dtype, 1)
            distance //= 2
        return total

    def _of_lane(self, values: Sequence[Value]) -> Value:
        """One of several values: that of the lane."""
        chosen = values[0]
        for number, value in enumerate(values[1:], 1):
            chosen = self.k.m.where(self.lane == number, value, chosen)
        return chosen


def _flat(rows: Sequence[Sequence[_Item]]) -> list[_Item]:
    """The items of all rows."""
    return [item for row in rows for item in row]


def states_before(code: StepCode, is_first: bool) -> Callable[[Value], tuple[str, Value]]:
    """Where the state of a sequence before the step is."""
    k = code.k

    def place(sequence: Value) -> tuple[str, Value]:
        if is_first:
            return "state", sequence * k["part"]
        return "output", code.row(k["step"] - 1, sequence) * k["part"]

    return place


class Direction:
    """The launches of a direction.

    Parameters
    ----------
    plan : the kernels
    gates : the entry of the gates
    extra : scratch memory by name
    """

    def __init__(self, plan: ThreadPlan, gates: Entry, **extra: Operand) -> None:
        settings = plan.settings
        self.plan = plan
        self.steps, self.batch, self.width = plan.shape(gates)
        self.size = self.width // CELLS[settings["mode"]].gates
        self.part = plan.shape(plan.named["state"])[1]
        results = zip(plan.node.applied.outputs, plan.outputs, strict=True)
        self.arrays: dict[str, Operand] = {**plan.named, **dict(results), **extra}
        tile = 1
        while tile < min(self.batch, _MOST_SEQUENCES):
            tile *= 2
        self.kind = StepKind(
            mode=settings["mode"],
            projects=settings["projects"],
            has_lengths=settings["has_lengths"],
            backwards=settings["backwards"],
            names=tuple(self.arrays),
            tile=tile,
            lanes=1 if self.size % _LANES or self.part % _LANES else _LANES,
        )

    def add(
        self, body: Callable[..., None], units: int, *statics: bool, rows: int = 1, step: int = 0
    ) -> None:
        """Add a kernel whose warps compute elements of the state, from so many rows of weights for each."""
        tiles = -(-self.batch // self.kind.tile)
        each = min(WARP // self.kind.tile, max(_MOST_ROWS // rows, 1))
        while each > 1 and units * tiles < each * LEAST_WARPS:
            each //= 2
        kind = replace(self.kind, each=each)
        self._add(body, kind, -(-units // each) * tiles * WARP, units, statics, step)

    def add_plain(self, body: Callable[..., None], threads: int, *statics: bool) -> None:
        """Add a kernel with a thread for each of something."""
        self._add(body, self.kind, threads, threads, statics, 0)

    def _add(
        self,
        body: Callable[..., None],
        kind: StepKind,
        threads: int,
        units: int,
        statics: Sequence[bool],
        step: int,
    ) -> None:
        numbers = {"steps": self.steps, "batch": self.batch, "size": self.size, "part": self.part}
        operands = [*self.arrays.values()]
        self.plan.kernel(body, operands, threads, kind, *statics, step=step, units=units, **numbers)
