"""The tape: the computation recorded under `autograd.record`, and the backward walk over it.

A recorded array carries an entry ``(record, output number)``. A record keeps the entries and values of its
inputs and the values of its outputs. Records are numbered, so «larger numbers first» orders the
backward walk, and nothing recurses.
"""

import heapq
import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from gluonic.graph import Array
from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.versions import add, is_owner, write
from gluonic.ndarray.state import STATE
from gluonic.support.references import holds_alone

if TYPE_CHECKING:
    from gluonic.ndarray.array import NDArray

_serials = itertools.count()


TapeEntry: TypeAlias = tuple["Record", int]


class Record:
    """One recorded computation.

    Attributes
    ----------
    inputs : for each input its entry on the tape, None for a constant
    freed : whether a backward has passed and the record can't be differentiated any more
    serial : records are numbered as they are made
    takes_memory : whether there is a method `gradients_into`
    takes_stored : whether gradients that flow in may be sparse
    is_loss : whether there are gradients of the inputs though none flows into the outputs
    """

    takes_memory: ClassVar[bool] = False
    takes_stored: ClassVar[bool] = False

    __slots__ = ("__weakref__", "freed", "inputs", "serial")

    def __init__(self, inputs: Sequence[TapeEntry | None]) -> None:
        self.inputs = inputs
        self.freed = False
        self.serial = next(_serials)

    def gradients(
        self, heads: list["NDArray | None"], *, train: bool
    ) -> Sequence["NDArray | None"]:
        """The gradients of the inputs, given those of the outputs (None: none flows in)."""
        raise NotImplementedError

    def gradients_into(
        self,
        heads: list["NDArray | None"],
        into: Sequence[Array | None] | None,
        *,
        train: bool,
        finished: Callable[[int], None] | None = None,
    ) -> Sequence["NDArray | None"]:
        """`gradients`, which may be written into memory that is given for some of the inputs.

        Parameters
        ----------
        finished : may be called, on the way, with the number of an input whose gradient is finished, in that
            memory
        """
        raise NotImplementedError

    @property
    def output_count(self) -> int:
        """The number of outputs."""
        raise NotImplementedError

    @property
    def is_loss(self) -> bool:
        """Whether the inputs have gradients even if none flows in."""
        return False

    def free(self) -> None:
        """Release what only a gradient needs."""
        self.freed = True
        self.inputs = ()


class Leaf(Record):
    """A variable: an array marked with `attach_grad`.

    Attributes
    ----------
    grad : the buffer that receives its gradient; with ``null`` it goes when a graph that read it is freed
    req : ``write``, ``add`` or ``null``
    fresh : whether a backward has written the buffer since the flag was last cleared
    """

    __slots__ = ("fresh", "grad", "req")

    def __init__(self, grad: "NDArray | None", req: str) -> None:
        super().__init__(())
        self.grad, self.req, self.fresh = grad, req, False

    @property
    def output_count(self) -> int:
        """How many outputs there are."""
        return 1

    def free(self) -> None:
        """Release a buffer that no gradient is written to; the array stays a variable."""
        if self.req == "null":
            self.grad = None

    def buffer(self) -> Array | None:
        """The memory of `grad`, if nothing could observe that it is written before the walk is over."""
        if self.req != "write" or self.grad is None:
            return None
        if not holds_alone(self.grad, "elements"):
            return None  # it may be a constant of some record, or hold a gradient of this walk
        buffer = self.grad.elements
        return buffer if is_owner(buffer) and buffer.flags.carray else None

    def receive(self, gradient: "NDArray | None") -> None:
        """Write a gradient into the buffer, or add it to what is there; None is a gradient of zeros."""
        if self.grad is None or self.req == "null":
            return
        self.fresh = True
        buffer = self.grad.elements
        if gradient is None:
            if self.req == "write":
                write(buffer, 0)
        elif gradient.elements is buffer:
            return  # the code that wrote it has noted the write
        else:
            new = gradient.elements.reshape(buffer.shape)
            if self.req == "add":
                add(buffer, new)
            else:
                write(buffer, new)


class FunctionRecord(Record):
    """A computation with a gradient given as a Python function over NDArrays.

    Parameters
    ----------
    inputs, count : the entries of the inputs, and how many outputs there are
    backward : from the gradients of the outputs (None: none flows in) those of the inputs
    is_loss : whether to call it though none flows in
    """

    __slots__ = ("_is_loss", "backward", "count")

    def __init__(
        self,
        inputs: Sequence[TapeEntry | None],
        count: int,
        backward: Callable[..., Sequence["NDArray | None"]],
        *,
        is_loss: bool = False,
    ) -> None:
        super().__init__(inputs)
        self.count, self._is_loss = count, is_loss
        self.backward: Callable[..., Sequence[NDArray | None]] | None = backward

    @property
    def output_count(self) -> int:
        """How many outputs there are."""
        return self.count

    @property
    def is_loss(self) -> bool:
        """Whether the function is called even if no gradient flows in."""
        return self._is_loss

    def free(self) -> None:
        """Let go of the values."""
        super().free()
        self.backward = None

    def gradients(
        self, heads: list["NDArray | None"], *, train: bool
    ) -> Sequence["NDArray | None"]:
        """Call the function."""
        assert self.backward is not None
        return self.backward(heads)


