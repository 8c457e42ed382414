"""Sums of pushed arrays over contexts and ranks, each computed in the fastest applicable way."""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic.distributed import World
from gluonic.distributed.codecs import Codec
from gluonic.distributed.early import Overlapped
from gluonic.graph import Array
from gluonic.graph.errors import NotThereError, describe
from gluonic.graph.storage.values import known_rows
from gluonic.kvstore.base import total_of
from gluonic.kvstore.compressible import check_compressible
from gluonic.kvstore.overlap import GradientOverlap, hand_out
from gluonic.kvstore.push_layout import PushLayout
from gluonic.kvstore.sharing import move_where_ranks_read
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.storage.arrays import RowSparseNDArray

Pairs = Sequence[tuple[Any, list[NDArray]]]
"""Keys, and the arrays of each, one per context."""

_MOST_SHARED = 16
"""The most lists of keys that are summed in shared memory: each takes file descriptors, which are scarce."""


class PushSums:
    """The sums of the arrays that the ranks push, with the data that are kept between pushes.

    Parameters
    ----------
    world : all ranks

    Attributes
    ----------
    codec : compresses the arrays that are sent; None for no compression
    overlapped : the overlap of sums with backward in the latest step; None if there was none
    """

    def __init__(self, world: World) -> None:
        self._world, self._group = world, world.group
        self._layouts: dict[tuple[Any, ...], PushLayout] = {}
        self.codec: Codec | None = None
        self.overlapped: Overlapped | None = None

    def compress(self, codec: Codec | None) -> None:
        """Set the codec that compresses the arrays that are sent."""
        self.codec = codec
        self._layouts.clear()

    def sum_up(self, pairs: Pairs, facts: str, *, in_place: bool, kept: bool) -> list[NDArray]:
        """Sum arrays over all contexts and ranks, a collective operation.

        Parameters
        ----------
        pairs : keys and their arrays
        facts : further text on which all ranks must agree, beside keys, shapes and dtypes
        in_place : whether the sums of dense arrays replace the arrays of the first context
        kept : whether the latest sums are still read while the next ones are computed

        Returns
        -------
        list
            the sums, in the order of the pairs; those of dense arrays are valid until the next call
        """
        layout = self._layout_of(pairs)
        early = b"" if layout.overlap is None else layout.overlap.said(layout.firsts(pairs))
        told = self._group.agree(
            f"{layout.said}{facts}",
            lambda: f"the pushed keys: {keys_text(pairs)}",
            bytes([self._can_overlap(pairs, kept), self._can_share(layout, pairs)]) + early,
        )
        others = sum(one.was_opened for one in self._layouts.values() if one is not layout)
        shares = bool(layout.dense) and others < _MOST_SHARED and all(one[1] for one in told)
        shared = layout.shared_by(self._group) if shares else None
        layout.can_overlap = layout.shared is None and all(one[0] for one in told)
        if self.codec is not None:
            sources = layout.sources(pairs)
            sums = layout.buckets.reduce_encoded(self._group, self.codec, sources)
        elif shared is not None:
            sums = shared.sum_up(layout.sources(pairs), in_place)
        elif layout.overlap is not None and layout.overlap.sums is not None:
            sums = self._summed_early(layout, pairs, [one[2:] for one in told], in_place)
        else:
            sums = layout.buckets.reduce(self._group, layout.sources(pairs), in_place)
        found = dict(zip(layout.dense, map(NDArray, sums), strict=True))
        for index in layout.sparse:
            key, given = pairs[index]
            found[index] = self._sum_of_rows(key, total_of(given))
        return [found[index] for index in range(len(pairs))]

    def _can_overlap(self, pairs: Pairs, kept: bool) -> bool:
        """Whether sums may be computed before they are requested, in memory that is not read meanwhile."""
        alone = all(len(given) == 1 for _, given in pairs)
        wanted = os.environ.get("GLUONIC_OVERLAP", "1") != "0"
        return alone and wanted and not kept and self.codec is None and self._group.size > 1

    def _can_share(self, layout: PushLayout, pairs: Pairs) -> bool:
        """Whether sums may be computed in shared memory, because none are requested during backward."""
        alone = len(self._world.local) == self._group.size > 1
        wanted = os.environ.get("GLUONIC_SHARED_SUMS", "1") != "0"
        early = os.environ.get("GLUONIC_OVERLAP") == "1"
        if not (alone and wanted and self.codec is None) or early:
            return False
        return layout.shared is None or layout.shared.can_sum_up(layout.sources(pairs))

    def _summed_early(
        self, layout: PushLayout, pairs: Pairs, told: Sequence[bytes], in_place: bool
    ) -> list[Array]:
        """The sums of dense arrays, some of which may have been computed already."""
        assert layout.overlap is not None
        buckets, gradients = layout.buckets, layout.firsts(pairs)
        done = layout.overlap.finish(told, gradients)
        self.overlapped = layout.overlap.latest
        missing = [bucket for n, bucket in enumerate(buckets.all) if n not in done]
        sums = buckets.reduce(self._group, layout.sources(pairs), in_place, missing)
        if in_place:
            del sums
            for number in done:
                hand_out(buckets, buckets.all[number], gradients)
            sums = [gradient.elements for gradient in gradients]
        return sums

    def expect(self, pairs: Pairs) -> None:
        """Prepare to sum these arrays, which are gradients, during the next backward pass.

        A collective operation. The sums are those of the arrays' contents when the sums are requested.
        """
        layout = self._layouts.get(_kind(pairs))
        if layout is not None and layout.shared is not None:
            move_where_ranks_read(layout.shared, layout.gradients(pairs))
        if layout is None or not layout.can_overlap:
            return
        if layout.overlap is None:
            layout.overlap = GradientOverlap(self._group, layout.names, layout.kinds)
        elif layout.overlap.sums is None:
            layout.buckets = layout.overlap.agree()
        layout.overlap.expect(layout.firsts(pairs))

    def _layout_of(self, pairs: Pairs) -> PushLayout:
        key = _kind(pairs)
        known = self._layouts.get(key)
        if known is None:
            for one, given in pairs:
                self.check(one, given[0])
            known = self._layouts[key] = PushLayout(pairs)
        return known

    def check(self, key: Any, array: NDArray) -> None:
        """Raise an error if an array cannot be summed.

        Raises
        ------
        NotThereError
            if it is a csr array
        MXNetError
            if it would be compressed, and is not a dense float32 array
        """
        if array.stype == "csr":
            raise NotThereError(
                describe(f"{key!r} is a csr array, which cannot be pushed", where="kvstore.push")
            )
        if self.codec is not None:
            check_compressible(key, array)

    def _sum_of_rows(self, key: Any, value: NDArray) -> NDArray:
        """The sum of row_sparse arrays over the ranks."""
        if self._group.size == 1:
            return value
        assert isinstance(value, RowSparseNDArray)

        def what() -> str:
            return f"the gradient of {key!r}"

        rows, data = (self._group.gather(part, what) for part in rows_of(value))
        return total_of(
            [
                RowSparseNDArray(known_rows(d, r, value.shape))
                for r, d in zip(rows, data, strict=True)
            ]
        )


def rows_of(value: RowSparseNDArray) -> tuple[Array, Array]:
    """The indices of the stored rows, and the rows."""
    return value.indices.asnumpy().astype(np.int64), value.data.asnumpy()


def _kind(pairs: Pairs) -> tuple[Any, ...]:
    """The key under which the data kept for a push are found: keys, shapes, dtypes and storage types."""
    return tuple((one, given[0].shape, given[0].dtype, given[0].stype) for one, given in pairs)


def keys_text(pairs: Sequence[tuple[Any, Any]]) -> str:
    """The keys as text; of many, the first and the last ones."""
    names = [repr(key) for key, _ in pairs]
    return ", ".join(names if len(names) <= 4 else [*names[:2], "…", names[-1]])
