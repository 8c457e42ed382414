"""Steps on a GPU: the kernels that compute some nodes of a graph there."""

from __future__ import annotations

import struct
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

from gluonic.codegen.loops.steps import Code
from gluonic.codegen.shapes.facts import Facts
from gluonic.device.device import Argument, Device, Dimensions
from gluonic.device.processors import Processor
from gluonic.device.tensor_maps import TensorMap
from gluonic.graph import Entry
from gluonic.support.record import record


@record
class KernelLaunch:
    """One launch of a kernel. Its parameters: the operands' addresses, then the numbers, then the tensors.

    Attributes
    ----------
    code : what writes the kernel: ``write(module, name, *arguments)``; equal codes write equal kernels
    operands : the indices, among the step's operands, of the addresses that the kernel gets; an index beyond
        the operands is the step's workspace
    numbers : the run-time arguments that follow the addresses
    grid, block : the number of blocks, and of threads in a block
    shared_bytes : shared memory of a block besides what the kernel declares
    tensors : matrices that the kernel copies boxes of: the index of one of `operands`, how many bytes after its
        address the matrix begins, and its description
    """

    code: Code
    operands: tuple[int, ...]
    numbers: tuple[int, ...]
    grid: Dimensions
    block: Dimensions
    shared_bytes: int = 0
    tensors: tuple[tuple[int, int, TensorMap], ...] = ()

    def descriptions(self, addresses: Sequence[Argument], device: Device) -> Iterator[Argument]:
        """The arguments that describe the matrices, for addresses of the operands; see `PreparedLaunch`."""
        for operand, begin, tensor in self.tensors:
            index, offset = addresses[operand]
            first, *others = device.tensor_map(tensor)
            yield index, offset + begin + first
            yield from ((None, other) for other in others)


def bits_of(number: float) -> int:
    """The bits of a float64 as a signed integer, as a kernel gets a number that is none."""
    (bits,) = struct.unpack("<q", struct.pack("<d", number))
    return int(bits)


class DeviceStep(ABC):
    """Some nodes of a graph, computed by kernels.

    Attributes
    ----------
    operands : the results whose addresses kernels get: those that are read, then those that are written
    outputs : those that are written
    draws : whether its kernels get a seed as their last number, a new one for each call
    displaced : the operands of which only a part is read, whose address is not that of the first element

    Notes
    -----
    The addresses of whole operands are aligned to 16 bytes.
    """

    operands: tuple[Entry, ...]
    outputs: tuple[Entry, ...]
    draws: bool = False
    displaced: tuple[int, ...] = ()

    def displacements(self, facts: Facts) -> Sequence[int]:
        """The offset in bytes of each of the displaced operands."""
        return ()

    @abstractmethod
    def launches(self, facts: Facts, processor: Processor) -> Sequence[KernelLaunch]:
        """The kernels for these shapes, in order; each sees what those before it have written."""

    def workspace(self, facts: Facts, processor: Processor) -> int:
        """The scratch memory, in bytes, that the launches share."""
        return 0
