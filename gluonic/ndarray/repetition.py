"""A call like the one before, with other data: as long as nothing is written, no parameter is looked at."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gluonic.graph.events import EVENTS
from gluonic.graph.writes import WRITES
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.context import Context
from gluonic.ndarray.recording import wrap
from gluonic.ndarray.state import STATE

if TYPE_CHECKING:
    from gluonic.codegen.calls.frame import Frame


class Repeat:
    """The short way of calls that compute one array and are not recorded.

    Parameters
    ----------
    frames : what serves such calls, to take one from and put back
    given : the positions of the inputs that a call brings; all others are parameters
    context : where all of them are
    at : the number of the latest write when the parameters were looked up
    """

    __slots__ = ("_at", "_context", "_frames", "_given", "_shares", "_training")

    def __init__(
        self, frames: "list[Frame]", given: Sequence[int], context: Context, at: int
    ) -> None:
        self._frames, self._given, self._context, self._at = frames, given, context, at
        self._shares, self._training = WRITES.shares, STATE.training

    def __call__(self, inputs: Sequence[NDArray]) -> NDArray | None:
        """Compute the output; None if the inputs have to go the long way."""
        if (
            WRITES.latest != self._at
            or WRITES.shares != self._shares
            or STATE.recording
            or STATE.training is not self._training
            or EVENTS.active
            or len(inputs) != len(self._given)
        ):
            return None
        arrays = []
        for x in inputs:
            if type(x) is not NDArray:
                return None
            if x._context is not self._context and x.context != self._context:
                return None
            arrays.append(x._data)
        try:
            frame = self._frames.pop()
        except IndexError:
            return None  # other threads have them
        output = frame.repeat(self._given, arrays) if frame.verified_at == self._at else None
        self._frames.append(frame)
        return None if output is None else wrap(output, None, self._context)