NOT_IN_GRAPH = "Cannot differentiate node because it is not in a computational graph"


def freed_graph() -> MXNetError:
    """The error for a graph that, or a part of which, an earlier backward has freed."""
    return MXNetError(
        describe(
            f"{NOT_IN_GRAPH}: an earlier backward has freed the graph",
            where="backward",
            hint="autograd.backward([loss1, loss2]) for several losses, or retain_graph=True in the earlier "
            "backward",
        )
    )


class Walk:
    """The backward walk from `heads` over the tape, to every variable that they were computed from.

    Parameters
    ----------
    heads : entries to differentiate, with the gradients that flow into them
    plus : adds two gradients
    filling : whether gradients go to the buffers of variables in the end, so that they may be written there

    Attributes
    ----------
    flowing : for each record the gradients of its outputs so far
    leaves, visited : the variables and the other records that have been reached
    quiet, walks : whether a sparse gradient has flowed, whether the walk has begun
    """

    def __init__(
        self,
        heads: Iterable[tuple[TapeEntry, "NDArray"]],
        plus: Callable[["NDArray", "NDArray"], "NDArray"],
        *,
        filling: bool = False,
    ) -> None:
        self.plus, self.filling = plus, filling
        self.quiet = self.walks = False
        self.flowing: dict[Record, list[NDArray | None]] = {}
        self.queue: list[tuple[int, Record]] = []
        self.leaves: list[Leaf] = []
        self.visited: list[Record] = []
        for entry, gradient in heads:
            self.add(entry, gradient)

    def add(self, entry: TapeEntry, gradient: "NDArray | None") -> None:
        """Let a gradient flow into an entry; None only makes sure that the walk visits it."""
        record, index = entry
        slots = self.flowing.get(record)
        if slots is None:
            slots = self.flowing[record] = [None] * record.output_count
            if isinstance(record, Leaf):
                self.leaves.append(record)
            else:
                heapq.heappush(self.queue, (-record.serial, record))
        if gradient is not None:
            if gradient.is_sparse:
                gradient = self._sparse(record, gradient)
            held = slots[index]
            slots[index] = gradient if held is None else self.plus(held, gradient)

    def _sparse(self, record: Record, gradient: "NDArray") -> "NDArray":
        """A sparse gradient in a form that a record takes; from then on dense fallbacks do not warn."""
        if not self.quiet:
            self.quiet = True
            STATE.going_back += self.walks
        return gradient if record.takes_stored else gradient.tostype("default")

    def run(self, *, train: bool) -> dict[Record, list["NDArray | None"]]:
        """Walk to the leaves; return the gradients that flowed into each visited record."""
        while self.queue:
            _, record = heapq.heappop(self.queue)
            self.visited.append(record)
            inputs = record.inputs
            if not inputs:
                continue
            heads = self.flowing[record]
            found: Sequence[NDArray | None] = ()
            if heads[0] is not None or record.is_loss or any(head is not None for head in heads):
                if self.filling and record.takes_memory:
                    found = self._filled(record, heads, train=train)
                else:
                    found = record.gradients(heads, train=train)
                if len(found) != len(inputs):
                    raise ValueError(
                        f"{len(inputs)} inputs need as many gradients, not {len(found)}"
                    )
            for position, entry in enumerate(inputs):
                if entry is not None:
                    if entry[0].freed:
                        raise freed_graph()
                    self.add(entry, found[position] if found else None)
        return self.flowing

    def flowed(self, *, train: bool) -> dict[Record, list["NDArray | None"]]:
        """Walk to the leaves, see `run`, and let operators warn again afterwards."""
        self.walks = True
        if self.quiet:
            STATE.going_back += 1
        try:
            return self.run(train=train)
        finally:
            if self.quiet:
                STATE.going_back -= 1

    def deliver(self, leaves: Iterable[Leaf]) -> None:
        """Fill the buffers of variables, one after the other, with the gradients that flowed there."""
        for leaf in leaves:
            leaf.receive(self.flowing[leaf][0])

    def _filled(
        self, record: Record, heads: list["NDArray | None"], *, train: bool
    ) -> Sequence["NDArray | None"]:
        """The gradients of a record's inputs, in the buffers of variables where that can be."""
        return record.gradients_into(heads, self._buffers(record.inputs), train=train)

    @staticmethod
    def _buffers(inputs: Sequence[TapeEntry | None]) -> list[Array | None]:
        """For each input that is a variable its buffer, unless it is in use, such as by this list."""
        buffers: list[Array | None] = []
        for entry in inputs:
            record = None if entry is None else entry[0]
            buffers.append(record.buffer() if isinstance(record, Leaf) else None)
        return buffers


def entry_of(array: "NDArray") -> TapeEntry | None:
    """The tape entry of an array; None for a constant, and for a record that a backward has freed."""
    entry = array.tape_entry
    return None if entry is None or entry[0].freed else entry
