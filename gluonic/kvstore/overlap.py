"""Overlap of communication with backward: gradients are summed over ranks while others are computed."""

import os
from collections.abc import Sequence

import numpy as np

from gluonic.distributed.buckets import Bucket, Buckets
from gluonic.distributed.early import EarlySums, Overlapped
from gluonic.distributed.group import RankGroup
from gluonic.graph.versions import write
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.handing_over import listen
from gluonic.support.references import holds_alone

_MOST_IN_VAIN = 2


class GradientOverlap:
    """A listener for the gradients that a store sums together.

    In the first step it learns the order in which backward writes them on rank 0, and makes buckets in that
    order. The sum of a bucket begins when all its gradients have been written as often as in the step before.
    If one is written to afterwards, the bucket is summed again; after two such steps its sum waits for the
    step.

    Parameters
    ----------
    group : the ranks
    names, kinds : the gradients' names, and their shapes and dtypes

    Attributes
    ----------
    sums : the sums that begin early; None until all ranks know the order
    """

    def __init__(
        self,
        group: RankGroup,
        names: Sequence[str],
        kinds: Sequence[tuple[tuple[int, ...], np.dtype]],
    ) -> None:
        self._group, self._names, self._kinds = group, names, kinds
        self.sums: EarlySums | None = None
        self._arrays: list[NDArray] = []
        self._indices: dict[int, int] = {}
        self._order: dict[int, None] = {}
        self._bucket_of: list[int] = []
        self._vain: list[int] = []
        self._early: list[int] = []
        self._writes = [0] * len(names)
        self._expected = [0] * len(names)
        self._is_listening = False
        self._process = os.getpid()

    def expect(self, arrays: Sequence[NDArray]) -> None:
        """Listen to the gradients that the next step will probably sum: those of this step."""
        if len(arrays) != len(self._arrays) or any(
            a is not b for a, b in zip(arrays, self._arrays, strict=True)
        ):
            self._arrays = list(arrays)
            self._indices = {id(array): index for index, array in enumerate(arrays)}
        if not self._is_listening:
            self._is_listening = True
            listen(self)

    def agree(self) -> Buckets:
        """Make buckets in the order in which gradients were written on rank 0; a collective operation."""
        seen = np.array([*self._order], np.int64)
        order = self._group.gather(seen, lambda: "the order of gradients")[0].tolist()
        order += [index for index in range(len(self._names)) if index not in set(order)]
        buckets = Buckets(self._names, self._kinds, order=order)
        self._bucket_of = [0] * len(self._names)
        for number, bucket in enumerate(buckets.all):
            for index in bucket.members:
                self._bucket_of[index] = number
        self._vain = [0] * len(buckets.all)
        self.sums = EarlySums(self._group.duplicate(), buckets)
        return buckets

    # Called by backward

    def listens_to(self, buffer: NDArray) -> bool:
        """Whether a gradient is one of them, and this process is a participating rank, not a child of it."""
        is_rank = os.getpid() == self._process and not self._group.watch.has_given_up
        return is_rank and id(buffer) in self._indices

    def written(self, buffer: NDArray) -> None:
        """Record that a gradient is written; begin the sum of its bucket if it was the last one missing."""
        index = self._indices[id(buffer)]
        self._writes[index] += 1
        if self.sums is None:
            self._order.pop(index, None)
            self._order[index] = None
            return
        number = self._bucket_of[index]
        members = self.sums.buckets.all[number].members
        if (
            self._vain[number] < _MOST_IN_VAIN
            and not self.sums.has_begun(number)
            and all(self._writes[i] == self._expected[i] for i in members)
        ):
            self.sums.begin(number, [[array.elements] for array in self._arrays])
        self.sums.advance()

    def used_early(self) -> tuple[list[NDArray], Overlapped] | None:
        """The gradients whose sums began before the latest step requested them, and the overlap."""
        if self.sums is None:
            return None
        members = [self.sums.buckets.all[number].members for number in self._early]
        return [self._arrays[index] for indices in members for index in indices], self.sums.latest

    # Called by a step

    @property
    def latest(self) -> Overlapped | None:
        """The overlap in the latest step."""
        return None if self.sums is None else self.sums.latest

    def said(self, arrays: Sequence[NDArray]) -> bytes:
        """The message to the other ranks; see `EarlySums.said`."""
        self._expected, self._writes = self._writes, [0] * len(self._names)
        if self.sums is None:
            return b""
        self._early = self.sums.under_way
        return self.sums.said([[array.elements] for array in arrays])

    def finish(self, told: Sequence[bytes], arrays: Sequence[NDArray]) -> set[int]:
        """Wait for the sums in flight; returns the indices of the buckets that are summed."""
        assert self.sums is not None
        for number, states in enumerate(zip(*told, strict=True)):
            self._vain[number] += 2 in states
        return set(self.sums.finish(told, [[array.elements] for array in arrays]))


def hand_out(buckets: Buckets, bucket: Bucket, gradients: Sequence[NDArray]) -> None:
    """Move sums to the gradients.

    Large arrays swap memory with their sums, unless something else refers to it: copying would take long.
    """
    if bucket.memory is not None:
        buckets.empty(bucket, [[gradient.elements] for gradient in gradients])
        return
    index = bucket.members[0]
    gradient = gradients[index]
    if gradient.elements.base is None and holds_alone(gradient, "elements"):
        gradient.elements = buckets.exchange(index, gradient.elements)
    else:
        write(gradient.elements, buckets.target(bucket).reshape(gradient.shape))
