"""Handing gradients to listeners while a backward is running, for instance to send them to other processes."""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol
from weakref import ref

from gluonic.graph import Array
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.tape import Leaf, Record, TapeEntry, Walk
from gluonic.support.references import holds_alone


class GradientListener(Protocol):
    """A listener that is told when gradients are written."""

    def listens_to(self, buffer: NDArray) -> bool:
        """Whether to call `written` for a buffer that receives gradients."""

    def written(self, buffer: NDArray) -> None:
        """Called when a backward has written the final gradient to a buffer.

        It may still compute other gradients, but does not read the buffer for them.
        """

    def used_early(self) -> tuple[Sequence[NDArray], object] | None:
        """The buffers that it used before the latest step, in that order, and the result of that.

        None as long as it knows too little.
        """


_NOTHING = (None,)
_listeners: "list[ref[GradientListener]]" = []


def listen(listener: GradientListener) -> None:
    """Register a listener for as long as it lives."""
    _listeners.append(ref(listener, _listeners.remove))


def listeners_to(buffers: Iterable[NDArray]) -> list[GradientListener]:
    """The listeners to any of some buffers."""
    if not _listeners:
        return []
    wanted = list(buffers)
    listening = [each for known in _listeners if (each := known()) is not None]
    return [each for each in listening if any(map(each.listens_to, wanted))]


def walk_for(
    heads: Sequence[tuple[TapeEntry, NDArray]], plus: Callable[[NDArray, NDArray], NDArray]
) -> Walk:
    """The walk for a backward: one that hands gradients over if there are listeners."""
    if _listeners:
        coming = _contributions(entry for entry, _ in heads)
        buffers = [leaf.grad for leaf in coming if leaf.grad is not None]
        listening = listeners_to(buffers)
        if listening and len(set(map(id, buffers))) == len(buffers):
            return HandingOverWalk(heads, plus, coming, listening)
    return Walk(heads, plus, filling=True)


def _contributions(heads: Iterable[TapeEntry]) -> dict[Leaf, int]:
    """How many times a gradient, possibly None, will flow into each variable."""
    found: dict[Leaf, int] = {}
    seen: set[Record] = set()
    stack = [record for record, _ in heads]
    while stack:
        record = stack.pop()
        if isinstance(record, Leaf):
            found[record] = found.get(record, 0) + 1
        elif record not in seen:
            seen.add(record)
            stack.extend(e[0] for e in record.inputs if e is not None and not e[0].freed)
    return found


class HandingOverWalk(Walk):
    """A backward walk that fills buffers as soon as their gradients are complete, and tells listeners.

    Parameters
    ----------
    heads, plus : see `Walk`
    coming : the number of contributions to each variable's gradient that are still missing
    listeners : the listeners to tell
    """

    def __init__(
        self,
        heads: Iterable[tuple[TapeEntry, NDArray]],
        plus: Callable[[NDArray, NDArray], NDArray],
        coming: dict[Leaf, int],
        listeners: Sequence[GradientListener],
    ) -> None:
        self._coming, self._listeners = coming, listeners
        self._told: set[Leaf] = set()
        super().__init__(heads, plus, filling=True)

    def add(self, entry: TapeEntry, gradient: NDArray | None) -> None:
        """Let a gradient flow into an entry."""
        super().add(entry, gradient)
        record = entry[0]
        if isinstance(record, Leaf):
            self._coming[record] -= 1
            if not self._coming[record] and record not in self._told:
                self._receive_early(record)

    def _receive_early(self, leaf: Leaf) -> None:
        """Write a complete gradient to its buffer, if a listener waits for it and nothing reads the buffer."""
        buffer = leaf.grad
        if (
            buffer is None
            or buffer.is_sparse
            or buffer.on_device
            or not holds_alone(buffer, "elements")
        ):
            return
        if leaf.req != "null" and any(each.listens_to(buffer) for each in self._listeners):
            leaf.receive(self.flowing[leaf][0])
            self._tell(leaf)

    def _filled(
        self, record: Record, heads: list[NDArray | None], *, train: bool
    ) -> Sequence[NDArray | None]:
        inputs = record.inputs

        def finished(position: int) -> None:
            leaf = inputs[position][0]  # type: ignore[index]  # only variables have buffers
            slots = self.flowing.get(leaf, _NOTHING)
            if isinstance(leaf, Leaf) and self._coming[leaf] == 1 and slots[0] is None:
                self._tell(leaf)

        buffers: list[Array | None] = self._buffers(inputs)
        return record.gradients_into(heads, buffers, train=train, finished=finished)

    def _tell(self, leaf: Leaf) -> None:
        self._told.add(leaf)
        buffer = leaf.grad
        assert buffer is not None
        for each in self._listeners:
            if each.listens_to(buffer):
                each.written(buffer)

    def deliver(self, leaves: Iterable[Leaf]) -> None:
        """Fill the buffers that are not filled yet."""
        for leaf in leaves:
            if leaf in self._told:
                leaf.fresh = True
                continue
            leaf.receive(self.flowing[leaf][0])
            if leaf.grad is not None and leaf.req != "null":
                self._tell(leaf)
