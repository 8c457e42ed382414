"""Operators on the tape whose contributions to gradients a monitor is told of."""

from collections.abc import Callable, Sequence

from gluonic.ndarray.array import NDArray
from gluonic.ndarray.tape import Record

Tell = Callable[[Sequence[NDArray | None]], None]


class WatchedRecord(Record):
    """A computation that tells of the gradients of its inputs, None where none is asked for.

    Parameters
    ----------
    watched : what has been recorded
    tell : called with the gradients at each walk back
    """

    __slots__ = ("_tell", "_watched")
    takes_stored = True

    def __init__(self, watched: Record, tell: Tell) -> None:
        super().__init__(watched.inputs)
        self._watched, self._tell = watched, tell

    @property
    def output_count(self) -> int:
        """How many outputs there are."""
        return self._watched.output_count

    @property
    def is_loss(self) -> bool:
        """Whether the inputs have gradients though none flows in."""
        return self._watched.is_loss

    def free(self) -> None:
        """Let go of what only a gradient needs."""
        super().free()
        self._watched.free()

    def gradients(self, heads: list[NDArray | None], *, train: bool) -> Sequence[NDArray | None]:
        """The gradients of the inputs, of which the monitor is told."""
        if not self._watched.takes_stored:
            heads = [None if head is None else head.tostype("default") for head in heads]
        found = self._watched.gradients(heads, train=train)
        self._tell(found)
        return found


def watch_gradients(outputs: Sequence[NDArray], tell: Tell) -> None:
    """Have it told what the operator that has just computed some outputs contributes to gradients."""
    entry = outputs[0].tape_entry
    if entry is not None:
        made = WatchedRecord(entry[0], tell)
        for index, output in enumerate(outputs):
            output.tape_entry = made, index
