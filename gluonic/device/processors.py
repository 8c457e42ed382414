"""The GPUs that kernels are made for: what each can do, and which versions of PTX know it.

LLVM ends the process when it is given a processor with a version of PTX that is too old for it, and takes a
processor that it does not know for another one. Only pairs that `choose` returns may reach it.
"""

from __future__ import annotations

import re

from gluonic.device.errors import NoDeviceError
from gluonic.graph.errors import describe
from gluonic.support.record import record

Version = tuple[int, int]

FIRST_PTX: dict[str, Version] = {
    "sm_50": (4, 0),
    "sm_52": (4, 1),
    "sm_53": (4, 2),
    "sm_60": (5, 0),
    "sm_61": (5, 0),
    "sm_62": (5, 0),
    "sm_70": (6, 0),
    "sm_72": (6, 1),
    "sm_75": (6, 3),
    "sm_80": (7, 0),
    "sm_86": (7, 1),
    "sm_87": (7, 4),
    "sm_88": (9, 0),
    "sm_89": (7, 8),
    "sm_90": (7, 8),
    "sm_90a": (8, 0),
    "sm_100": (8, 6),
    "sm_100a": (8, 6),
    "sm_101": (8, 6),
    "sm_101a": (8, 6),
    "sm_103": (8, 8),
    "sm_103a": (8, 8),
    "sm_110": (9, 0),
    "sm_110a": (9, 0),
    "sm_120": (8, 7),
    "sm_120a": (8, 7),
    "sm_121": (8, 8),
    "sm_121a": (8, 8),
}
"""The first version of PTX that knows each processor. An ``a`` marks instructions of that processor alone."""

_LAST_PTX: dict[str, Version] = {
    **dict.fromkeys(["sm_50", "sm_52", "sm_53", "sm_60", "sm_61", "sm_62"], (8, 8)),
    **dict.fromkeys(["sm_70", "sm_72", "sm_101", "sm_101a"], (8, 8)),
}
"""The last version for processors that CUDA 13 gave up, or renamed (sm_101 is sm_110)."""

_FOR_ITSELF = {"sm_101", *(name for name in FIRST_PTX if name.endswith("a"))}
"""Processors whose PTX no later one runs: the name is gone, or there are instructions of that one alone."""

PTX_OF_LLVM: dict[int, Version] = {20: (8, 7), 21: (8, 8), 22: (9, 0)}
"""The newest version of PTX that each LLVM writes."""

PTX_OF_CUDA: dict[Version, Version] = {
    (9, 0): (6, 0),
    (9, 1): (6, 1),
    (9, 2): (6, 2),
    (10, 0): (6, 3),
    (10, 1): (6, 4),
    (10, 2): (6, 5),
    **{(11, minor): (7, minor) for minor in range(9)},
    **{(12, minor): (8, minor) for minor in range(6)},
    (12, 6): (8, 5),
    (12, 7): (8, 6),
    (12, 8): (8, 7),
    (12, 9): (8, 8),
    (13, 0): (9, 0),
}
"""The newest version of PTX that a driver for each version of CUDA reads."""

_FEATURES: dict[str, int] = {
    "float16": 53,
    "float64_atomics": 60,
    "ldmatrix": 75,
    "bfloat16": 80,
    "cp_async": 80,
    "redux": 80,
    "bfloat16_arithmetic": 90,
    "clusters": 90,
    "tma": 90,
}
"""The first processor that has each feature; all later ones have it."""

_OWN_FEATURES: dict[str, frozenset[int]] = {
    "wgmma": frozenset({90}),
    "tcgen05": frozenset({100, 101, 103, 110}),
}
"""The processors whose own instructions have each feature."""

_MMA: dict[str, int] = {
    "float16": 70,
    "int8": 75,
    "bfloat16": 80,
    "tf32": 80,
    "float64": 80,
    "float8": 89,
}
"""The first processor whose matrix units multiply each type."""


