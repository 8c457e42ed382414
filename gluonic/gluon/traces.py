"""The traces of a hybrid block."""

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from gluonic.gluon.frozen import has_changed
from gluonic.gluon.reads import Reads
from gluonic.gluon.structure import Structure
from gluonic.gluon.trace import BoundTrace, Trace
from gluonic.graph import Graph
from gluonic.graph.alike import is_same_graph
from gluonic.ndarray import NDArray
from gluonic.ndarray.state import STATE
from gluonic.support.locks import lock

if TYPE_CHECKING:
    from gluonic.gluon.traced_block import TracedBlock

MOST_TRACES = 64


def key_of(structure: Structure, arrays: Sequence[NDArray]) -> Any:
    """The key of a trace: the structure of the inputs, the modes, and the arrays' class."""
    return structure, STATE.training, STATE.recording, type(arrays[0])


class _Kept(NamedTuple):
    """A trace, valid for inputs of a key as long as all that was read is as it was.

    Attributes
    ----------
    graph : the graph as it was traced
    """

    key: Any
    reads: Reads
    graph: Graph
    trace: Trace


class Traces:
    """The traces of a block. A copy is empty: a copied block is traced again.

    Attributes
    ----------
    known : the traces that the next calls may use, by the structure of the inputs and the modes
    latest : the newest trace
    around : the blocks whose traces contain this one
    read : the attributes of this block that a trace has read
    lock : held while the block is traced and bound
    """

    def __init__(self) -> None:
        self.known: dict[Any, Trace] = {}
        self._kept: list[_Kept] = []
        self.latest: Trace | None = None
        self.around: weakref.WeakSet[TracedBlock] = weakref.WeakSet()
        self.read: set[str] = set()
        self.lock = lock()

    def __reduce__(self) -> Any:
        return Traces, ()

    def forget(self) -> None:
        """Drop the traces: the block has changed."""
        self.known, self._kept, self.latest = {}, [], None

    def doubt(self) -> None:
        """Look for what has changed at the next call: something that was read may have.

        Another thread may be looking: what it finds goes into the earlier dictionary, which nobody reads.
        """
        self.known = {}

    def find(self, key: Any) -> Trace | None:
        """The trace for a key that the previous call used, unless something has changed since."""
        trace = self.known.get(key)
        if trace is not None and trace.reads.watches and has_changed(trace.reads.watches):
            self.doubt()
            return None
        return trace

    def recall(self, key: Any) -> Trace | None:
        """An earlier trace for a key, if all that it has read is as it was then."""
        known = self.known
        for kept in reversed(self._kept):
            if kept.key == key and kept.reads.hold():
                return self.enter(key, kept.reads, kept.graph, kept.trace, known)
        return None

    def enter(
        self, key: Any, reads: Reads, graph: Graph, trace: Trace, known: dict[Any, Trace]
    ) -> Trace:
        """Store a trace, in what was `known` when it was begun as well."""
        self._kept = [kept for kept in self._kept if kept.reads is not reads or kept.key != key]
        self._kept.append(_Kept(key, reads, graph, trace))
        trace.reads = reads
        self.latest = trace
        if reads.hold():  # not if another thread has changed something meanwhile
            known[key] = trace
        return trace

    def adopt(self, key: Any, new: Trace, known: dict[Any, Trace]) -> Trace | None:
        """A trace for a key whose graph is the new one's, which it stands for from now on."""
        for kept in reversed(self._kept):
            if kept.key == key and is_same_graph(kept.graph, new.graph):
                return self.enter(key, new.reads, kept.graph, kept.trace, known)
        return None

    def drop_oldest(self) -> bool:
        """Drop the oldest trace if there are too many; return whether there were."""
        if len(self._kept) <= MOST_TRACES:
            return False
        oldest = self._kept.pop(0)
        if self.known.get(oldest.key) is oldest.trace:
            del self.known[oldest.key]
        return True

    @property
    def of_prediction(self) -> Trace | None:
        """The latest trace that was not made for training; otherwise the latest of all."""
        predicting = (kept.trace for kept in reversed(self._kept) if not kept.key[1])
        return next(predicting, self.latest)

    @property
    def bound(self) -> BoundTrace | None:
        """The latest trace with its parameters."""
        return None if self.latest is None else self.latest.bound

    @property
    def all_bound(self) -> list[BoundTrace]:
        """All traces with their parameters."""
        found = dict.fromkeys(kept.trace.bound for kept in self._kept)
        return [bound for bound in found if bound is not None]


def traces_of(block: "TracedBlock") -> Traces:
    """The traces of a block; not an attribute, since its name could collide with the user's."""
    return block._traces
