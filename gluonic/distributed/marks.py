"""What the profiler sees of communication."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from gluonic.graph.events import EVENTS

CATEGORY = "communication"


_UNDER_WAY = 0
"""The number of the row, beside those of threads, for what goes on by itself."""


def mark_under_way(operation: str, begin: int, end: int, **details: Any) -> None:
    """Note what went on while this thread did something else, if the profiler runs; nanoseconds."""
    if EVENTS.active:
        EVENTS.add("X", operation, CATEGORY, begin, end, details, _UNDER_WAY)


def marked(operation: str, **details: Any) -> AbstractContextManager[None]:
    """Note how long what is inside takes, if the profiler runs."""
    return EVENTS.span(operation, CATEGORY, **details) if EVENTS.active else nullcontext()
