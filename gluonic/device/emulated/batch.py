"""Some blocks of a launch, which run together."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gluonic.device.emulated.accesses import BlockMemory
from gluonic.device.emulated.copies import PendingCopies
from gluonic.device.emulated.flow import Flow
from gluonic.device.emulated.launches import BlockRange
from gluonic.device.emulated.special_registers import SpecialRegisters
from gluonic.device.emulated.transactions import Transactions


class BlockBatch:
    """What the code of a kernel works on.

    Attributes
    ----------
    shape : the number of blocks, and of threads in each
    memory, copies : what they see of memory, and the copies within it that are not made yet
    transactions : the barriers that count bytes, with the copies that those wait for
    special : the special registers
    flow : that of the kernel
    """

    def __init__(self, blocks: BlockRange) -> None:
        self.shape, self.fault = blocks.shape, blocks.fault
        self.memory = BlockMemory(blocks)
        self.copies = PendingCopies(self.memory)
        self.transactions = Transactions(self.shape, self.memory, self.fault)
        self.special = SpecialRegisters(blocks)
        self.flow = Flow(self.shape, None, self.memory.pass_barrier, self.fault)

    def finish(self) -> None:
        """All threads have ended."""
        self.memory.finish_reads("shared")

    def trap(self, threads: npt.NDArray[np.bool_], line: int) -> None:
        """Some threads give up."""
        if threads.any():
            raise self.fault(line, int(np.argmax(threads)), "trap")
