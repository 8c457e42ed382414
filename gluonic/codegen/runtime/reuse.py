"""Memory of internal results, reused by a later call once nothing refers to it.

A training step may save tens of megabytes for its gradients. If they were freed after each step, the operating
system would clear each page again for the next one, which took MobileNet almost as long as its computation.
"""

from collections.abc import Sequence
from typing import Any

from gluonic.graph import Array
from gluonic.support.references import hold_alone

_MOST_CALLS = 4
"""The most calls whose memory is remembered: a training step may call a net on several batches."""


class ReusedMemory:
    """The arrays left by earlier calls, by a key of the call."""

    def __init__(self) -> None:
        self._left: list[tuple[Any, Sequence[Array | None]]] = []

    def take(self, key: Any) -> Sequence[Array | None] | None:
        """The arrays left by a call with the same key, if nothing refers to them any more.

        Arrays of other calls are dropped: otherwise batches of changing sizes would accumulate memory.
        """
        for _ in range(len(self._left)):
            try:
                left = self._left.pop(0)  # no two threads get the same
            except IndexError:
                break
            if left[0] != key:
                continue
            if hold_alone(left[1]):
                return left[1]
            self._left.append(left)
        return None

    def leave(self, key: Any, arrays: Sequence[Array]) -> None:
        """Remember the arrays of a call, except arrays of objects, which would be kept alive."""
        self._left.append((key, [None if a.dtype.hasobject else a for a in arrays]))
        del self._left[:-_MOST_CALLS]
