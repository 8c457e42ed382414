"""The steps of recurrent layers: a kernel a step, which multiplies and then computes the elements.

A warp computes one element of the state, with all its gates, of a few sequences: its lanes share the products
of the rows of the weights and of the states. So a step is one launch, and additions are always in one order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gluonic.codegen.cuda.kernel_function import WARP
from gluonic.codegen.cuda.threads.thread_code import ThreadCode, ThreadVariable
from gluonic.codegen.cuda.threads.thread_step import Operand, ThreadPlan
from gluonic.codegen.maths.values import Value, scalar_type
from gluonic.graph import Entry
from gluonic.graph.ops.rnn_cells import CELLS
from gluonic.support.record import record

_MOST_SEQUENCES = 8
"""The most sequences of a warp."""


@record
class StepKind:
    """What the code of all kernels of a direction depends on.

    Attributes
    ----------
    mode, projects, has_lengths, backwards : see `recurrent_steps`
    names : those of the operands
    tile : the sequences of a warp
    """

    mode: str
    projects: bool
    has_lengths: bool
    backwards: bool
    names: tuple[str, ...]
    tile: int

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
    """

    def __init__(self, k: ThreadCode, kind: StepKind) -> None:
        self.k, self.kind = k, kind
        warp, lane = k.divided(k.thread, k.constant(WARP))
        tiles = k.divided(k["batch"] + (kind.tile - 1), k.constant(kind.tile))[0]
        self.unit, tile = k.divided(warp, tiles)
        self.lane, self.first = lane, tile * kind.tile

    def operand(self, name: str) -> int:
        """The position of an operand."""
        return self.kind.names.index(name)

    def get(self, name: str, index: Value) -> Value:
        """An element of an operand."""
        return self.k.read(self.operand(name), index)

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

    def of_each_sequence(self, body: Callable[[Value, Value], None]) -> None:
        """Write what the first lanes do, one for each of the warp's sequences: ``body(sequence, lane)``."""
        own = self.first + self.lane
        with self.k.only_if((self.lane < self.kind.tile) & (own < self.k["batch"])):
            body(own, self.lane)

    # -- products -----------------------------------------------------------------------------

    def dots(
        self,
        weights: str,
        rows: Sequence[Value],
        length: Value,
        vectors: Callable[[Value], tuple[str, Value]],
    ) -> list[Value]:
        """The products of rows of weights with a vector of each sequence: those of the lane's sequence.

        Parameters
        ----------
        weights, rows : an operand, and the first element of each row there
        length : of rows and vectors
        vectors : the operand with the vector of a sequence, and its first element
        """
        k, last = self.k, self.k["batch"] - 1
        starts = [
            vectors(k.m.minimum(self.first + number, last)) for number in range(self.kind.tile)
        ]
        dtype = self.get(weights, rows[0]).dtype
        sums = [[k.variable(k.m.constant(0, dtype)) for _ in starts] for _ in rows]
        rounds, _ = k.divided(length + (WARP - 1), k.constant(WARP))
        with k.each(0, rounds) as number:
            place = number * WARP + self.lane
            with k.only_if(place < length):
                factors = [self.get(weights, row + place) for row in rows]
                for column, (name, start) in enumerate(starts):
                    x = self.get(name, start + place)
                    for row, factor in zip(sums, factors, strict=True):
                        row[column].set(k.m.fma(factor, x, row[column].now))
        return [self._of_lane([self._over_warp(each) for each in row]) for row in sums]

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
        """One of several values: that of the lane's sequence."""
        chosen = values[0]
        for number, value in enumerate(values[1:], 1):
            chosen = self.k.m.where(self.lane == number, value, chosen)
        return chosen


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
        )

    def warps(self, units: int) -> int:
        """The threads of warps that each compute an element of some sequences."""
        return units * -(-self.batch // self.kind.tile) * WARP

    def add(self, body: Callable[..., None], threads: int, *statics: bool, step: int = 0) -> None:
        """Add a kernel."""
        numbers = {"steps": self.steps, "batch": self.batch, "size": self.size, "part": self.part}
        operands = [*self.arrays.values()]
        self.plan.kernel(body, operands, threads, self.kind, *statics, step=step, **numbers)
