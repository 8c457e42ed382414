"""Sums of a trainer's gradients over ranks, in each step; some are computed during backward."""

import os
from collections.abc import Sequence

from gluonic.distributed import world
from gluonic.distributed.buckets import Buckets
from gluonic.distributed.early import Overlapped
from gluonic.distributed.group import RankGroup
from gluonic.distributed.marks import marked
from gluonic.kvstore.overlap import GradientOverlap, hand_out
from gluonic.ndarray.array import NDArray


class TrainerSums:
    """The sums of gradients with the same names, shapes and dtypes, over consecutive steps.

    Parameters
    ----------
    group : the ranks
    names : the gradients' names, for messages
    arrays : gradients of these shapes and dtypes

    Attributes
    ----------
    overlapped : the overlap of sums with backward in the latest step; None if there was none
    """

    def __init__(self, group: RankGroup, names: Sequence[str], arrays: Sequence[NDArray]) -> None:
        self._group, self._names = group, names
        self._kinds = [(array.shape, array.elements.dtype) for array in arrays]
        self._buckets = Buckets(names, self._kinds)
        self._overlap: GradientOverlap | None = None
        self.overlapped: Overlapped | None = None

    def sum_up(self, arrays: Sequence[NDArray], facts: str, named: str, *, early: bool) -> None:
        """Replace arrays by their sums over the ranks.

        Parameters
        ----------
        facts : what all ranks must agree on, besides shapes and dtypes
        named : the trainer's name in errors and the profiler
        early : whether they are gradients as backward writes them, so that the next step's may be summed during
            backward
        """
        wanted = early and self._pays()
        said = b"" if self._overlap is None else self._overlap.said(arrays)
        told = self._group.agree(
            f"{facts} {self._kinds}",
            lambda: f"the gradients of the trainer {named!r}",
            bytes([wanted]) + said,
        )
        buckets, overlap = self._buckets, self._overlap
        with marked("allreduce", named=named):
            done: set[int] = set()
            if overlap is not None and overlap.sums is not None:
                done = overlap.finish([one[1:] for one in told], arrays)
                self.overlapped = overlap.latest
            missing = [bucket for number, bucket in enumerate(buckets.all) if number not in done]
            buckets.reduce(self._group, [[a.elements] for a in arrays], True, missing)
            for number in done:
                hand_out(buckets, buckets.all[number], arrays)
        if all(one[0] for one in told):
            self._expect(arrays)

    def _pays(self) -> bool:
        """Whether to begin sums during backward; not on one machine, where both would compete for the cores."""
        asked = os.environ.get("GLUONIC_OVERLAP")
        if asked is None:
            return not set(self._group.members).issubset(world().local)
        return asked != "0"

    def _expect(self, arrays: Sequence[NDArray]) -> None:
        """Listen to these gradients, which the next step will probably sum; a collective operation."""
        if self._overlap is None:
            self._overlap = GradientOverlap(self._group, self._names, self._kinds)
        elif self._overlap.sums is None:
            self._buckets = self._overlap.agree()
        self._overlap.expect(arrays)
