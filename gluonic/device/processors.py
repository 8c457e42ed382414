"""The GPUs that kernels are made for."""

from gluonic.support.record import record


@record
class Processor:
    """What kernels must know of a GPU.

    Attributes
    ----------
    name : LLVM's, such as ``sm_90a``
    ptx : the version of PTX that its driver reads, such as ``(8, 0)``
    multiprocessors : their number
    shared_bytes : the most shared memory of a block
    """

    name: str
    ptx: tuple[int, int]
    multiprocessors: int = 1
    shared_bytes: int = 48 << 10
