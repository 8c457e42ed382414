"""Operators on the tape whose contributions to gradients are reported to a monitor."""

from collections.abc import Callable, Sequence

from gluonic.ndarray.array import NDArray
from gluonic.ndarray.tape import Record

Tell = Callable[[Sequence[NDArray | None]], None]


class WatchedRecord(Record):
    """A computation that reports the gradients of its inputs, None where none is requested.

    Parameters
    ----------
    watched : the record
    tell : called with the gradients at each backward walk
    """

    __slots__ = ("_tell", "_watched")
    takes_stored = True

    def __init__(self, watched: Record, tell: Tell) -> None:
        super().__init__(watched.inputs)
        self._watched, self._tell = watched, tell

    @property
    def output_count(self) -> int:
        """The number of outputs."""
        return self._watched.output_count

    @property
    def is_loss(self) -> bool:
        """Whether the inputs have gradients even if none flows in."""
        return self._watched.is_loss

    def free(self) -> None:
        """Release what only a gradient needs."""
        super().free()
        self._watched.free()

    def gradients(self, heads: list[NDArray | None], *, train: bool) -> Sequence[NDArray | None]:
        """The gradients of the inputs, which are reported to the monitor."""
        if not self._watched.takes_stored:
            heads = [None if head is None else head.tostype("default") for head in heads]
        found = self._watched.gradients(heads, train=train)
        self._tell(found)
        return found


def watch_gradients(outputs: Sequence[NDArray], tell: Tell) -> None:
    """Report the contributions to gradients of the operator that has just computed some outputs."""
    entry = outputs[0].tape_entry
    if entry is not None:
        made = WatchedRecord(entry[0], tell)
        for index, output in enumerate(outputs):
            output.tape_entry = made, index
