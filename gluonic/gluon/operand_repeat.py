"""A call like the one before: what was looked up for that is looked at, not looked up again."""

from collections.abc import Sequence
from typing import Any

from gluonic.graph.events import EVENTS
from gluonic.graph.versions import REPLACEMENTS
from gluonic.ndarray import NDArray
from gluonic.ndarray.cached_op import CachedGraph
from gluonic.ndarray.repetition import NotCopied
from gluonic.ndarray.state import STATE
from gluonic.ndarray.tape import Leaf, entry_of


class OperandRepeat(NotCopied):
    """The short way of calls that compute one array and are recorded, or have operators that Python runs.

    Others have a shorter one: :mod:`gluonic.ndarray.repetition`, or if Python runs everything
    :mod:`gluonic.gluon.eager_repeat`.

    Parameters
    ----------
    op : the graph
    operands : what it was called with
    given : the positions of the inputs that a call brings; all others are parameters
    at : the number of the latest replacement of a parameter's array when the parameters were looked up

    Attributes
    ----------
    is_usual : whether the parameters are variables or constants
    is_stale : whether a call in the same mode had to go the long way
    """

    __slots__ = (
        *("_arrays", "_at", "_context", "_entries", "_fixed", "_given", "_op", "_operands"),
        *("_program", "_recording", "_training", "is_stale", "is_usual"),
    )

    def __init__(
        self,
        op: CachedGraph,
        operands: Sequence[NDArray],
        given: Sequence[int],
        at: int,
    ) -> None:
        self._op, self._at = op, at
        self._recording, self._training, self.is_stale = STATE.recording, STATE.training, False
        self._context = operands[given[0]].context
        entries = [entry_of(x) if STATE.recording else None for x in operands]
        wanted = tuple([entry is not None for entry in entries])
        self._program = op.differentiable(wanted, STATE.training) if True in wanted else None
        self._given = [(at, wanted[at]) for at in given]
        changing = set(given)  # these are not kept alive
        self._operands: list[Any] = [None if i in changing else x for i, x in enumerate(operands)]
        self._arrays: list[Any] = [None if x is None else x._data for x in self._operands]
        self._entries = [None if i in changing else e for i, e in enumerate(entries)]
        self.is_usual = all(e is None or isinstance(e[0], Leaf) for e in self._entries)
        self._fixed = [(x, x._entry) for x in self._operands if x is not None]

    def __call__(self, inputs: Sequence[NDArray]) -> NDArray | None:
        """Compute the output, and record it; None if the inputs have to go the long way."""
        if (
            STATE.recording is not self._recording
            or STATE.training is not self._training
            or EVENTS.active
        ):
            return None
        if len(inputs) != len(self._given) or not self._finds_parameters():
            return self._refused()
        operands, arrays = self._operands.copy(), self._arrays.copy()
        entries = self._entries.copy()
        for x, (at, wanted) in zip(inputs, self._given, strict=True):
            if type(x) is not NDArray:
                return self._refused()
            if x._context is not self._context and x.context != self._context:
                return self._refused()
            entry = entry_of(x) if self._recording else None
            if (entry is not None) is not wanted:
                return self._refused()
            operands[at], arrays[at], entries[at] = x, x._data, entry
        if self._program is None:
            return self._op.computed(operands, arrays)[0]
        return self._op.recorded(self._program, operands, arrays, entries)[0]

    def _refused(self) -> NDArray | None:
        self.is_stale = True
        return None

    def _finds_parameters(self) -> bool:
        if REPLACEMENTS.latest != self._at:
            return False
        for operand, entry in self._fixed:  # noqa: SIM110 (a generator takes twice as long)
            if operand._entry is not entry:
                return False
        return True
