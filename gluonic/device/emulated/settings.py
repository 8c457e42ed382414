"""What the environment says about emulated GPUs."""

from __future__ import annotations

import os

from gluonic.device.errors import NoDeviceError
from gluonic.device.processors import FIRST_PTX, Processor
from gluonic.graph.errors import describe


def chosen_processor() -> Processor:
    """What an emulated GPU can run."""
    name = os.environ.get("GLUONIC_GPU_EMULATED_PROCESSOR", "sm_80")
    if name not in FIRST_PTX:
        raise NoDeviceError(
            describe(
                f"GLUONIC_GPU_EMULATED_PROCESSOR={name}: there is no such processor",
                facts=[", ".join(FIRST_PTX)],
            )
        )
    shared = 227 if name.startswith("sm_90") else 163
    return Processor(name, FIRST_PTX[name], shared_bytes=shared << 10)


def chosen_memory() -> int:
    """The memory of an emulated GPU, in bytes."""
    given = os.environ.get("GLUONIC_GPU_EMULATED_MEMORY", "1024")
    if not given.isdecimal():
        raise NoDeviceError(
            describe(f"GLUONIC_GPU_EMULATED_MEMORY={given} must be a number of mebibytes")
        )
    return int(given) << 20
