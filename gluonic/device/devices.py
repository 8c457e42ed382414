"""The devices of this process, chosen by ``GLUONIC_GPU``: NVIDIA's GPUs, or ``emulated`` ones.

The driver is loaded when somebody asks for GPUs, and a context is made when somebody uses one.
"""

from __future__ import annotations

import logging
import os
from functools import cache
from importlib import import_module

from gluonic.device.device import Device
from gluonic.device.errors import DeviceError, NoDeviceError
from gluonic.graph.errors import describe
from gluonic.support.locks import lock

EMULATED = "emulated"
EMULATED_COUNT = 2
_devices: dict[tuple[bool, int], Device] = {}
_lock = lock()


def is_emulated() -> bool:
    """Whether GPUs are emulated: ``GLUONIC_GPU=emulated``."""
    return os.environ.get("GLUONIC_GPU") == EMULATED


def count() -> int:
    """The number of devices; 0 without a driver, or where it does not work, which is logged once."""
    return EMULATED_COUNT if is_emulated() else _looked_for()[0]


@cache
def _looked_for() -> tuple[int, tuple[str, ...]]:
    """The number of NVIDIA's GPUs that the driver shows to this process; if there is none, why."""
    from gluonic.device.cuda.driver import driver

    hidden = os.environ.get("CUDA_VISIBLE_DEVICES")
    chosen = [] if hidden is None else [f"CUDA_VISIBLE_DEVICES={hidden}"]
    try:
        return driver().count(), tuple(chosen)
    except NoDeviceError as error:
        return 0, (*told(error), *chosen)
    except DeviceError as error:
        logging.getLogger("gluonic").warning("no GPU can be used: %s", error)
        return 0, (*told(error), *chosen)


def told(error: DeviceError) -> list[str]:
    """What an error says, as facts of another one."""
    what = error.args[0]
    return [what.gist, *what.facts]


def absence() -> list[str]:
    """The devices there are, or why there is none: facts for an error."""
    there = count()
    facts = [] if is_emulated() else [*_looked_for()[1]]
    if there:
        facts = [f"GPUs there are: {', '.join(f'gpu({each})' for each in range(there))}", *facts]
    return facts


def device(ordinal: int) -> Device:
    """The device of an ordinal, which is made once.

    Raises
    ------
    NoDeviceError
        if there is no such device, or no driver
    """
    return in_use(ordinal) or _new(ordinal)


def in_use(ordinal: int) -> Device | None:
    """The device of an ordinal if it has been made; None if the CPU serves its context."""
    served = os.environ.get("GLUONIC_GPU")
    return None if served == "cpu" else _devices.get((served == EMULATED, ordinal))


def _new(ordinal: int) -> Device:
    emulated = is_emulated()
    with _lock:
        if (emulated, ordinal) in _devices:
            return _devices[emulated, ordinal]
        if not 0 <= ordinal < count():
            raise NoDeviceError(
                describe(
                    f"there is no gpu({ordinal})",
                    facts=absence(),
                    hint="mx.context.num_gpus() tells how many there are; mx.cpu() is always there",
                )
            )
        device: Device
        if emulated:
            device = import_module("gluonic.device.emulated").EmulatedDevice(ordinal)
        else:
            from gluonic.device.cuda.device import CudaDevice
            from gluonic.device.cuda.driver import driver

            device = CudaDevice(ordinal, driver())
        _devices[emulated, ordinal] = device
    return device


def synchronize() -> None:
    """Wait for all devices that have been used.

    Raises
    ------
    DeviceError
        if a kernel failed
    """
    for each in list(_devices.values()):
        each.synchronize()


def descriptions() -> list[str]:
    """A line about each device; makes no context on any of them."""
    if is_emulated():
        return ["emulated"] * EMULATED_COUNT
    if not count():
        return []
    from gluonic.device.cuda.driver import driver
    from gluonic.device.cuda.properties import properties

    return [str(properties(driver(), ordinal)) for ordinal in range(count())]


def driver_version() -> str:
    """The version of CUDA that the driver is for, or why there is no GPU."""
    if is_emulated():
        return "none: GLUONIC_GPU=emulated"
    if not count():
        return f"none: {_looked_for()[1][0]}"
    from gluonic.device.cuda.driver import driver

    return ".".join(map(str, driver().version))
