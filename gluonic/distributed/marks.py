"""The profiler's events of communication."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from gluonic.graph.events import EVENTS

CATEGORY = "communication"


_UNDER_WAY = 0
"""The index of the profile's row for communication in the background, beside those of threads."""


def mark_under_way(operation: str, begin: int, end: int, **details: Any) -> None:
    """Record background communication, from `begin` to `end` in nanoseconds, if the profiler runs."""
    if EVENTS.active:
        EVENTS.add("X", operation, CATEGORY, begin, end, details, _UNDER_WAY)


def marked(operation: str, **details: Any) -> AbstractContextManager[None]:
    """Record the duration of a ``with`` block, if the profiler runs."""
    return EVENTS.span(operation, CATEGORY, **details) if EVENTS.active else nullcontext()
