"""What the present thread is tracing."""

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gluonic.gluon.traced_block import TracedBlock


class Tracing(threading.local):
    """A thread's own account of what it traces.

    Attributes
    ----------
    depth : how many traces are being made, one within the other; hooks do not run meanwhile
    blocks : the blocks whose `hybrid_forward` runs on symbols now, outermost first
    """

    def __init__(self) -> None:
        self.depth = 0
        self.blocks: list[TracedBlock] = []


TRACING = Tracing()
