"""``mx.engine``: bulk execution, which has no effect: operators run at once."""

import threading
from types import TracebackType

__all__ = ["bulk", "set_bulk_size"]


class _Size(threading.local):
    value = 15


_size = _Size()


def set_bulk_size(size: int) -> int:
    """Set the number of operators to run together; returns the previous one.

    Parameters
    ----------
    size : the number, which changes nothing here
    """
    before, _size.value = _size.value, int(size)
    return before


class bulk:
    """A ``with`` block with another bulk size.

    Parameters
    ----------
    size : the number, which changes nothing here
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.before = 0

    def __enter__(self) -> "bulk":
        self.before = set_bulk_size(self.size)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        set_bulk_size(self.before)
