"""Which boxes non-maximum suppression leaves, by its definition: one box after the other."""

from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st

from gluonic.graph.rectangles import overlaps, survivors


def left_one_by_one(
    boxes: npt.NDArray[Any], classes: npt.NDArray[Any], threshold: float, *, strict: bool
) -> list[int]:
    left: list[int] = []
    for i, box in enumerate(boxes):
        rivals = [j for j in left if classes[j] == classes[i]]
        found = overlaps(boxes[rivals], box)
        if not (found > threshold if strict else found >= threshold).any():
            left.append(i)
    return left


@given(
    count=st.integers(0, 150),
    spread=st.sampled_from([1, 4, 20]),
    kinds=st.sampled_from([1, 3]),
    threshold=st.sampled_from([0.1, 0.5]),
    strict=st.booleans(),
    seed=st.integers(0, 1 << 16),
)
def test_suppression_keeps_a_box_unless_a_better_kept_one_covers_it(
    count: int, spread: int, kinds: int, threshold: float, strict: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    corners = rng.integers(0, 4 * spread, (count, 2)) / 4
    boxes = np.concatenate([corners, corners + rng.integers(1, 8, (count, 2)) / 4], 1)
    classes = rng.integers(0, kinds, count)
    expected = left_one_by_one(boxes, classes, threshold, strict=strict)
    assert np.flatnonzero(survivors(boxes, classes, threshold, strict=strict)).tolist() == expected
    most = count // 3
    found = survivors(boxes, classes, threshold, strict=strict, most=most)
    assert np.flatnonzero(found).tolist() == expected[:most]
