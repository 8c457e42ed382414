"""The state of tracing in the current thread."""

import threading
from typing import TYPE_CHECKING

from gluonic.graph import Graph
from gluonic.graph.errors import CallLocation, Location

if TYPE_CHECKING:
    from gluonic.gluon.reads import Reads
    from gluonic.gluon.traced_block import TracedBlock


class Tracing(threading.local):
    """A thread's record of the traces in progress.

    Attributes
    ----------
    depth : number of nested traces in progress; hooks do not run meanwhile
    blocks : the blocks whose `hybrid_forward` runs on symbols now, outermost first
    reads : notes what the traces in progress read of Python
    """

    def __init__(self) -> None:
        self.depth = 0
        self.blocks: list[TracedBlock] = []
        self.reads: list[Reads] = []


TRACING = Tracing()


def note_call(graph: Graph, location: Location | None) -> None:
    """Note that nodes with the line of the call that was traced are also made by later calls."""
    if location is not None:
        call = CallLocation(*location)
        for node in graph.nodes:
            if node.location == location:
                node.location = call
