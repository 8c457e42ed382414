"""Letting threads share what is too small for it, or more threads than there are processors."""

from collections.abc import Callable
from typing import Any

from gluonic.codegen.machine import scaling, workers
from gluonic.codegen.machine.workers_code import MOST_THREADS


def share_all(replace: Callable[[Any, str, Any], None] = setattr) -> None:
    """Let as many threads as the environment says share even the smallest steps.

    Parameters
    ----------
    replace : sets an attribute, for instance until a test ends
    """
    for name in ("WORTH", "WORTH_AWAKE", "LEAST"):
        replace(scaling, name, 1)
    replace(workers, "available_processors", lambda: MOST_THREADS)
    workers.workers().allow(MOST_THREADS)
