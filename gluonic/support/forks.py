"""What a forked child must do first; there are no forks on Windows."""

import os
from collections.abc import Callable


def in_forked_children(call: Callable[[], object]) -> None:
    """Let each child that this process forks call a function before anything else."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=call)
