"""The traces of a hybrid block."""

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gluonic.gluon.structure import Structure
from gluonic.gluon.trace import BoundTrace, Trace
from gluonic.ndarray import NDArray
from gluonic.ndarray.state import STATE
from gluonic.support.locks import lock

if TYPE_CHECKING:
    from gluonic.gluon.traced_block import TracedBlock


def key_of(structure: Structure, arrays: Sequence[NDArray]) -> Any:
    """The key of a trace: the structure of the inputs, the modes, and the arrays' class."""
    return structure, STATE.training, STATE.recording, type(arrays[0])


class Traces:
    """The traces of a block. A copy is empty: a copied block is traced again.

    Attributes
    ----------
    known : the traces, by the structure of the inputs and the modes
    latest : the newest trace
    around : the blocks whose traces contain this one
    lock : held while the block is traced and bound
    """

    def __init__(self) -> None:
        self.known: dict[Any, Trace] = {}
        self.latest: Trace | None = None
        self.around: weakref.WeakSet[TracedBlock] = weakref.WeakSet()
        self.lock = lock()

    def __reduce__(self) -> Any:
        return Traces, ()

    def forget(self) -> None:
        """Drop the traces: the block has changed."""
        self.known, self.latest = {}, None

    def enter(self, key: Any, trace: Trace) -> None:
        """Store a trace."""
        self.known[key] = self.latest = trace

    @property
    def of_prediction(self) -> Trace | None:
        """The latest trace that was not made for training; otherwise the latest of all."""
        predicting = (trace for key, trace in reversed(self.known.items()) if not key[1])
        return next(predicting, self.latest)

    @property
    def bound(self) -> BoundTrace | None:
        """The latest trace with its parameters."""
        return None if self.latest is None else self.latest.bound


def traces_of(block: "TracedBlock") -> Traces:
    """The traces of a block; not an attribute, since its name could collide with the user's."""
    return block._traces