@record
class Processor:
    """What kernels must know of a GPU.

    Attributes
    ----------
    name : LLVM's, such as ``sm_90a``
    ptx : the version of PTX that its driver reads, such as ``(8, 0)``
    multiprocessors : their number
    shared_bytes : the most shared memory of a block
    multiprocessor_shared_bytes : the shared memory of a multiprocessor, which its blocks divide
    multiprocessor_threads : the most threads that are on a multiprocessor at once
    l2_bytes : the size of the second-level cache; 0 if it is not known
    clock_khz : the highest clock rate, in kHz; 0 if it is not known
    """

    name: str
    ptx: Version
    multiprocessors: int = 1
    shared_bytes: int = 48 << 10
    multiprocessor_shared_bytes: int = 64 << 10
    multiprocessor_threads: int = 1024
    l2_bytes: int = 0
    clock_khz: int = 0

    @property
    def number(self) -> int:
        """Ten times its compute capability.

        >>> Processor("sm_90a", (8, 0)).number
        90
        """
        return number_of(self.name)

    def has(self, feature: str) -> bool:
        """Whether it has a feature: cp_async, ldmatrix, tma, clusters, wgmma, bfloat16 and others.

        >>> hopper = Processor("sm_90a", (8, 0))
        >>> hopper.has("wgmma"), hopper.has("cp_async"), hopper.has("tcgen05")
        (True, True, False)
        """
        if feature in _OWN_FEATURES:
            return self.name.endswith("a") and self.number in _OWN_FEATURES[feature]
        return self.number >= _FEATURES[feature]

    def multiplies(self, dtype: str) -> bool:
        """Whether its matrix units multiply a type: float16, bfloat16, tf32, float64, int8, float8.

        >>> Processor("sm_75", (6, 3)).multiplies("bfloat16")
        False
        """
        return self.number >= _MMA[dtype]


def number_of(name: str) -> int:
    """Ten times the compute capability in a processor's name."""
    match = re.fullmatch(r"sm_(\d+)a?", name)
    assert match, name
    return int(match[1])


def ptx_of_cuda(version: Version) -> Version:
    """The newest PTX that the driver for a version of CUDA reads, as far as is known here."""
    return max((ptx for cuda, ptx in PTX_OF_CUDA.items() if cuda <= version), default=(0, 0))


def ptx_of_llvm(major: int) -> Version:
    """The newest PTX that a version of LLVM writes, as far as is known here."""
    return max((ptx for llvm, ptx in PTX_OF_LLVM.items() if llvm <= major), default=(0, 0))


def choose(capability: Version, cuda: Version, llvm: int) -> tuple[str, Version]:
    """The processor to compile for, and the version of PTX.

    It is the GPU itself, or the newest before it that both the driver and LLVM know: PTX for a processor runs
    on all later ones, unless it uses instructions of that processor alone.

    Parameters
    ----------
    capability : the GPU's compute capability
    cuda : the version of CUDA that the driver is for
    llvm : the major version of LLVM

    Raises
    ------
    NoDeviceError
        if there is none

    Examples
    --------
    >>> choose((9, 0), (12, 4), 22)
    ('sm_90a', (8, 4))
    >>> choose((10, 3), (13, 0), 20)
    ('sm_100', (8, 7))
    """
    most = min(ptx_of_cuda(cuda), ptx_of_llvm(llvm))
    number = 10 * capability[0] + capability[1]
    fit = [
        (number_of(name), name)
        for name, first in FIRST_PTX.items()
        if first <= most
        if number_of(name) == number or (number_of(name) < number and name not in _FOR_ITSELF)
    ]
    if not fit:
        raise NoDeviceError(_too_old(capability, cuda, llvm))
    _, name = max(fit)
    return name, min(most, _LAST_PTX.get(name, most))


def _too_old(capability: Version, cuda: Version, llvm: int) -> str:
    number = 10 * capability[0] + capability[1]
    first = min(
        (ptx, name) for name, ptx in FIRST_PTX.items() if number_of(name) <= max(number, 50)
    )
    return describe(
        f"no kernels can be made for a GPU of compute capability {_dotted(capability)}",
        facts=[
            f"the driver is for CUDA {_dotted(cuda)} and reads {_versions(ptx_of_cuda(cuda))}",
            f"LLVM {llvm} writes {_versions(ptx_of_llvm(llvm))}",
            f"needed are PTX {_dotted(first[0])} and compute capability 5.0 at least",
        ],
        hint="a newer driver; without the GPU: python -m gluonic --cpu, or GLUONIC_GPU=cpu",
    )


def _versions(last: Version) -> str:
    return f"PTX up to {_dotted(last)}" if last > (0, 0) else "no PTX that is known here"


def _dotted(version: Version) -> str:
    return ".".join(map(str, version))
