"""The tape: what was computed under `autograd.record`, and the walk back over it.

A recorded array carries an entry ``(record, output number)``. A record keeps the entries and values of its
inputs and the values of its outputs. Records are numbered, so «larger numbers first» is an order for the
walk back, and nothing recurses.
"""

import heapq
import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NoReturn, TypeAlias

import numpy as np

from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.gradient import input_gradients
from gluonic.graph.operator import Application, Array
from gluonic.ndarray.state import STATE

if TYPE_CHECKING:
    from gluonic.ndarray.array import NDArray

_serials = itertools.count()
Entry: TypeAlias = tuple["Record", int]


class Record:
    """One recorded computation.

    Attributes
    ----------
    inputs : for each input its entry on the tape, None for a constant
    serial : records are numbered as they are made
    """

    __slots__ = ("inputs", "serial")

    def __init__(self, inputs: Sequence[Entry | None]) -> None:
        self.inputs = inputs
        self.serial = next(_serials)

    def gradients(self, heads: list["NDArray | None"], *, train: bool) -> Sequence["NDArray | None"]:
        """The gradients of the inputs, given those of the outputs (None: none flows in)."""
        raise NotImplementedError

    @property
    def output_count(self) -> int:
        """How many outputs the computation has."""
        raise NotImplementedError

    def free(self) -> None:
        """Let go of what only a gradient needs."""

    def refuse_freed(self, what: str) -> NoReturn:
        """Raise, for what a gradient needs has been let go."""
        raise MXNetError(
            describe(
                "what the gradient needs was freed by an earlier backward",
                where=what,
                hint="backward(retain_graph=True), or record again",
            )
        )


class Leaf(Record):
    """A variable: an array marked with `attach_grad`.

    Attributes
    ----------
    grad : the buffer that receives its gradient
    req : ``write``, ``add`` or ``null``
    """

    __slots__ = ("grad", "req")

    def __init__(self, grad: "NDArray | None", req: str) -> None:
        super().__init__(())
        self.grad, self.req = grad, req

    @property
    def output_count(self) -> int:
        return 1

    def receive(self, gradient: "NDArray") -> None:
        """Write a gradient into the buffer, or add it to what is there."""
        if self.grad is None or self.req == "null":
            return
        buffer, new = self.grad._data, gradient._data.reshape(self.grad._data.shape)
        if self.req == "add":
            np.add(buffer, new, out=buffer, casting="unsafe")
        else:
            np.copyto(buffer, new, casting="unsafe")
        self.grad._entry = gradient._entry


class OperatorRecord(Record):
    """An operator that ran; its gradient is the operator's rule with F = nd."""

    __slots__ = ("application", "arrays", "train")

    def __init__(
        self,
        application: Application,
        inputs: Sequence[Entry | None],
        arrays: list[Array],
        train: bool,
    ) -> None:
        super().__init__(inputs)
        self.application, self.train = application, train
        self.arrays: list[Array] | None = arrays

    @property
    def output_count(self) -> int:
        return len(self.application.outputs)

    def free(self) -> None:
        self.arrays = None

    def gradients(self, heads: list["NDArray | None"], *, train: bool) -> Sequence["NDArray | None"]:
        if self.arrays is None:
            self.refuse_freed(self.application.op.name)
        from gluonic.ndarray.invoke import EAGER, wrap

        entries = [*self.inputs, *((self, i) for i in range(self.output_count))]
        values = [wrap(a, entry) for a, entry in zip(self.arrays, entries, strict=True)]
        return input_gradients(
            EAGER,
            self.application,
            values,
            heads,
            train=self.train,
            wanted=[entry is not None for entry in self.inputs],
        )


class FunctionRecord(Record):
    """A computation with a gradient given as a Python function over NDArrays."""

    __slots__ = ("backward", "count")

    def __init__(
        self,
        inputs: Sequence[Entry | None],
        count: int,
        backward: Callable[..., Sequence["NDArray | None"]],
    ) -> None:
        super().__init__(inputs)
        self.count, self.backward = count, backward

    @property
    def output_count(self) -> int:
        return self.count

    def gradients(self, heads: list["NDArray | None"], *, train: bool) -> Sequence["NDArray | None"]:
        return self.backward(heads)


class Walk:
    """The walk back from `heads` over the tape.

    Parameters
    ----------
    heads : entries to differentiate, with the gradients that flow into them
    plus : how to add two gradients
    """

    def __init__(
        self,
        heads: Iterable[tuple[Entry, "NDArray"]],
        plus: Callable[["NDArray", "NDArray"], "NDArray"],
    ) -> None:
        self.plus = plus
        self.flowing: dict[Record, list[NDArray | None]] = {}
        self.queue: list[tuple[int, Record]] = []
        self.visited: list[Record] = []
        for entry, gradient in heads:
            self.add(entry, gradient)

    def add(self, entry: Entry, gradient: "NDArray") -> None:
        """Let a gradient flow into an entry."""
        record, index = entry
        slots = self.flowing.get(record)
        if slots is None:
            slots = self.flowing[record] = [None] * record.output_count
            heapq.heappush(self.queue, (-record.serial, record))
        held = slots[index]
        slots[index] = gradient if held is None else self.plus(held, gradient)

    def run(self, *, train: bool) -> dict[Record, list["NDArray | None"]]:
        """Walk to the leaves; what flowed into each record that has been reached."""
        while self.queue:
            _, record = heapq.heappop(self.queue)
            self.visited.append(record)
            if isinstance(record, Leaf):
                continue
            found = record.gradients(self.flowing[record], train=train)
            for entry, gradient in zip(record.inputs, found, strict=True):
                if entry is not None and gradient is not None:
                    self.add(entry, gradient)
        return self.flowing


def is_recording() -> bool:
    """Whether operators are being recorded."""
    return STATE.recording
