"""A sampler with equal intervals."""

from collections.abc import Iterator

from gluonic.gluon.data.sampler import Sampler
from gluonic.graph.errors import AttributeValueError

__all__ = ["IntervalSampler"]


class IntervalSampler(Sampler):
    """Every `interval`-th sample; then, with `rollover`, the skipped ones, until all have been used.

    Parameters
    ----------
    length : number of samples
    interval : distance between two samples
    rollover : whether to continue with the samples that were skipped

    Examples
    --------
    >>> list(IntervalSampler(10, 3))
    [0, 3, 6, 9, 1, 4, 7, 2, 5, 8]
    >>> list(IntervalSampler(10, 3, rollover=False))
    [0, 3, 6, 9]
    """

    def __init__(self, length: int, interval: int, rollover: bool = True) -> None:
        if interval > length:
            raise AttributeValueError(
                f"IntervalSampler: interval {interval} must be smaller than or equal to length {length}"
            )
        self._length, self._interval, self._rollover = length, interval, rollover

    def __iter__(self) -> Iterator[int]:
        for start in range(self._interval if self._rollover else 1):
            yield from range(start, self._length, self._interval)

    def __len__(self) -> int:
        return self._length
