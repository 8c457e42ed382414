"""A scope in which hybridized blocks run eagerly."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class _EagerScopes(threading.local):
    """The number of such scopes that a thread has entered."""

    depth = 0


EAGER = _EagerScopes()


@contextmanager
def eagerly() -> Iterator[None]:
    """Run hybridized blocks eagerly within a ``with``."""
    EAGER.depth += 1
    try:
        yield
    finally:
        EAGER.depth -= 1
