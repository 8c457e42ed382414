"""A scope in which hybridized blocks run as if they were not."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class _EagerScopes(threading.local):
    """How many such scopes a thread is in."""

    depth = 0


EAGER = _EagerScopes()


@contextmanager
def eagerly() -> Iterator[None]:
    """Run hybridized blocks as if they were not, for a while."""
    EAGER.depth += 1
    try:
        yield
    finally:
        EAGER.depth -= 1
