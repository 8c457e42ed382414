"""What the profiler sees of communication."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from gluonic.graph.events import EVENTS

CATEGORY = "communication"


def marked(operation: str, **details: Any) -> AbstractContextManager[None]:
    """Note how long what is inside takes, if the profiler runs."""
    return EVENTS.span(operation, CATEGORY, **details) if EVENTS.active else nullcontext()
