"""Arrays of which only the shape and the dtype are known, to compile for."""

from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from typing import Any

from gluonic.codegen.maths.values import Dtype
from gluonic.graph.attributes import Shape
from gluonic.support.record import record

_MOST_TRIALS = 32


@record
class StandIn:
    """What is known of an array without having it."""

    shape: Shape
    dtype: Dtype


def larger_batches(arrays: Sequence[Any], data: Sequence[int]) -> Iterator[list[Any]]:
    """Arrays of a batch of one as if there were two in it: what is compiled for these serves any batch.

    Which of the arrays at the positions `data` hold the batch is not known, so all that may are tried
    together first, then fewer.

    >>> x, w = StandIn((1, 3), "float32"), StandIn((2, 3), "float32")
    >>> [[a.shape for a in batch] for batch in larger_batches([x, w], [0, 1])]
    [[(2, 3), (2, 3)]]
    """
    single = [i for i in data if arrays[i].shape[:1] == (1,)]
    choices = (c for count in range(len(single), 0, -1) for c in combinations(single, count))
    for chosen in islice(choices, _MOST_TRIALS):
        batch = list(arrays)
        for i in chosen:
            batch[i] = StandIn((2, *arrays[i].shape[1:]), arrays[i].dtype)
        yield batch
