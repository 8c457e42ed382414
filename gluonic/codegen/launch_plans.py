"""Launches on a device that are prepared for some arrays, whose addresses a table there lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from gluonic.device.array import DeviceArray
from gluonic.support.locks import lock


class LaunchPlan(NamedTuple):
    """Prepared launches, and the table that they read.

    Attributes
    ----------
    queue : queues the launches; it gets their numbers
    table : an array of the device
    """

    queue: Callable[..., None]
    table: DeviceArray


class LaunchPlans(dict[Any, LaunchPlan]):
    """The plans that were kept last.

    Parameters
    ----------
    most : their number
    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most, self._lock = most, lock()

    def keep(self, key: Any, plan: LaunchPlan) -> LaunchPlan:
        """Keep a plan, and drop the oldest one above the limit; returns the plan."""
        with self._lock:
            if len(self) >= self._most:
                del self[next(iter(self))]
            self[key] = plan
        return plan
