"""The environment's choice of what runs graphs: compiled code, the interpreter, or both in turn."""

import os

from gluonic.graph.checking import CHECKING
from gluonic.graph.errors import MXNetError

EXECUTORS = ("mixed", "compile", "interpret")


def executor() -> str:
    """The executor that the environment requests.

    ``GLUONIC_EXECUTOR=mixed``, the default, compiles a graph after some calls; ``compile`` compiles it at the
    first call, and is the default with ``GLUONIC_DUMP``; ``interpret`` never compiles it, and is always used
    where the inputs of operators are checked.
    """
    usual = "compile" if os.environ.get("GLUONIC_DUMP") else "mixed"
    chosen = "interpret" if CHECKING else os.environ.get("GLUONIC_EXECUTOR", usual)
    if chosen not in EXECUTORS:
        raise MXNetError(f"GLUONIC_EXECUTOR={chosen!r} must be one of {', '.join(EXECUTORS)}")
    return chosen


def interpreting() -> bool:
    """Whether the environment requests the interpreter."""
    is_usual = not CHECKING and "GLUONIC_EXECUTOR" not in os.environ
    return not is_usual and executor() == "interpret"
