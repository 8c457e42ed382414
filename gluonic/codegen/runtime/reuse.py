"""Memory of internal results, reused by a later call once nobody holds it.

What a training step saves for its gradients may be tens of megabytes. If they were given back after each step,
the system would clear each page anew in the next one, which took MobileNet almost as long as to compute.
"""

from collections.abc import Sequence
from typing import Any

from gluonic.graph import Array
from gluonic.support.references import hold_alone

_MOST_CALLS = 4
"""Of so many calls at once memory is remembered, such as of a step that calls a net on two batches."""


class ReusedMemory:
    """The arrays that calls have left, by what these were called with."""

    def __init__(self) -> None:
        self._left: list[tuple[Any, Sequence[Array | None]]] = []

    def take(self, key: Any) -> Sequence[Array | None] | None:
        """Arrays that a call with the same key has left, if nobody holds them any more.

        Arrays of other calls are forgotten: batches of other sizes would add to these.
        """
        for _ in range(len(self._left)):
            try:
                left = self._left.pop(0)  # threads never get the same
            except IndexError:
                break
            if left[0] != key:
                continue
            if hold_alone(left[1]):
                return left[1]
            self._left.append(left)
        return None

    def leave(self, key: Any, arrays: Sequence[Array]) -> None:
        """Remember the arrays of a call, but none that holds objects: these would live as long."""
        self._left.append((key, [None if a.dtype.hasobject else a for a in arrays]))
        del self._left[:-_MOST_CALLS]
