"""The comparison of compiled graphs with the interpreter is strict, and reports differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.codegen.agreement import assert_alike, slack_of


def test_a_difference_is_reported_with_the_tolerance_at_its_position() -> None:
    expected, found = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.05, 3.5])
    with pytest.raises(AssertionError, match=r"\[3\.5\] instead of \[3\.\], \[0\.2\] allowed"):
        assert_alike([found], [expected], slack=lambda: [np.array([0.1, 0.1, 0.2])])


@pytest.mark.parametrize("shape", [(), (3,), (0,)])
def test_results_may_move_as_far_as_the_rounding_of_inputs_moves_them(
    shape: tuple[int, ...],
) -> None:
    def cancelled(arrays: Any, observer: Any = None) -> list[Any]:
        return [arrays[0] - 1]

    (slack,) = slack_of(cancelled, [np.full(shape, 1 + 2**-20, np.float32)])
    assert slack.shape == shape
    assert (slack >= 2**-23).all()
    assert (slack < 2**-17).all()
