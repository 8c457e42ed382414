"""Programs compute the same numbers when they are modernized; `tests.mxnet2.modernized` runs more of them."""

from pathlib import Path

import pytest

pytest.importorskip("libcst")

from tests.mxnet2.modernized import comparable, verdict

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


def test_an_example_computes_the_same_modernized() -> None:
    told = verdict(EXAMPLES / "sequences" / "forecasting.py", ["--steps", "1"])
    assert told.startswith("the same, 3 numbers"), told


def test_times_and_ways_of_writing_arrays_do_not_count() -> None:
    of_one = "loss 0.5 in 3 ms\n[1. 2.]\n<NDArray 2 @cpu(0)>\n"
    assert comparable(of_one) == comparable("loss 0.5 in 4.5 ms\narray([1, 2])\n")
    assert comparable("loss 0.5") != comparable("loss 0.25")
