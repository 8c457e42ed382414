"""The state of tracing in the current thread."""

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gluonic.gluon.traced_block import TracedBlock


class Tracing(threading.local):
    """A thread's record of the traces in progress.

    Attributes
    ----------
    depth : number of nested traces in progress; hooks do not run meanwhile
    blocks : the blocks whose `hybrid_forward` runs on symbols now, outermost first
    """

    def __init__(self) -> None:
        self.depth = 0
        self.blocks: list[TracedBlock] = []


TRACING = Tracing()
