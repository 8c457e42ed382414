"""A recorded call of a graph, wherever its arrays are."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from gluonic.codegen import Saved
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.state import Flags
from gluonic.ndarray.tape import Record, TapeEntry

if TYPE_CHECKING:
    from gluonic.ndarray.cached_op import RecordableProgram

_Array = TypeVar("_Array")


class GraphRecord(Record, Generic[_Array]):
    """A recorded call of a graph; subclasses run the gradients.

    Parameters
    ----------
    program : the graph, which has gradients
    inputs : see `Record`
    arrays : those of the inputs
    forms : what the gradients of the outputs are like; subclasses make zeros like that
    saved : what the gradients need
    train : whether the call was one of training
    """

    takes_memory = True

    __slots__ = ("arrays", "forms", "program", "saved", "train")

    def __init__(
        self,
        program: "RecordableProgram",
        inputs: Sequence[TapeEntry | None],
        arrays: list[_Array],
        forms: Sequence[tuple[Any, ...]],
        saved: Saved,
        train: bool,
    ) -> None:
        super().__init__(inputs)
        self.program, self.forms, self.train = program, forms, train
        self.arrays: list[_Array] | None = arrays
        self.saved: Saved | None = saved

    @property
    def output_count(self) -> int:
        """The number of outputs."""
        return len(self.forms)

    @property
    def is_loss(self) -> bool:
        """Whether the graph has losses."""
        return self.program.has_losses

    def free(self) -> None:
        """Release the values."""
        super().free()
        self.arrays = self.saved = None

    def gradients(self, heads: list[NDArray | None], *, train: bool) -> Sequence[NDArray | None]:
        """Run the graph of the gradients, or record it."""
        return self.gradients_into(heads, None, train=train)

    def recorded(self, heads: list[NDArray]) -> Sequence[NDArray | None]:
        """The gradients as a recorded computation over the inputs and the heads, for higher orders."""
        assert self.arrays is not None
        assert self.saved is not None
        given = map(self.wrapped, self.arrays, self.inputs)
        with Flags(None, self.train):
            found = iter(self.program.recorded_gradients([*given], self.saved.unrepeated, heads))
        return [None if x is None else next(found) for x in self.program.gradient_outputs]

    def wrapped(self, array: _Array, entry: TapeEntry | None) -> NDArray:
        """An input as it was recorded."""
        raise NotImplementedError
