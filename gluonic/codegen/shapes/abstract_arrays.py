"""Abstract arrays: a shape and a dtype to compile for, without elements."""

from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from typing import Any

from gluonic.codegen.maths.values import Dtype
from gluonic.graph.attributes import Shape
from gluonic.support.record import record

_MOST_TRIALS = 32


@record
class AbstractArray:
    """What is known of an array without having it."""

    shape: Shape
    dtype: Dtype


def size_hints(arrays: Sequence[Any], data: Sequence[int]) -> Iterator[list[Any]]:
    """The sizes that are compiled for in the place of a batch of one: two, for which code serves any batch.

    What is compiled for them is right for the batch of one if its guards hold for that. Which of the arrays at
    the positions `data` hold the batch is not known, so all that may are tried together first, then fewer.

    >>> x, w = AbstractArray((1, 3), "float32"), AbstractArray((2, 3), "float32")
    >>> [[a.shape for a in hints] for hints in size_hints([x, w], [0, 1])]
    [[(2, 3), (2, 3)]]
    """
    single = [i for i in data if arrays[i].shape[:1] == (1,)]
    choices = (c for count in range(len(single), 0, -1) for c in combinations(single, count))
    for chosen in islice(choices, _MOST_TRIALS):
        hints = list(arrays)
        for i in chosen:
            hints[i] = AbstractArray((2, *arrays[i].shape[1:]), arrays[i].dtype)
        yield hints
