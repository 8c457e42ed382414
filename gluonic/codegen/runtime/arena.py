"""The memory of frames."""

import numpy as np

from gluonic.codegen.machine.memory import ALIGNMENT
from gluonic.graph import Array
from gluonic.graph.memory import allocated


class Memory:
    """Bytes that are aligned to cache lines."""

    def __init__(self, size: int, *, zeroed: bool = False) -> None:
        make = np.zeros if zeroed else np.empty
        what = "the intermediate results of a compiled graph"
        self.size, self.bytes = size, allocated(make, (size + ALIGNMENT,), np.uint8, what)
        self.start = -self.bytes.ctypes.data % ALIGNMENT
        self.address = self.bytes.ctypes.data + self.start

    def view(self, offset: int, size: int) -> Array:
        """A range of the bytes."""
        return self.bytes[self.start + offset : self.start + offset + size]


class Arena:
    """Memory for the intermediate results of calls; frames that never run at the same time may share one.

    Attributes
    ----------
    memory : the bytes; replaced when more are reserved
    """

    def __init__(self) -> None:
        self.memory = Memory(0)

    def reserved(self, size: int) -> Memory:
        """The memory, of at least `size` bytes."""
        if size > self.memory.size:
            self.memory = Memory(size)
        return self.memory
