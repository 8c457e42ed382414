"""Operators compute with small buffers and without warnings; the user's settings stay as they are."""

import numpy as np
import pytest

from gluonic.support.suppress_fp_warnings import quietly


def test_settings_hold_inside_alone() -> None:
    settings = np.getbufsize(), np.geterr()
    assert quietly(np.getbufsize) == 1024
    assert set(quietly(np.geterr).values()) == {"ignore"}
    assert (np.getbufsize(), np.geterr()) == settings


@pytest.mark.parametrize("length", [1, 3, 512, 1023, 1025, 8193])
def test_buffers_of_any_size_give_the_same_numbers(length: int) -> None:
    rows = np.arange(5 * length, dtype=np.float32).reshape(5, length)
    scales = np.arange(5).reshape(5, 1)
    np.testing.assert_array_equal(quietly(np.multiply, rows, scales), rows * scales)
